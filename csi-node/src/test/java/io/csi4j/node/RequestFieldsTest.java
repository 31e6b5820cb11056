package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each field of a mount request reaches the plugin, at the first mount and when the mount is made again from the ledger. */
class RequestFieldsTest {
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final RequestedCapability DEVICE =
            RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final MountOptions OPTIONS = new MountOptions("xfs", MountFlags.of("noatime", "nodev"), "1234");
    private static final PublishContext PUBLISH = PublishContext.of(Map.of("device", "/dev/x", "lun", "7"));
    private static final VolumeContext VOLUME = VolumeContext.of(Map.of("share", "exports/1"));
    private static final Secrets STAGE_SECRETS = Secrets.of(Map.of("key", "for-the-staging"));
    private static final Secrets PUBLISH_SECRETS = Secrets.of(Map.of("key", "for-the-target"));
    private static final VolumeCapability AS_MOUNT = VolumeCapability.mount(
            VolumeAccessMode.MULTI_NODE_MULTI_WRITER,
            MountVolume.builder()
                    .fsType("xfs")
                    .mountFlags(MountFlags.of("noatime", "nodev"))
                    .volumeMountGroup("1234")
                    .build());
    private static final VolumeCapability AS_DEVICE = VolumeCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    @TempDir
    Path base;

    private Bench bench;

    private void open(boolean stages) {
        bench = new Bench(base, 1, stages);
        bench.node.offers.add(NodeCapability.VOLUME_MOUNT_GROUP);
        bench.secrets =
                (id, allocation) -> CompletableFuture.completedFuture(new MountSecrets(STAGE_SECRETS, PUBLISH_SECRETS));
    }

    private static NodeMount granted(ClaimMode mode, RequestedCapability capability) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .externalVolumeId(ExternalVolumeId.of("ext-v"))
                .requestedCapabilities(List.of(capability))
                .volumeContext(VOLUME)
                .build();
        Volume volume =
                Volume.builder(VolumeKey.of("ns", "v"), spec, 1, Instant.EPOCH).build();
        VolumeView view = new VolumeView(
                volume, PluginView.of(volume.pluginId(), List.of(), List.of(), Optional.empty()), List.of());
        Claim claim = Claim.builder(AllocationId.of("a"), NodeId.of("n"), mode, capability)
                .build();
        return NodeMount.of(new VolumeGrant(view, claim, PUBLISH, OPTIONS, STAGE_SECRETS, PUBLISH_SECRETS));
    }

    private static NodeStageVolumeRequest stage(String path, VolumeCapability capability) {
        return NodeStageVolumeRequest.builder(ExternalVolumeId.of("ext-v"), path, capability)
                .publishContext(PUBLISH)
                .volumeContext(VOLUME)
                .secrets(STAGE_SECRETS)
                .build();
    }

    private NodePublishVolumeRequest.Builder publish(VolumeCapability capability, boolean readonly) {
        return NodePublishVolumeRequest.builder(ExternalVolumeId.of("ext-v"), bench.target("v", "a"), capability)
                .publishContext(PUBLISH)
                .volumeContext(VOLUME)
                .readonly(readonly)
                .secrets(PUBLISH_SECRETS);
    }

    private void sends(NodeMount mount, VolumeCapability capability, boolean readonly) {
        bench.done(bench.volumes.mount(mount));
        sent(capability, readonly);
        bench.crash();
        bench.node.reboot();
        bench.node.stageRequests.clear();
        bench.node.publishRequests.clear();
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        sent(capability, readonly);
    }

    private void sent(VolumeCapability capability, boolean readonly) {
        String staged = bench.node.staged.get("ext-v");
        assertThat(staged).startsWith(base.toAbsolutePath() + "/staging/ns/v/");
        assertThat(bench.node.stageRequests).containsExactly(stage(staged, capability));
        assertThat(bench.node.publishRequests)
                .containsExactly(
                        publish(capability, readonly).stagingTargetPath(staged).build());
    }

    @Test
    void writableMountSendsAllFields() {
        open(true);
        sends(granted(ClaimMode.WRITE, SHARED), AS_MOUNT, false);
    }

    @Test
    void readOnlyMountSendsReadonlyFlag() {
        open(true);
        sends(granted(ClaimMode.READ, SHARED), AS_MOUNT, true);
    }

    @Test
    void requestForBlockDeviceHasNoMountOptions() {
        open(true);
        sends(granted(ClaimMode.WRITE, DEVICE), AS_DEVICE, false);
    }

    @Test
    void readOnlyBlockDeviceSendsReadonlyFlag() {
        open(true);
        sends(granted(ClaimMode.READ, DEVICE), AS_DEVICE, true);
    }

    @Test
    void publishRequestOfPluginWithoutStagingHasNoStagingPath() {
        open(false);
        bench.done(bench.volumes.mount(granted(ClaimMode.READ, SHARED)));
        assertThat(bench.node.stageRequests).isEmpty();
        assertThat(bench.node.publishRequests)
                .containsExactly(publish(AS_MOUNT, true).build());
    }

    @Test
    void mountWithReaderOnlyAccessModeIsAlwaysReadonly() {
        open(true);
        NodeMount mount = NodeMount.builder(
                        Bench.id("v"),
                        AllocationId.of("a"),
                        RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY))
                .build();
        bench.done(bench.volumes.mount(mount));
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::readonly)
                .containsExactly(true);
    }
}
