package io.csi4j.core.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VolumeTest {
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final NodeId NODE = NodeId.of("n");

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PluginId.of("p")).requestedCapabilities(List.of(WRITER));
    }

    private static Volume.Builder volume(VolumeSpec spec) {
        return Volume.builder(VolumeKey.of("default", "v"), spec, 7, Instant.EPOCH);
    }

    private static Claim claim(ClaimState state) {
        return Claim.builder(AllocationId.of("a"), NODE, ClaimMode.WRITE, WRITER)
                .state(state)
                .build();
    }

    @Test
    void remoteIdIsReportedIdOrElseDeclaredIdOrElseVolumeId() {
        assertThat(volume(spec().build()).build().remoteId()).isEqualTo(ExternalVolumeId.of("v"));
        Volume declared = volume(
                        spec().externalVolumeId(ExternalVolumeId.of("ext")).build())
                .build();
        assertThat(declared.remoteId()).isEqualTo(ExternalVolumeId.of("ext"));
        assertThat(declared.externalVolumeId()).contains(ExternalVolumeId.of("ext"));
        Volume creating = volume(spec().build()).origin(VolumeOrigin.CREATED).build();
        assertThat(creating.externalVolumeId())
                .as("the external id is not known yet")
                .isEmpty();
        Volume created = creating.toBuilder()
                .facts(ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("made"))
                        .build())
                .build();
        assertThat(created.remoteId()).isEqualTo(ExternalVolumeId.of("made"));
    }

    @Test
    void changingCopyLeavesOriginalVolumeUnchanged() {
        Volume original = volume(spec().build())
                .claims(Claims.of(List.of(claim(ClaimState.TAKEN))))
                .build();
        Volume copy = original.toBuilder().build();
        assertThat(copy).isEqualTo(original);
        Volume changed = original.toBuilder()
                .claims(original.claims().with(claim(ClaimState.UNPUBLISHING)))
                .spec(original.spec().toBuilder()
                        .mountOptions(MountOptions.of("xfs"))
                        .build())
                .modified(9, Instant.EPOCH.plusSeconds(1))
                .build();
        assertThat(copy).isEqualTo(original).isNotEqualTo(changed);
        assertThat(original.claims().get(AllocationId.of("a"))).contains(claim(ClaimState.TAKEN));
        assertThat(changed.key()).isSameAs(original.key());
        assertThat(changed.createIndex()).isEqualTo(7);
        assertThat(changed.modifyIndex()).isEqualTo(9);
    }

    @Test
    void volumeIsUnsettledWhileClaimAttachmentOrPhaseIsInTransition() {
        Volume idle = volume(spec().build()).build();
        assertThat(idle.unsettled()).isFalse();
        assertThat(idle.inUse()).isFalse();
        for (ClaimState state : ClaimState.values()) {
            Volume claimed =
                    idle.toBuilder().claims(Claims.of(List.of(claim(state)))).build();
            assertThat(claimed.unsettled()).as("%s", state).isEqualTo(state != ClaimState.TAKEN);
            assertThat(claimed.inUse()).isTrue();
            assertThat(claimed.isOn(NODE)).isTrue();
            assertThat(claimed.isOn(NodeId.of("m"))).isFalse();
        }
        for (AttachmentState state : AttachmentState.values()) {
            Volume attached = idle.toBuilder()
                    .attachments(Attachments.empty()
                            .with(Attachment.builder(NODE, WRITER).state(state).build()))
                    .build();
            assertThat(attached.unsettled()).as("%s", state).isEqualTo(state != AttachmentState.PUBLISHED);
            assertThat(attached.inUse()).isTrue();
            assertThat(attached.isOn(NODE)).isTrue();
        }
        for (VolumePhase phase : VolumePhase.values()) {
            assertThat(idle.toBuilder().phase(phase).build().unsettled())
                    .as("%s", phase)
                    .isEqualTo(phase != VolumePhase.AVAILABLE);
        }
    }

    @Test
    void toStringHidesSensitiveValuesAndShowsLastErrors() {
        Map<String, String> secret = Map.of("key", "hunter2");
        Volume volume = volume(spec().secrets(Secrets.of(secret))
                        .mountOptions(MountOptions.of("ext4", "hunter2"))
                        .parameters(secret)
                        .mutableParameters(secret)
                        .volumeContext(VolumeContext.of(secret))
                        .build())
                .facts(ProviderFacts.builder()
                        .volumeContext(VolumeContext.of(secret))
                        .build())
                .build();
        Attempt attempt = Attempt.failed("NodeUnpublishVolume failed (INTERNAL)", Instant.EPOCH);
        Claim claim = claim(ClaimState.TAKEN).toBuilder()
                .mountOptions(MountOptions.of("", "hunter2"))
                .retry(Retry.none().plus(attempt))
                .build();
        Attachment attachment = Attachment.builder(NODE, WRITER)
                .mountOptions(MountOptions.of("", "hunter2"))
                .publishContext(PublishContext.of(secret))
                .retry(Retry.none().plus(attempt))
                .build();
        Volume full = volume.toBuilder()
                .claims(Claims.empty().with(claim))
                .attachments(Attachments.empty().with(attachment))
                .build();
        assertThat(full.toString()
                        + volume.spec()
                        + volume.facts()
                        + claim
                        + attachment
                        + attempt
                        + full.claims()
                        + full.attachments())
                .doesNotContain("hunter2")
                .contains("default/v", "n");
        for (Object shown : List.of(claim, attachment, attachment.retry(), attempt)) {
            assertThat(shown.toString()).contains("NodeUnpublishVolume failed (INTERNAL)");
        }
    }

    @Test
    void toBuilderKeepsEveryFieldOfClaimsAndAttachments() {
        Claim claim = claim(ClaimState.UNPUBLISHING).toBuilder()
                .mountOptions(MountOptions.of("xfs"))
                .createIndex(3)
                .retry(Retry.of(2, "e", Instant.EPOCH))
                .operatorOverride(new OperatorOverride("w", "y", Instant.EPOCH))
                .build();
        assertThat(claim.toBuilder().build()).isEqualTo(claim).hasSameHashCodeAs(claim);
        assertThat(List.of(
                        claim.toBuilder().mountOptions(MountOptions.none()).build(),
                        claim.toBuilder().createIndex(4).build(),
                        claim.toBuilder().retry(Retry.none()).build(),
                        claim.toBuilder().operatorOverride(null).build(),
                        claim.toBuilder().state(ClaimState.TAKEN).build()))
                .doesNotContain(claim)
                .doesNotHaveDuplicates();
        Attachment attachment = Attachment.builder(NODE, WRITER)
                .readonly(true)
                .mountOptions(MountOptions.of("xfs"))
                .state(AttachmentState.PUBLISHED)
                .publishContext(PublishContext.of(Map.of("a", "b")))
                .createIndex(3)
                .retry(Retry.of(2, "e", Instant.EPOCH))
                .operatorOverride(new OperatorOverride("w", "y", Instant.EPOCH))
                .build();
        assertThat(attachment.toBuilder().build()).isEqualTo(attachment).hasSameHashCodeAs(attachment);
        assertThat(List.of(
                        attachment.toBuilder().readonly(false).build(),
                        attachment.toBuilder().mountOptions(MountOptions.none()).build(),
                        attachment.toBuilder()
                                .state(AttachmentState.UNPUBLISHING)
                                .build(),
                        attachment.toBuilder()
                                .publishContext(PublishContext.empty())
                                .build(),
                        attachment.toBuilder().createIndex(4).build(),
                        attachment.toBuilder().retry(Retry.none()).build(),
                        attachment.toBuilder().operatorOverride(null).build()))
                .doesNotContain(attachment)
                .doesNotHaveDuplicates();
    }

    @Test
    void failedAttemptReportedTwiceIsCountedOnce() {
        Attempt first = Attempt.failed("busy", Instant.EPOCH);
        Retry once = Retry.none().plus(first);
        assertThat(once.attempts()).isEqualTo(1);
        assertThat(once.plus(first)).isEqualTo(once);
        assertThat(once.plus(Attempt.failed("busy", Instant.EPOCH.plusSeconds(1)))
                        .attempts())
                .isEqualTo(2);
        assertThat(Retry.of(0, null, null)).isSameAs(Retry.none());
    }

    @Test
    void overrideWithoutOperatorOrReasonIsRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new OperatorOverride("", "y", Instant.EPOCH));
        assertThatIllegalArgumentException().isThrownBy(() -> new OperatorOverride("w", "", Instant.EPOCH));
        assertThatIllegalArgumentException().isThrownBy(() -> FencingPolicy.afterGrace(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProviderFacts.builder().capacityBytes(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> Retry.of(-1, null, null));
    }

    @Test
    void topologyWithAdditionalSegmentsContainsTopologyWithFewerSegments() {
        Topology rack = new Topology(Map.of("zone", "z1", "rack", "r1"));
        assertThat(rack.contains(rack)).isTrue();
        assertThat(rack.contains(Topology.of("zone", "z1")))
                .as("additional segments are allowed")
                .isTrue();
        assertThat(rack.contains(Topology.of("Zone", "z1")))
                .as("case of keys is ignored")
                .isTrue();
        assertThat(rack.contains(Topology.of("zone", "Z1")))
                .as("case of values matters")
                .isFalse();
        assertThat(rack.contains(Topology.of("zone", "z2"))).isFalse();
        assertThat(Topology.of("zone", "z1").contains(rack))
                .as("a segment is missing")
                .isFalse();
        assertThat(rack.containsAny(List.of())).isFalse();
        assertThat(rack.containsAny(List.of(Topology.of("zone", "z2"), Topology.of("rack", "r1"))))
                .isTrue();
        assertThat(new LinkedHashMap<>(rack.segments())).hasSize(2);
    }

    @Test
    void phaseNeverReturnsToCreating() {
        for (VolumePhase from : VolumePhase.values()) {
            for (VolumePhase to : VolumePhase.values()) {
                assertThat(from.mayBecome(to)).isEqualTo(to != VolumePhase.CREATING || from == VolumePhase.CREATING);
            }
        }
    }
}
