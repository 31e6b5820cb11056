package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.placement.ProposedPlacement;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A volume is staged on a node with one set of mount options. Placement and claims must both respect that. */
class MountOptionsInUseTest {
    private static final Namespace NAMESPACE = Namespace.of("default");

    private static final MountOptions EXT4 = MountOptions.of("ext4", "noatime", "discard");
    private static final MountOptions XFS = MountOptions.of("xfs");

    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);

    private static ClaimRequest read(MountOptions options) {
        return request(ClaimMode.READ, options);
    }

    private static ClaimRequest request(ClaimMode mode, MountOptions options) {
        return new ClaimRequest(vol("v"), mode, RequestedCapability.mount(MULTI_NODE_MULTI_WRITER), options);
    }

    private void held(String allocation, String node, MountOptions options) {
        cluster.allocation(allocation, node);
        cluster.ok(take(allocation, read(options)));
    }

    /**
     * Returns the refusal, after a check that placement and the claim command decide alike; empty if the claim was
     * taken.
     */
    private Optional<AdmissionDecision> decision(String allocation, String node, ClaimRequest... requests) {
        ClaimRequest[] merged = ClaimRequest.merged(List.of(requests)).toArray(ClaimRequest[]::new);
        NodeAnswer placement = FeasibleNodes.in(cluster.state).on(NAMESPACE, NodeId.of(node), List.of(requests));
        if (placement.admitted()) {
            cluster.allocation(allocation, node);
            cluster.ok(take(allocation, merged));
            return Optional.empty();
        }
        cluster.allocation(allocation, node);
        AdmissionDecision refused = cluster.refused(Rejection.NotAdmitted.class, take(allocation, merged))
                .decision();
        assertThat(placement.refusals().get(vol("v"))).isEqualTo(refused);
        return Optional.of(refused);
    }

    private static WaitReason waits(Optional<AdmissionDecision> decision) {
        return ((AdmissionDecision.Wait) decision.orElseThrow()).reason();
    }

    private static NeverReason never(Optional<AdmissionDecision> decision) {
        return ((AdmissionDecision.Never) decision.orElseThrow()).reason();
    }

    @Test
    void claimWithOtherMountOptionsWaitsUntilVolumeIsUnstaged() {
        held("a", "n1", EXT4);
        Optional<AdmissionDecision> refused = decision("b", "n1", read(XFS));
        assertThat(waits(refused)).isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
        assertThat(((AdmissionDecision.Wait) refused.orElseThrow()).holders())
                .extracting(holder -> holder.allocationId())
                .containsExactly(alloc("a"));
        assertThat(refused.toString()).doesNotContain("noatime");
        cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
        assertThat(waits(decision("b", "n1", read(XFS))))
                .as("the volume may still be staged")
                .isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
        cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
        assertThat(decision("b", "n1", read(XFS))).isEmpty();
    }

    @Test
    void claimWithExplicitMountOptionsWaitsForClaimWithDefaultOptions() {
        held("a", "n1", MountOptions.none());
        assertThat(waits(decision("b", "n1", read(XFS)))).isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
        held("c", "n2", XFS);
        assertThat(waits(decision("d", "n2", read(MountOptions.none()))))
                .isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
    }

    @Test
    void claimIsAdmittedWithReorderedMountOptionsOrOnOtherNode() {
        held("a", "n1", EXT4);
        assertThat(decision("b", "n1", read(MountOptions.of("ext4", "discard", "noatime"))))
                .isEmpty();
        assertThat(decision("c", "n2", read(XFS))).isEmpty();
    }

    @Test
    void pluginWithoutStagingAllowsDifferentMountOptionsPerClaim() {
        cluster.fingerprint(
                "n1",
                cluster.instance("n1").capabilities(known -> known.withNode()).build());
        held("a", "n1", EXT4);
        assertThat(decision("b", "n1", read(XFS))).isEmpty();
    }

    @Test
    void placementRespectsMountOptionsOfEarlierProposedPlacement() {
        FeasibleNodes plan = FeasibleNodes.in(cluster.state)
                .with(new ProposedPlacement(alloc("a"), NAMESPACE, NodeId.of("n1"), List.of(read(EXT4))));
        assertThat(plan.on(NAMESPACE, NodeId.of("n1"), List.of(read(XFS))).admitted())
                .isFalse();
        assertThat(plan.on(NAMESPACE, NodeId.of("n2"), List.of(read(XFS))).admitted())
                .isTrue();
    }

    @Test
    void readAndWriteRequestsOfAllocationBecomeOneWritingClaim() {
        assertThat(decision("a", "n1", read(EXT4), request(ClaimMode.WRITE, EXT4)))
                .isEmpty();
        assertThat(cluster.claimOf("v", "a").orElseThrow().mode()).isEqualTo(ClaimMode.WRITE);
        assertThat(cluster.get("v").claims().size()).isEqualTo(1);
        assertThat(decision("a", "n1", request(ClaimMode.WRITE, EXT4), read(EXT4)))
                .as("the repeated claim is admitted")
                .isEmpty();
    }

    /** Each of the allocations has mounts with different flags, so the volume is staged with its own flags for both. */
    @Test
    void allocationsWithSeveralMountsEachShareStaging() {
        ClaimRequest nosuid = read(MountOptions.of("", "nosuid"));
        ClaimRequest noexec = read(MountOptions.of("", "noexec"));
        assertThat(decision("a", "n1", nosuid, noexec)).isEmpty();
        assertThat(decision("b", "n1", noexec, read(MountOptions.none()))).isEmpty();
        assertThat(waits(decision("c", "n1", nosuid))).isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
        assertThat(cluster.get("v").claims().size()).isEqualTo(2);
    }

    @Test
    void allocationWithTwoSetsOfMountOptionsIsNeverAdmitted() {
        assertThat(never(decision("a", "n1", read(EXT4), read(XFS)))).isEqualTo(NeverReason.REQUESTED_DIFFERENTLY);
        held("b", "n1", XFS);
        assertThat(never(decision("a", "n1", read(EXT4), read(XFS))))
                .as("a release of the other claim would not help")
                .isEqualTo(NeverReason.REQUESTED_DIFFERENTLY);
    }

    @Test
    void repeatedClaimWithOtherMountOptionsIsRejected() {
        held("a", "n1", EXT4);
        assertThat(cluster.ok(take("a", read(EXT4))).changed()).isTrue();
        for (MountOptions other : List.of(XFS, MountOptions.none(), MountOptions.of("ext4"))) {
            AdmissionDecision refused = cluster.refused(Rejection.NotAdmitted.class, take("a", read(other)))
                    .decision();
            assertThat(((AdmissionDecision.Never) refused).reason()).isEqualTo(NeverReason.CLAIMED_DIFFERENTLY);
        }
    }
}
