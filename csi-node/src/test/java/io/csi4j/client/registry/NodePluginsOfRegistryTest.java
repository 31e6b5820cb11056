package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Node volumes find plugins in a registry, and report unavailable plugins to it. */
class NodePluginsOfRegistryTest {
    private static final PluginId WIRE = PluginId.of("wire");
    private static final InstanceKey KEY = RegistryWorld.key("wire", PluginType.MONOLITH, "a");

    @TempDir
    Path directory;

    private PluginRegistryBuilder builder() {
        return PluginRegistry.builder(RegistryWorld.NODE).store(FilePluginStateStore.at(directory.resolve("plugins")));
    }

    private Optional<NodePlugin> find(PluginRegistry registry, Path base) {
        return NodePlugins.of(registry, base).find(WIRE);
    }

    @Test
    void callThatFailsWithUnavailableTriggersProbe() throws Exception {
        Path socket = directory.resolve("x.sock");
        ConnectionOptions noProbes =
                ConnectionOptions.builder().probeInterval(Duration.ofHours(1)).build();
        try (PluginRegistry registry = builder().options(noProbes).open()) {
            Wait.get(registry.register(PluginRegistration.of(KEY, socket)));
            assertThat(find(registry, directory)).isEmpty();
            try (WireProcess process = WireProcess.start(socket, "1")) {
                Wait.get(registry.waitForHealthy(PluginRole.NODE, WIRE, Wait.PATIENCE));
                NodePlugin plugin = find(registry, directory).orElseThrow();
                assertThat(plugin.baseDirectory()).isEmpty();
                Wait.get(plugin.service().nodeGetInfo());
                process.kill();
                // The failed call detects the end of the plugin, because its socket still exists and the next probe
                // would be an hour later.
                assertThat(Files.exists(socket)).isTrue();
                assertThat(Wait.failure(plugin.service().nodeGetInfo())).hasMessageContaining("UNAVAILABLE");
                Wait.until(
                        registry,
                        snapshot -> snapshot.leader(PluginRole.NODE, WIRE).isEmpty());
                assertThat(find(registry, directory)).isEmpty();
            }
        }
    }

    @Test
    void isolatedPluginGetsPathsTranslatedToItsFileSystem() throws Exception {
        Path socket = directory.resolve("x.sock");
        Path root = directory.resolve("root");
        try (PluginRegistry registry = builder().open();
                WirePlugin plugin = WirePlugin.start(socket, "1")) {
            Wait.get(registry.register(
                    new PluginRegistration(KEY, socket, Optional.of(new MountRoot(root, Path.of("/local/csi"))))));
            Wait.get(registry.waitForHealthy(PluginRole.NODE, WIRE, Wait.PATIENCE));
            assertThat(find(registry, root.resolve("volumes")).orElseThrow().baseDirectory())
                    .contains(Path.of("/local/csi/volumes"));
            assertThat(find(registry, root).orElseThrow().baseDirectory()).contains(Path.of("/local/csi"));
            // The plugin is not found for a base directory that it cannot see.
            assertThat(find(registry, directory.resolve("elsewhere"))).isEmpty();
            assertThat(plugin).isNotNull();
        }
    }

    @Test
    void supervisedTaskGetsBaseDirectoryMounted() {
        Path base = directory.resolve("volumes");
        PluginPaths paths = PluginPaths.under(directory.resolve("p")).withMountRoot(base);
        try (PluginRegistry registry = builder().open();
                PluginSupervisor supervisor =
                        PluginSupervisor.over(registry, paths, RestartPolicy.ofDefaults(), event -> {})) {
            TaskSetup setup = supervisor.prepare(PluginTask.isolated(KEY));
            assertThat(setup.registration().mountRoot()).contains(new MountRoot(base, Path.of("/local/csi")));
            assertThat(setup.mounts()).contains(new TaskMount(base, Path.of("/local/csi"), true));
        }
        assertThatThrownBy(() -> PluginPaths.under(directory).withMountRoot(directory))
                .hasMessageContaining("neither inside nor around");
        assertThatThrownBy(() -> PluginPaths.under(directory).withMountRoot(Path.of("relative")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void individualInstanceCanHaveItsOwnTimeLimits() {
        InstanceKey slow = RegistryWorld.key("slow", PluginType.NODE, "s");
        ConnectionOptions patient =
                ConnectionOptions.builder().startUpLimit(Duration.ofHours(1)).build();
        ConnectionOptions hasty =
                ConnectionOptions.builder().startUpLimit(Duration.ofMillis(10)).build();
        try (PluginRegistry registry = builder()
                .options(hasty)
                .optionsOf(each -> each.key().equals(slow) ? patient : hasty)
                .open()) {
            Wait.get(registry.register(PluginRegistration.of(slow, directory.resolve("s.sock"))));
            Wait.get(registry.register(PluginRegistration.of(KEY, directory.resolve("x.sock"))));
            RegistrySnapshot late = Wait.until(
                    registry,
                    snapshot -> snapshot.instance(KEY)
                            .orElseThrow()
                            .snapshot()
                            .exceeded()
                            .isPresent());
            assertThat(late.instance(slow).orElseThrow().snapshot().exceeded()).isEmpty();
            assertThat(AllocationId.of("s")).isEqualTo(slow.allocationId().orElseThrow());
        }
    }
}
