package io.csi4j.testkit;

import static io.csi4j.testkit.PluginClient.refused;
import static io.grpc.Status.Code.ALREADY_EXISTS;
import static io.grpc.Status.Code.FAILED_PRECONDITION;
import static io.grpc.Status.Code.INVALID_ARGUMENT;
import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static io.grpc.Status.Code.UNAVAILABLE;
import static io.grpc.Status.Code.UNIMPLEMENTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.history.Leak;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin for inline volumes: NodePublishVolume makes them and NodeUnpublishVolume removes them. */
class InlineVolumesTest {
    private static final String NODE = "node-1";
    private static final Map<String, String> ATTRIBUTES =
            Map.of("subject", "web", "csi.storage.k8s.io/ephemeral", "true");

    @TempDir
    Path directory;

    private final FakeStorage storage = FakeStorage.inMemory();
    private final FakeCsiPlugin plugin = FakeCsiPlugin.builder()
            .storage(storage)
            .inlineVolumes(List.of("subject", "issuer"))
            .inlineLimit(2)
            .build()
            .startInProcess();
    private final PluginClient client = PluginClient.inProcess(plugin);
    private final Walk walk = new Walk(client, NODE);

    @AfterEach
    void close() throws Exception {
        client.close();
        plugin.close();
        Machine.cleanUp(directory);
    }

    private NodePublishVolumeRequest.Builder request(String id, String target) {
        return NodePublishVolumeRequest.newBuilder()
                .setVolumeId(id)
                .setTargetPath(directory.resolve(target).toString())
                .setVolumeCapability(walk.capability())
                .putAllVolumeContext(ATTRIBUTES);
    }

    private void publish(String id, String target) {
        var unused = client.node().nodePublishVolume(request(id, target).build());
    }

    private void unpublish(String id, String target) {
        walk.unpublish(id, directory.resolve(target).toString());
    }

    @Test
    void publishMakesVolumeAndUnpublishRemovesIt() {
        publish("inline-1", "t1");
        publish("inline-1", "t1");
        publish("inline-2", "t2");
        assertThat(directory.resolve("t1")).isDirectory();
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-1", "inline-2");
        assertThat(storage.inlineVolumeIds("other")).isEmpty();
        assertThat(plugin.leaks())
                .contains(
                        new Leak(Leak.Kind.INLINE_VOLUME, "inline-1", NODE),
                        new Leak(Leak.Kind.INLINE_VOLUME, "inline-2", NODE));
        unpublish("inline-1", "t1");
        unpublish("inline-1", "t1");
        assertThat(directory.resolve("t1")).doesNotExist();
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-2");
        unpublish("inline-2", "other");
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-2");
        unpublish("inline-2", "t2");
        assertThat(plugin.leaks()).isEmpty();
    }

    @Test
    void volumeStaysUntilItsLastPublicationIsRemoved() {
        walk.mode = Mode.SINGLE_NODE_MULTI_WRITER;
        publish("inline-1", "t1");
        publish("inline-1", "t2");
        unpublish("inline-1", "t1");
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-1");
        unpublish("inline-1", "t2");
        assertThat(storage.inlineVolumeIds(NODE)).isEmpty();
    }

    @Test
    void pluginThatNeedsToKnowRefusesAVolumeThatDoesNotSayThatItIsInline() {
        try (FakeCsiPlugin strict = FakeCsiPlugin.builder()
                        .inlineVolumes(List.of("subject"))
                        .inlineEphemeral(true)
                        .build()
                        .startInProcess();
                PluginClient toStrict = PluginClient.inProcess(strict)) {
            String missing = refused(
                    INVALID_ARGUMENT,
                    () -> toStrict.node()
                            .nodePublishVolume(request("inline-1", "t1")
                                    .removeVolumeContext("csi.storage.k8s.io/ephemeral")
                                    .build()));
            assertThat(missing).contains("csi.storage.k8s.io/ephemeral is not true");
            assertThat(strict.leaks()).isEmpty();
            var published =
                    toStrict.node().nodePublishVolume(request("inline-1", "t1").build());
            assertThat(published).isNotNull();
            assertThat(strict.leaks()).contains(new Leak(Leak.Kind.INLINE_VOLUME, "inline-1", NODE));
        }
    }

    @Test
    void wrongRequestsAreRefusedAndMakeNothing() {
        String unknown = refused(
                INVALID_ARGUMENT,
                () -> client.node()
                        .nodePublishVolume(request("inline-1", "t1")
                                .putVolumeContext("server", "10.0.0.1")
                                .putVolumeContext("csi.storage.k8s.io/pod.name", "web-1")
                                .build()));
        assertThat(unknown).contains("server", "[issuer, subject]").doesNotContain("10.0.0.1", "pod.name");
        refused(
                INVALID_ARGUMENT,
                () -> client.node()
                        .nodePublishVolume(request("inline-1", "t1")
                                .setStagingTargetPath(directory.resolve("s").toString())
                                .build()));
        refused(
                INVALID_ARGUMENT,
                () -> client.node()
                        .nodePublishVolume(request("inline-1", "t1")
                                .putPublishContext("a", "b")
                                .build()));
        walk.block = true;
        assertThat(refused(INVALID_ARGUMENT, () -> publish("inline-1", "t1"))).contains("ask for mount");
        walk.block = false;
        assertThat(storage.inlineVolumeIds(NODE)).isEmpty();
        publish("inline-1", "t1");
        refused(
                ALREADY_EXISTS,
                () -> client.node()
                        .nodePublishVolume(
                                request("inline-1", "t1").setReadonly(true).build()));
        refused(FAILED_PRECONDITION, () -> publish("inline-1", "t2"));
        assertThat(refused(ALREADY_EXISTS, () -> publish("inline-2", "t1"))).contains("inline-1");
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-1");
    }

    @Test
    void fullNodeIsExhaustedUntilVolumeIsRemoved() {
        publish("inline-1", "t1");
        publish("inline-2", "t2");
        assertThat(refused(RESOURCE_EXHAUSTED, () -> publish("inline-3", "t3"))).contains("has 2 inline volumes");
        publish("inline-2", "t2");
        unpublish("inline-3", "t3");
        unpublish("inline-1", "t1");
        publish("inline-3", "t3");
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-2", "inline-3");
    }

    @Test
    void volumeStaysAfterRebootUntilItIsUnpublished() {
        publish("inline-1", "t1");
        publish("inline-2", "t2");
        storage.nodeIsGone(NODE);
        assertThat(storage.inlineVolumeIds(NODE)).containsExactly("inline-1", "inline-2");
        assertThat(plugin.leaks()).extracting(Leak::kind).containsOnly(Leak.Kind.INLINE_VOLUME);
        unpublish("inline-1", "t1");
        assertThat(directory.resolve("t1")).doesNotExist();
        // It still has its attributes, and can be published again.
        refused(
                ALREADY_EXISTS,
                () -> client.node()
                        .nodePublishVolume(request("inline-2", "t2")
                                .putVolumeContext("issuer", "other")
                                .build()));
        publish("inline-2", "t2");
        unpublish("inline-2", "t2");
        assertThat(plugin.leaks()).isEmpty();
    }

    @Test
    void pluginHasNeitherControllerNorStaging() {
        assertThat(client.identity()
                        .getPluginCapabilities(GetPluginCapabilitiesRequest.getDefaultInstance())
                        .getCapabilitiesList())
                .allMatch(one ->
                        one.getService().getTypeValue() == FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS.number());
        assertThat(client.node()
                        .nodeGetCapabilities(NodeGetCapabilitiesRequest.getDefaultInstance())
                        .getCapabilitiesList())
                .extracting(one -> one.getRpc().getTypeValue())
                .containsExactly(
                        FakeCapability.NODE_SINGLE_NODE_MULTI_WRITER.number(),
                        FakeCapability.VOLUME_MOUNT_GROUP.number());
        refused(UNIMPLEMENTED, () -> walk.create("v"));
        refused(UNIMPLEMENTED, () -> walk.stage(Volume.getDefaultInstance(), Map.of(), "/s"));
    }

    @Test
    void contradictingOptionsAreRefused() {
        assertThatThrownBy(() -> FakeCsiPlugin.builder()
                        .inlineVolumes(List.of("a"))
                        .with(FakeCapability.CONTROLLER_SERVICE, FakeCapability.STAGE_UNSTAGE_VOLUME)
                        .controllerOnly()
                        .inlineLimit(-1)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("inlineVolumes excludes [CONTROLLER_SERVICE, STAGE_UNSTAGE_VOLUME]")
                .hasMessageContaining("leave controllerOnly out")
                .hasMessageContaining("inlineLimit must not be negative");
        assertThatThrownBy(() -> FakeCsiPlugin.builder().inlineLimit(1).build())
                .hasMessageContaining("inlineLimit needs inlineVolumes");
    }

    @Test
    void killedProcessKeepsVolumesAndMountsTheirAttributes() throws Exception {
        Machine.assumeRoot();
        String endpoint = "unix://" + directory.resolve("p.sock");
        Path state = directory.resolve("state");
        try (FakePluginProcess process = FakePluginProcess.builder(endpoint)
                .stateDir(state)
                .inlineVolumes("subject", "issuer")
                .start()) {
            process.onCall(Rpc.NODE_PUBLISH_VOLUME).once().crashAfterEffect();
            try (PluginClient first = PluginClient.on(endpoint)) {
                refused(
                        UNAVAILABLE,
                        () -> first.node()
                                .nodePublishVolume(request("inline-1", "t1").build()));
            }
            process.restart();
            assertThat(FakeStorage.inDirectory(state, 1).inlineVolumeIds(NODE)).containsExactly("inline-1");
            assertThat(process.leaks()).contains(new Leak(Leak.Kind.INLINE_VOLUME, "inline-1", NODE));
            assertThat(directory.resolve("t1/attributes"))
                    .hasContent("csi.storage.k8s.io/ephemeral=true\nsubject=web\n");
            process.killForcibly();
            // The machine starts again: its mounts are gone, and the storage forgets them.
            Machine.cleanUp(directory);
            FakeStorage.inDirectory(state, 1).nodeIsGone(NODE);
            process.restart();
            assertThat(FakeStorage.inDirectory(state, 1).inlineVolumeIds(NODE)).containsExactly("inline-1");
            try (PluginClient second = PluginClient.on(endpoint)) {
                var unused = second.node()
                        .nodePublishVolume(request("inline-1", "t1").build());
                assertThat(directory.resolve("t1/attributes")).exists();
                new Walk(second, NODE)
                        .unpublish("inline-1", directory.resolve("t1").toString());
            }
            assertThat(process.leaks()).isEmpty();
            assertThat(Files.exists(directory.resolve("t1"))).isFalse();
            assertThat(Machine.mountsBelow(directory)).isZero();
            try (var contents = Files.list(state.resolve("data/volumes"))) {
                assertThat(contents).isEmpty();
            }
        }
    }
}
