package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginInUseException;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.RegistrySnapshot;
import io.csi4j.client.registry.StopPolicy;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.NodeVolumeQuery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How an agent looks after its plugins, over real sockets. */
class AgentPluginsTest {
    private static final AllocationId WEB = AllocationId.of("web-1");
    /** Nothing is found out by a probe while a test runs. */
    private static final ConnectionOptions SELDOM =
            ConnectionOptions.builder().probeInterval(Duration.ofHours(1)).build();

    private Ground ground;
    private NodeAgent agent;
    private ScriptedPlugin plugin;
    private Path socket;

    private void start(UnaryOperator<NodeAgentBuilder> settings) throws Exception {
        ground = new Ground();
        Endpoint servers = ground.unix("server");
        Endpoint listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToAgent(servers, NODE));
        agent = ground.start(settings.apply(ground.agent(listen, servers).connections(SELDOM)));
        plugin = killable();
        ground.knows(true);
    }

    /** One that leaves its socket when it ends, as after kill -9: it knows the socket by another name. */
    private ScriptedPlugin killable() throws Exception {
        PluginTask task = PluginTask.onHost(MONOLITH);
        socket = agent.preparePlugin(task).registration().socket();
        Path born = ground.path("born");
        ScriptedPlugin killable = new ScriptedPlugin(born);
        Files.move(born, socket, StandardCopyOption.ATOMIC_MOVE);
        get(agent.pluginStarted(task));
        get(agent.plugins().waitForHealthy(PluginRole.CONTROLLER, PLUGIN, Ground.PATIENCE));
        return killable;
    }

    @AfterEach
    void stop() {
        plugin.close();
        ground.close();
    }

    private VolumeKey mounted() {
        VolumeKey key = ground.volume("db");
        ground.running(WEB.value());
        get(agent.prepare(WEB, List.of(writing(key))));
        return key;
    }

    private void until(Predicate<RegistrySnapshot> fits) {
        CompletableFuture<RegistrySnapshot> observed = new CompletableFuture<>();
        Cancellable looking = agent.plugins().subscribe((snapshot, changes) -> {
            if (fits.test(snapshot)) {
                observed.complete(snapshot);
            }
        });
        get(observed);
        looking.cancel();
    }

    @Test
    void killedPluginIsNoLongerSelectedAfterFirstFailedCall() throws Exception {
        start(builder -> builder);
        VolumeKey key = mounted();
        plugin.close();
        assertThat(Files.exists(socket)).isTrue();
        assertThat(agent.plugins().snapshot().leader(PluginRole.NODE, PLUGIN)).isPresent();

        CsiCallException failed = failure(
                agent.volumes().stats(new NodeVolumeQuery(key, PLUGIN, ExternalVolumeId.of("ext-db"), WEB)),
                CsiCallException.class);
        assertThat(failed).hasMessageContaining("NodeGetVolumeStats for ext-db at plugin ebs failed (UNAVAILABLE)");
        until(snapshot -> snapshot.leader(PluginRole.NODE, PLUGIN).isEmpty());
    }

    @Test
    void pluginWithMountedVolumesCannotBeDeregistered() throws Exception {
        start(builder -> builder.stopPolicy(StopPolicy.REFUSE));
        agent.pluginStopping(MONOLITH);
        mounted();
        assertThatThrownBy(() -> agent.pluginStopping(MONOLITH))
                .isInstanceOfSatisfying(
                        PluginInUseException.class,
                        inUse -> assertThat(inUse.volumes()).containsExactly(VolumeKey.of("default", "db")))
                .hasMessageContaining("default/db");
        get(agent.teardown(WEB, Duration.ofSeconds(20)));
        agent.pluginStopping(MONOLITH);
    }

    @Test
    void logListsVolumesMountedByEndedPlugin() throws Exception {
        start(builder -> builder);
        mounted();
        ConcurrentLinkedQueue<String> warnings = new ConcurrentLinkedQueue<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                warnings.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(PluginRegistry.class.getName());
        logger.addHandler(handler);
        try {
            agent.pluginStopping(MONOLITH);
            assertThat(warnings).singleElement().asString().contains("default/db", "ebs");
            get(agent.pluginStopped(MONOLITH));
            assertThat(warnings).hasSize(2);
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(agent.plugins().snapshot().instances()).isEmpty();
    }

    @Test
    void individualPluginCanHaveItsOwnOptions() throws Exception {
        InstanceKey hasty = new InstanceKey(NODE, PluginId.of("hasty"), PluginType.NODE, Optional.empty());
        InstanceKey patient = new InstanceKey(NODE, PluginId.of("patient"), PluginType.NODE, Optional.empty());
        ConnectionOptions soon =
                ConnectionOptions.builder().startUpLimit(Duration.ofMillis(10)).build();
        start(builder -> builder.connectionsOf(each -> each.key().equals(hasty) ? soon : SELDOM));
        get(agent.pluginStarted(PluginTask.onHost(patient)));
        get(agent.pluginStarted(PluginTask.onHost(hasty)));
        until(snapshot ->
                snapshot.instance(hasty).orElseThrow().snapshot().exceeded().isPresent());
        assertThat(agent.plugins()
                        .snapshot()
                        .instance(patient)
                        .orElseThrow()
                        .snapshot()
                        .exceeded())
                .isEmpty();
    }
}
