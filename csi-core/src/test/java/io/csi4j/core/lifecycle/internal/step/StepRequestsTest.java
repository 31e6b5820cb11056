package io.csi4j.core.lifecycle.internal.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StepRequestsTest {
    private static final RequestedCapability READ = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY);
    private static final Secrets SECRETS = Secrets.of(Map.of("password", "hunter2"));
    private static final NodeId NODE = NodeId.of("n1");
    private static final MountOptions EFFECTIVE = MountOptions.of("ext4", "noatime");

    private final Claim claim = Claim.builder(AllocationId.of("a"), NODE, ClaimMode.READ, READ)
            .externalNodeId(ExternalNodeId.of("ext-n1"))
            .mountOptions(MountOptions.of("", "noatime"))
            .build();
    private final Attachment attachment = Attachment.builder(NODE, READ)
            .externalNodeId(ExternalNodeId.of("ext-n1"))
            .readonly(true)
            .mountOptions(EFFECTIVE)
            .build();
    private final Volume volume = Volume.builder(
                    VolumeKey.of("ns", "vol"),
                    spec().mountOptions(MountOptions.of("ext4", "ro"))
                            .volumeContext(VolumeContext.of(Map.of("k", "v")))
                            .build(),
                    1,
                    Instant.EPOCH)
            .claims(Claims.empty().with(claim))
            .attachments(Attachments.empty().with(attachment))
            .build();

    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("ext-vol");
    private final Volume known = volume.toBuilder()
            .spec(volume.spec().toBuilder().externalVolumeId(EXTERNAL).build())
            .build();

    @Test
    void requestHasVolumeIdIfExternalIdIsNotSet() {
        ExternalVolumeId id = ExternalVolumeId.of("vol");
        assertThat(PublishStep.request(volume, attachment, SECRETS).volumeId()).isEqualTo(id);
        assertThat(UnpublishStep.request(volume, attachment, SECRETS).volumeId())
                .isEqualTo(id);
        assertThat(ModifyStep.request(volume, Map.of("a", "b"), SECRETS).volumeId())
                .isEqualTo(id);
        assertThat(ExpandStep.request(volume, CapacityRange.atLeast(1), SECRETS).volumeId())
                .isEqualTo(id);
        assertThat(NodeDetach.of(volume, claim).externalVolumeId()).isEqualTo(id);
        assertThat(NodeExpand.of(volume, claim, CapacityRange.atLeast(1), SECRETS)
                        .externalVolumeId())
                .isEqualTo(id);
    }

    @Test
    void publishRequestHasFieldsOfStoredAttachment() {
        var request = PublishStep.request(volume, attachment, SECRETS);
        assertThat(request.nodeId()).isEqualTo(ExternalNodeId.of("ext-n1"));
        assertThat(request.readonly()).isTrue();
        assertThat(request.volumeCapability())
                .isEqualTo(VolumeCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY, EFFECTIVE.toMountVolume()));
        assertThat(request.volumeContext()).isEqualTo(volume.volumeContext());
        assertThat(request.secrets()).isEqualTo(SECRETS);
        assertThat(PublishStep.request(volume, attachment, SECRETS)).isEqualTo(request);
        assertThat(request.toString()).doesNotContain("hunter2").doesNotContain("noatime");
    }

    /** Only the node service can have VOLUME_MOUNT_GROUP. */
    @Test
    void requestsToTheControllerHaveNoGroup() {
        MountOptions grouped = new MountOptions("ext4", MountFlags.of("noatime"), "3000");
        List<VolumeCapability> expected =
                List.of(VolumeCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY, EFFECTIVE.toMountVolume()));
        VolumeSpec spec = spec().requestedCapabilities(List.of(READ))
                .mountOptions(grouped)
                .build();
        assertThat(spec.volumeCapabilities()).isEqualTo(expected);
        Attachment attached = attachment.toBuilder().mountOptions(grouped).build();
        assertThat(PublishStep.request(volume, attached, SECRETS).volumeCapability())
                .isEqualTo(expected.get(0));
        Volume unused = Volume.builder(VolumeKey.of("ns", "vol"), spec, 1, Instant.EPOCH)
                .build();
        assertThat(ExpandStep.request(unused, CapacityRange.atLeast(1), SECRETS).volumeCapability())
                .isEqualTo(Optional.of(expected.get(0)));
    }

    @Test
    void unpublishRequestHasExternalNodeIdAndSecrets() {
        var request = UnpublishStep.request(volume, attachment, SECRETS);
        assertThat(request.nodeId()).contains(ExternalNodeId.of("ext-n1"));
        assertThat(request.secrets()).isEqualTo(SECRETS);
    }

    @Test
    void unpublishTakesExternalNodeIdFromClaimIfAttachmentHasNone() {
        Attachment old = attachment.toBuilder().externalNodeId(null).build();
        assertThat(UnpublishStep.request(volume, old, SECRETS).nodeId()).contains(ExternalNodeId.of("ext-n1"));
        Volume forgotten = volume.toBuilder().claims(Claims.empty()).build();
        assertThatThrownBy(() -> UnpublishStep.request(forgotten, old, SECRETS))
                .isInstanceOf(CsiException.class)
                .hasMessageContaining("n1")
                .hasMessageContaining("override");
    }

    @Test
    void nodeDetachRequestHasAllFields() {
        NodeDetach detach = NodeDetach.of(known, claim);
        assertThat(detach)
                .isEqualTo(new NodeDetach(
                        VolumeKey.of("ns", "vol"),
                        PluginId.of("plugin"),
                        EXTERNAL,
                        AllocationId.of("a"),
                        Optional.of(ExternalNodeId.of("ext-n1")),
                        ClaimMode.READ,
                        READ,
                        EFFECTIVE));
        assertThat(detach.toString()).doesNotContain("noatime");
    }

    @Test
    void nodeDetachRequestNamesVolumeByWhichTheNodeKnowsIt() {
        VolumeKey former = VolumeKey.of("ns", "former");
        Claim adopted = claim.toBuilder().formerVolume(former).build();
        assertThat(NodeDetach.of(known, adopted).volume()).isEqualTo(former);
    }

    @Test
    void nodeExpandRequestHasAllFields() {
        NodeExpand expand = NodeExpand.of(known, claim, CapacityRange.atLeast(1), SECRETS);
        assertThat(expand)
                .isEqualTo(new NodeExpand(
                        VolumeKey.of("ns", "vol"),
                        PluginId.of("plugin"),
                        EXTERNAL,
                        AllocationId.of("a"),
                        READ,
                        EFFECTIVE,
                        CapacityRange.atLeast(1),
                        SECRETS));
        assertThat(expand.toString()).doesNotContain("hunter2");
    }

    @Test
    void expandRequestForUnusedVolumeHasCapabilityOnlyIfVolumeHasExactlyOne() {
        Volume unused = volume.toBuilder()
                .claims(Claims.empty())
                .attachments(Attachments.empty())
                .build();
        assertThat(expansionOf(unused, READ)).contains(READ.toVolumeCapability(MountOptions.of("")));
        assertThat(expansionOf(unused, READ, RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .isEmpty();
    }

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PluginId.of("plugin"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)))
                .secrets(SECRETS);
    }

    private static Optional<VolumeCapability> expansionOf(Volume volume, RequestedCapability... capabilities) {
        Volume declared = volume.toBuilder()
                .spec(spec().requestedCapabilities(List.of(capabilities)).build())
                .build();
        return ExpandStep.request(declared, CapacityRange.atLeast(1), SECRETS).volumeCapability();
    }
}
