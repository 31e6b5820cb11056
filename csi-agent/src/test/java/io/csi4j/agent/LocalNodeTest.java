package io.csi4j.agent;

import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.RequestLog;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeResponse;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engine and a node in one process, with a plugin on a real socket. */
class LocalNodeTest {
    private static final VolumeKey VOLUME = VolumeKey.of("default", "db");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final List<ClaimRequest> WRITE = List.of(ClaimRequest.writing(VOLUME, Ground.WRITER));

    private final Path directory = Files.createTempDirectory("csi").toRealPath();
    private final StateStore store = StateStore.create(StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build());
    private volatile Consumer<String> onLine = line -> {};
    private LocalNode node = builder().start();
    private ScriptedPlugin plugin = plugin();

    LocalNodeTest() throws IOException {}

    /** The plugin mounts nothing, so the mount table is empty. */
    private LocalNodeBuilder builder() {
        return LocalNode.builder(new LocalCommandLog(store), Ground.NODE, directory)
                .clients(client ->
                        client.retries(RetryOptions.none()).requestLog(RequestLog.to(line -> onLine.accept(line))))
                .volumeOptions(Ground.withoutMounts())
                .mountTable(new MountTable() {
                    @Override
                    public MountPoints read() {
                        return MountPoints.of(List.of());
                    }

                    @Override
                    public Optional<String> bootId() {
                        return Optional.empty();
                    }
                });
    }

    private ScriptedPlugin plugin() throws IOException {
        return new ScriptedPlugin(
                node.preparePlugin(Ground.PLUGIN).registration().socket());
    }

    @BeforeEach
    void mountVolume() {
        get(node.pluginStarted(Ground.PLUGIN));
        get(node.lifecycle()
                .volumes()
                .register(
                        VOLUME,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .externalVolumeId(ExternalVolumeId.of("ext-db"))
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .build()));
        get(node.lifecycle().cluster().allocationStarted(WEB, VOLUME.namespace(), Ground.NODE));
        assertThat(get(node.prepare(WEB, WRITE)).get(0).targetPath()).startsWithRaw(directory);
    }

    @AfterEach
    void close() throws Exception {
        closeNode();
        plugin.close();
        store.close();
    }

    private void closeNode() {
        node.close();
        get(node.closed());
    }

    private List<String> calls() {
        return plugin.calls.stream()
                .map(ScriptedPlugin.Call::rpc)
                .filter(rpc -> rpc.contains("ublish"))
                .toList();
    }

    private DetachReport detached() {
        return get(node.lifecycle().operator().detach(VOLUME, Ground.NODE));
    }

    @Test
    void volumeIsUnmountedDetachedAndFreedAfterAllocationEnds() {
        assertThat(calls()).containsExactly("ControllerPublishVolume", "NodePublishVolume");
        get(node.lifecycle().cluster().allocationEnded(WEB));
        assertThat(detached().detached()).isTrue();
        assertThat(calls())
                .containsExactly(
                        "ControllerPublishVolume",
                        "NodePublishVolume",
                        "NodeUnpublishVolume",
                        "ControllerUnpublishVolume");
        assertThat(store.snapshot().volume(VOLUME).orElseThrow().inUse()).isFalse();
        assertThat(node.volumes().volumesFor(WEB)).isEmpty();
    }

    @Test
    void directoryThatOthersCanWriteIsRefused() throws Exception {
        closeNode();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> builder().start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory + " has the permissions rwxrwxrwx")
                .hasMessageContaining("chmod 700");
    }

    @Test
    void teardownUnmountsAndKeepsClaimUntilAllocationEnds() {
        assertThat(get(node.teardown(WEB, Duration.ofSeconds(20))).unmounted()).containsExactly(VOLUME);
        assertThat(store.snapshot().volume(VOLUME).orElseThrow().inUse()).isTrue();
        get(node.lifecycle().cluster().allocationEnded(WEB));
        assertThat(detached().detached()).isTrue();
        assertThat(plugin.count("NodeUnpublishVolume")).isEqualTo(1);
    }

    @Test
    void allocationThatEndedDuringDowntimeIsReleasedAfterRestart() throws Exception {
        closeNode();
        plugin.close();
        assertThat(store.apply(new AllocationCommand.RemoveAllocation(WEB, Instant.now()))
                        .accepted())
                .isTrue();
        node = builder().start();
        plugin = plugin();
        get(node.pluginStarted(Ground.PLUGIN));
        assertThat(detached().detached()).isTrue();
        assertThat(calls()).containsExactly("NodeUnpublishVolume", "ControllerUnpublishVolume");
    }

    @Test
    void allocationThatStoppedDuringDowntimeIsUnmountedAtStartAndNotMountedAgain() throws Exception {
        closeNode();
        plugin.close();
        node = builder().stillRuns(allocation -> false).start();
        plugin = plugin();
        CompletableFuture<Void> unmounted = new CompletableFuture<>();
        plugin.on("NodeUnpublishVolume", (request, out) -> {
            ScriptedPlugin.ok(out, NodeUnpublishVolumeResponse.getDefaultInstance());
            unmounted.complete(null);
        });
        get(node.pluginStarted(Ground.PLUGIN));
        get(unmounted);
        assertThat(calls()).containsExactly("NodeUnpublishVolume");
    }

    @Test
    void failedUnmountIsReportedWithCauseAndRetried() {
        plugin.on("NodeUnpublishVolume", (request, out) -> {
            if (plugin.count("NodeUnpublishVolume") == 1) {
                ScriptedPlugin.fail(out, Status.INTERNAL.withDescription("device is busy"));
            } else {
                ScriptedPlugin.ok(out, NodeUnpublishVolumeResponse.getDefaultInstance());
            }
        });
        get(node.lifecycle().cluster().allocationEnded(WEB));
        DetachReport report = detached();
        while (!report.detached()) {
            assertThat(report.releasing()).isNotEmpty();
            report = detached();
        }
        assertThat(plugin.count("NodeUnpublishVolume")).isGreaterThan(1);
        assertThat(plugin.count("ControllerUnpublishVolume")).isEqualTo(1);
    }

    /** The client of the plugin decodes the response; no other code gets it as bytes. */
    @Test
    void invalidResponseFailsCallOfClientInSameProcess() throws Exception {
        CompletableFuture<String> ended = new CompletableFuture<>();
        onLine = line -> {
            if (line.contains("CreateVolume") && line.contains(" ended with ")) {
                ended.complete(line);
            }
        };
        plugin.on("CreateVolume", (request, out) -> ScriptedPlugin.ok(out, CreateVolumeResponse.getDefaultInstance()));
        var unused = node.lifecycle()
                .volumes()
                .create(
                        VolumeKey.of("default", "new"),
                        VolumeSpec.builder(Ground.PLUGIN)
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .build());
        String end = get(ended);
        assertThat(end).doesNotContain("ended with OK").contains("volume is missing");
    }

    @Test
    void secondNodeOnSameDirectoryIsRefused() {
        assertThatThrownBy(() -> builder().start()).isInstanceOf(NodeVolumeException.class);
        assertThat(node.volumes().volumesFor(WEB)).hasSize(1);
    }
}
