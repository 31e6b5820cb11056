package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stops and removals of a plugin that volumes need. */
class StopGuardTest {
    @TempDir
    Path directory;

    private final Logger logger = Logger.getLogger(PluginRegistry.class.getName());
    private final List<String> warnings = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            warnings.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private List<VolumeKey> staged = List.of(VolumeKey.of("ns", "v"), VolumeKey.of("ns", "w"));

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
    }

    private RegistryWorld world(StopPolicy policy) {
        return new RegistryWorld(1, ConnectionOptions.ofDefaults(), new StopGuard(pluginId -> staged, policy));
    }

    private static PluginSupervisor supervisor(RegistryWorld world, Path directory) {
        return PluginSupervisor.over(
                world.registry, PluginPaths.under(directory.resolve("p")), RestartPolicy.ofDefaults(), event -> {});
    }

    @Test
    void errorForRefusedStopListsVolumesThatNeedPlugin() {
        try (RegistryWorld world = world(StopPolicy.REFUSE);
                PluginSupervisor supervisor = supervisor(world, directory)) {
            InstanceKey key = world.ready("p", PluginType.NODE, "a");
            assertThat(world.registry.deregister(key))
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(PluginInUseException.class, e -> {
                        assertThat(e.volumes()).isEqualTo(staged);
                        assertThat(e.retryable()).isTrue();
                    })
                    .withMessageContaining("ns/v, ns/w")
                    .withMessageContaining("unmount them first");
            assertThatThrownBy(() -> supervisor.taskStopping(key)).isInstanceOf(PluginInUseException.class);
            assertThat(world.registry.snapshot().instance(key)).isPresent();

            staged = List.of();
            supervisor.taskStopping(key);
            assertThat(world.registry.deregister(key)).isNotCompletedExceptionally();
            assertThat(world.registry.snapshot().instances()).isEmpty();
            assertThat(warnings).isEmpty();
        }
    }

    @Test
    void stopIsAllowedByDefaultWithWarningThatListsVolumes() {
        try (RegistryWorld world = world(StopPolicy.WARN)) {
            InstanceKey key = world.ready("p", PluginType.MONOLITH, "a");
            staged = IntStream.range(0, 30)
                    .mapToObj(number -> VolumeKey.of("ns", "v" + number))
                    .toList();
            assertThat(world.registry.deregister(key)).isNotCompletedExceptionally();
            assertThat(world.registry.snapshot().instances()).isEmpty();
            assertThat(warnings).hasSize(1);
            assertThat(warnings.get(0)).contains("30 volume(s)", "ns/v0, ns/v1,", "ns/v19 and 10 more");
        }
    }

    @Test
    void endedPluginIsRemovedEvenIfPolicyRefusesStops() {
        try (RegistryWorld world = world(StopPolicy.REFUSE);
                PluginSupervisor supervisor = supervisor(world, directory)) {
            InstanceKey key = world.ready("p", PluginType.NODE, "a");
            var stopped = supervisor.taskStopped(key);
            world.time.run();
            assertThat(stopped).isCompletedWithValue(true);
            assertThat(world.registry.snapshot().instances()).isEmpty();
            assertThat(warnings).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stopIsAllowedByDefaultWithWarningIfVolumesAreUnknown(boolean error) {
        PluginUse broken = plugin -> {
            if (error) {
                throw new AssertionError("nobody knows");
            }
            throw new IllegalStateException("nobody knows");
        };
        try (RegistryWorld world =
                new RegistryWorld(3, ConnectionOptions.ofDefaults(), new StopGuard(broken, StopPolicy.WARN))) {
            InstanceKey key = world.ready("p", PluginType.NODE, "a");
            assertThat(world.registry.deregister(key)).isNotCompletedExceptionally();
            assertThat(world.registry.snapshot().instances()).isEmpty();
            assertThat(warnings).hasSize(1);
        }
    }

    @Test
    void endedPluginIsRemovedIfVolumesAreUnknown() {
        PluginUse broken = plugin -> {
            throw new IllegalStateException("nobody knows");
        };
        try (RegistryWorld world =
                        new RegistryWorld(3, ConnectionOptions.ofDefaults(), new StopGuard(broken, StopPolicy.REFUSE));
                PluginSupervisor supervisor = supervisor(world, directory)) {
            InstanceKey key = world.ready("p", PluginType.NODE, "a");
            assertThatThrownBy(() -> supervisor.taskStopping(key))
                    .isInstanceOf(PluginInUseException.class)
                    .hasMessageContaining("it is not known which volumes need it: nobody knows; try again");
            assertThat(world.registry.deregister(key)).isCompletedExceptionally();
            assertThat(world.registry.snapshot().instance(key)).isPresent();
            var stopped = supervisor.taskStopped(key);
            world.time.run();
            assertThat(stopped).isCompletedWithValue(true);
            assertThat(world.registry.snapshot().instances()).isEmpty();
            assertThat(warnings).hasSize(1);
        }
    }

    @Test
    void stopOfUnneededPluginLogsNoWarning() {
        try (RegistryWorld world = world(StopPolicy.REFUSE)) {
            InstanceKey controller = world.ready("p", PluginType.CONTROLLER, "c");
            InstanceKey older = world.ready("p", PluginType.NODE, "a");
            InstanceKey newer = world.ready("p", PluginType.NODE, "b");
            assertThat(world.registry.deregister(controller)).isNotCompletedExceptionally();
            assertThat(world.registry.deregister(older)).isNotCompletedExceptionally();
            assertThat(world.registry.deregister(RegistryWorld.key("p", PluginType.NODE, "never")))
                    .isCompletedWithValue(false);
            assertThat(world.registry.deregister(newer)).isCompletedExceptionally();
            assertThat(warnings).isEmpty();
        }
    }

    @Test
    void stopOfLastReadyInstanceIsRefusedEvenIfAnotherInstanceIsRegistered() {
        try (RegistryWorld world = world(StopPolicy.REFUSE)) {
            InstanceKey ready = world.ready("p", PluginType.NODE, "a");
            var unused = world.registry.register(
                    RegistryWorld.registration(RegistryWorld.key("p", PluginType.NODE, "silent"), 0));
            world.time.advance(Duration.ofSeconds(1));
            assertThat(world.registry.deregister(ready)).isCompletedExceptionally();
        }
    }
}
