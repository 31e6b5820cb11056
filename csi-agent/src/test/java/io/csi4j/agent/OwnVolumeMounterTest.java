package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginInUseException;
import io.csi4j.client.registry.StopPolicy;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.Teardown;
import io.csi4j.node.VolumeMounter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An agent with a host's own volume mounter. */
class OwnVolumeMounterTest {
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Ground ground;
    private Endpoint servers;
    private Endpoint listen;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        servers = ground.unix("server");
        listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToAgent(servers, NODE));
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    /** Mounts nothing; remembers what is mounted for whom. */
    private static final class TableMounter implements VolumeMounter {
        final Path directory;
        final Map<NodeVolumeId, AllocationId> mounts =
                new ConcurrentSkipListMap<>((a, b) -> a.volume().compareTo(b.volume()));
        final CompletableFuture<@Nullable Void> started = new CompletableFuture<>();
        final CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();
        final CompletableFuture<PluginId> changed = new CompletableFuture<>();
        volatile boolean broken;

        TableMounter(Path directory) {
            this.directory = directory;
        }

        @Override
        public CompletableFuture<@Nullable Void> start() {
            started.complete(null);
            return started;
        }

        @Override
        public CompletableFuture<@Nullable Void> ready() {
            return started.copy();
        }

        @Override
        public CompletableFuture<@Nullable Void> stop() {
            stopped.complete(null);
            return stopped;
        }

        @Override
        public CompletableFuture<MountedVolume> mount(NodeMount request) {
            mounts.put(request.id(), request.allocationId());
            return CompletableFuture.completedFuture(new MountedVolume(
                    request.volume(),
                    request.allocationId(),
                    directory.resolve(request.volume().volumeId().value()),
                    AttachmentMode.MOUNT,
                    false));
        }

        @Override
        public CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
            if (broken) {
                throw new IllegalStateException("the mounter is broken");
            }
            mounts.remove(request.id(), request.allocationId());
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<LedgerReport> ledger() {
            return CompletableFuture.completedFuture(new LedgerReport(
                    mounts.entrySet().stream()
                            .map(mount -> new VolumeUse(
                                    mount.getKey().volume(),
                                    mount.getKey().pluginId(),
                                    mount.getKey().externalVolumeId(),
                                    mount.getValue(),
                                    ClaimMode.WRITE,
                                    Ground.WRITER,
                                    false))
                            .toList(),
                    List.of()));
        }

        @Override
        public CompletableFuture<NodeExpansion> expand(NodeExpand request) {
            return CompletableFuture.completedFuture(
                    new NodeExpansion(request.capacityRange().requiredBytes()));
        }

        @Override
        public CompletableFuture<NodeGetVolumeStatsResponse> stats(NodeVolumeQuery request) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException("stats"));
        }

        @Override
        public CompletableFuture<NodeGetVolumeHealthResponse> health(NodeVolumeQuery request) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException("health"));
        }

        @Override
        public CompletableFuture<VolumeHealthReport> healthReport(NodeVolumeQuery request) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException("health"));
        }

        @Override
        public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(StorageHealthQuery request) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException("health"));
        }

        @Override
        public void pluginChanged(PluginId pluginId) {
            changed.complete(pluginId);
        }

        @Override
        public List<VolumeKey> volumesOf(PluginId pluginId) {
            return mounts.keySet().stream()
                    .filter(id -> id.pluginId().equals(pluginId))
                    .map(NodeVolumeId::volume)
                    .toList();
        }

        @Override
        public List<NodeVolumeId> volumesFor(AllocationId allocationId) {
            return mounts.entrySet().stream()
                    .filter(mount -> mount.getValue().equals(allocationId))
                    .map(Map.Entry::getKey)
                    .toList();
        }

        @Override
        public List<NodeVolumeStatus> volumes() {
            return List.of();
        }

        @Override
        public Optional<NodeVolumeStatus> status(VolumeKey volume) {
            return Optional.empty();
        }
    }

    private VolumeKey volume(ScriptedPlugin plugin) {
        assertThat(plugin).isNotNull();
        ground.knows(true);
        ground.running("web-1");
        return ground.volume("db");
    }

    private void freed(VolumeKey key) {
        ground.until(
                key + " is free",
                StateScope.volume(key),
                state -> !state.volume(key).orElseThrow().inUse());
    }

    private NodeAgent agentWith(TableMounter mounter) throws Exception {
        return ground.start(
                ground.agent(listen, servers).volumeMounter(standard -> mounter).stopPolicy(StopPolicy.REFUSE));
    }

    @Test
    void agentMountsAndUnmountsWithCustomMounter() throws Exception {
        TableMounter mounter = new TableMounter(ground.path("mounts"));
        NodeAgent agent = agentWith(mounter);
        ScriptedPlugin plugin = ground.plugin(agent);
        VolumeKey key = volume(plugin);
        assertThat(get(mounter.changed)).as("the mounter hears of the plugin").isEqualTo(PLUGIN);

        List<MountedVolume> mounted = get(agent.prepare(WEB, List.of(writing(key))));

        assertThat(agent.volumes()).isSameAs(mounter);
        assertThat(mounted)
                .extracting(MountedVolume::targetPath)
                .containsExactly(ground.path("mounts").resolve("db"));
        assertThat(plugin.count("ControllerPublishVolume")).isEqualTo(1);
        assertThat(plugin.count("NodePublishVolume")).isZero();
        InstanceKey instance = Ground.MONOLITH;
        assertThatThrownBy(() -> agent.pluginStopping(instance))
                .isInstanceOf(PluginInUseException.class)
                .hasMessageContaining("default/db");

        Teardown torn = get(agent.teardown(WEB, LIMIT));

        assertThat(torn).isEqualTo(new Teardown(List.of(key), List.of()));
        assertThat(mounter.mounts).isEmpty();
        freed(key);
        agent.close();
        get(agent.closed());
        assertThat(mounter.stopped).isDone();
    }

    @Test
    void volumeOfEndedAllocationIsUnmountedWithCustomMounter() throws Exception {
        TableMounter mounter = new TableMounter(ground.path("mounts"));
        NodeAgent agent = agentWith(mounter);
        VolumeKey key = volume(ground.plugin(agent));
        get(agent.prepare(WEB, List.of(writing(key))));
        assertThat(mounter.mounts).hasSize(1);
        ground.place("web-1", NODE, AllocationStatus.ENDED);
        freed(key);
        assertThat(mounter.mounts).isEmpty();
    }

    @Test
    void volumeStaysClaimedWhileCustomMounterThrowsAtUnmount() throws Exception {
        TableMounter mounter = new TableMounter(ground.path("mounts"));
        NodeAgent agent = agentWith(mounter);
        VolumeKey key = volume(ground.plugin(agent));
        get(agent.prepare(WEB, List.of(writing(key))));
        mounter.broken = true;

        assertThat(get(agent.teardown(WEB, LIMIT))).isEqualTo(new Teardown(List.of(), List.of(key)));
        assertThat(ground.store.snapshot().volume(key).orElseThrow().inUse()).isTrue();

        mounter.broken = false;
        assertThat(get(agent.teardown(WEB, LIMIT))).isEqualTo(new Teardown(List.of(key), List.of()));
        freed(key);
    }

    @Test
    void customMounterFactoryGetsPreconfiguredBuilderOfStandardMounter() throws Exception {
        CompletableFuture<VolumeMounter> built = new CompletableFuture<>();
        NodeAgent agent = ground.start(ground.agent(listen, servers).volumeMounter(standard -> {
            assertThat(standard.baseDirectory()).startsWithRaw(ground.path("agent"));
            assertThat(standard.plugins().find(PLUGIN)).isEmpty();
            VolumeMounter mounter = standard.build();
            built.complete(mounter);
            return mounter;
        }));
        ScriptedPlugin plugin = ground.plugin(agent);
        VolumeKey key = volume(plugin);
        get(agent.prepare(WEB, List.of(writing(key))));
        assertThat(agent.volumes()).isSameAs(built.join());
        assertThat(plugin.count("NodePublishVolume")).isEqualTo(1);
        assertThat(get(agent.teardown(WEB, LIMIT)).left()).isEmpty();
    }
}
