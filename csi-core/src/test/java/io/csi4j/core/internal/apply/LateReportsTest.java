package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reports of sizes, failures, nodes and allocations that are late, repeated or about something that has changed. */
class LateReportsTest {
    private static final NodeId NODE = NodeId.of("n1");
    private static final VolumeAccessMode MODE = VolumeAccessMode.SINGLE_NODE_WRITER;
    private static final CapacityRange TO_200 = CapacityRange.atLeast(200);
    private static final CapacityRange TO_300 = CapacityRange.atLeast(300);

    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MODE);

    private ChangeCommand.RecordExpanded expanded(CapacityRange range, long size) {
        return new ChangeCommand.RecordExpanded(vol("v"), cluster.get("v").createIndex(), range, size, true, AT);
    }

    private long size() {
        return cluster.get("v").facts().capacityBytes();
    }

    @Test
    void lateReportOfEarlierExpansionDoesNotShrinkVolume() {
        cluster.ok(new ChangeCommand.BeginExpansion(vol("v"), TO_200, AT));
        cluster.ok(expanded(TO_200, 250));
        assertThat(size()).isEqualTo(250);
        cluster.ok(new ChangeCommand.BeginExpansion(vol("v"), TO_300, AT));
        cluster.ok(expanded(TO_200, 210));
        assertThat(size()).isEqualTo(250);
        assertThat(cluster.get("v").expansionTo(TO_300, Expansion.Stage.CONTROLLER))
                .as("the later expansion is still to be made")
                .isPresent();
        cluster.ok(expanded(TO_300, 300));
        assertThat(size()).isEqualTo(300);
        assertThat(cluster.get("v").expansionTo(TO_300, Expansion.Stage.NODES)).isPresent();
    }

    @Test
    void nodesExpandVolumeOfWithdrawnExpansionOnlyIfItGrew() {
        cluster.ok(new ChangeCommand.BeginExpansion(vol("v"), TO_200, AT));
        cluster.ok(expanded(TO_200, 200));
        cluster.ok(new ChangeCommand.BeginExpansion(vol("v"), TO_300, AT));
        ChangeCommand.WithdrawExpansion withdrawn =
                new ChangeCommand.WithdrawExpansion(vol("v"), cluster.get("v").createIndex(), TO_300, AT);
        cluster.unchanged(
                new ChangeCommand.WithdrawExpansion(vol("v"), cluster.get("v").createIndex() + 1, TO_300, AT));
        assertThat(cluster.get("v").expansion()).isPresent();
        cluster.ok(withdrawn);
        assertThat(cluster.get("v").expansion()).isEmpty();
        cluster.unchanged(expanded(TO_300, 200));
        assertThat(cluster.get("v").expansion()).isEmpty();
        cluster.ok(expanded(TO_300, 300));
        assertThat(cluster.get("v").expansionTo(TO_300, Expansion.Stage.NODES)).isPresent();
    }

    private static ChangeCommand.RecordNodeExpansion expandedOn(Claim claim, CapacityRange range) {
        return new ChangeCommand.RecordNodeExpansion(
                vol("shared"), claim.allocationId(), claim.createIndex(), range, 210, AT);
    }

    private static CallCommand.RecordCallError failedOn(Claim claim, CapacityRange range, Attempt attempt) {
        return new CallCommand.RecordCallError(
                vol("shared"),
                new CallTarget.OfNodeExpansion(claim.allocationId(), claim.createIndex(), range),
                attempt,
                AT);
    }

    private Optional<Expansion.OnNode> part(Claim claim) {
        return cluster.get("shared").expansion().orElseThrow().of(claim);
    }

    @Test
    void reportOfNodeExpansionCountsForItsClaimAndRangeOnly() {
        VolumeAccessMode shared = VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
        cluster.volume("shared", shared);
        Claim one = cluster.claim("a", "n1", "shared", WRITE, shared);
        Claim two = cluster.claim("b", "n2", "shared", WRITE, shared);
        Claim leaving = cluster.claim("c", "n2", "shared", WRITE, shared);
        Claim waiting = cluster.claim("d", "n2", "shared", WRITE, shared);
        long index = cluster.get("shared").createIndex();
        cluster.unchanged(expandedOn(one, TO_200));
        cluster.ok(new ChangeCommand.BeginExpansion(vol("shared"), TO_200, AT));
        cluster.unchanged(expandedOn(one, TO_200));
        cluster.ok(new ChangeCommand.RecordExpanded(vol("shared"), index, TO_200, 200, true, AT));
        cluster.ok(checkpoint("shared", "c", ClaimState.UNPUBLISHING));

        Claim earlier = one.toBuilder().createIndex(one.createIndex() - 1).build();
        cluster.unchanged(expandedOn(earlier, TO_200));
        cluster.unchanged(expandedOn(one, TO_300));
        cluster.unchanged(expandedOn(leaving, TO_200));
        Attempt again = Attempt.failed("busy", AT.plusSeconds(1));
        cluster.unchanged(failedOn(earlier, TO_200, again));
        cluster.unchanged(failedOn(leaving, TO_200, again));
        assertThat(part(one)).isEmpty();

        cluster.ok(failedOn(one, TO_200, again));
        cluster.ok(failedOn(one, TO_200, Attempt.failed("busy", AT.plusSeconds(2))));
        assertThat(part(one).orElseThrow().retry().attempts()).isEqualTo(2);
        cluster.ok(expandedOn(one, TO_200));
        assertThat(part(one)).contains(new Expansion.OnNode(one.createIndex(), true, 210, Retry.none()));
        cluster.unchanged(failedOn(one, TO_200, again));

        cluster.ok(failedOn(two, TO_200, new Attempt("too large", Optional.empty())));
        assertThat(part(two).orElseThrow().retry().refused()).isTrue();
        cluster.unchanged(failedOn(two, TO_200, again));
        cluster.unchanged(expandedOn(two, TO_200));
        assertThat(part(two).orElseThrow().done()).isFalse();
        assertThat(part(waiting)).as("a report about another claim").isEmpty();
    }

    @Test
    void requestedChangeReturnsStoredVolumeAlsoWhereItIsRepeated() {
        ChangeCommand.BeginExpansion begin = new ChangeCommand.BeginExpansion(vol("v"), TO_200, AT);
        for (int i = 0; i < 2; i++) {
            List<Effect.VolumeStored> stored = effects(cluster.ok(begin), Effect.VolumeStored.class);
            assertThat(stored).extracting(Effect.VolumeStored::volume).containsExactly(cluster.get("v"));
            assertThat(stored).extracting(Effect.VolumeStored::created).containsExactly(false);
        }
    }

    @Test
    void failureOfRefusedExpansionIsNotRecordedAgain() {
        cluster.ok(new ChangeCommand.BeginExpansion(vol("v"), TO_200, AT));
        cluster.ok(failed(new CallTarget.OfExpansion(TO_200), new Attempt("too large", Optional.empty())));
        cluster.unchanged(failed(new CallTarget.OfExpansion(TO_200), Attempt.failed("late", AT.plusSeconds(1))));
        assertThat(cluster.get("v").expansion().orElseThrow().retry().refused()).isTrue();
    }

    private static CallCommand.RecordCallError failed(CallTarget target, Attempt attempt) {
        return new CallCommand.RecordCallError(vol("v"), target, attempt, AT);
    }

    @Test
    void lateFailureOfEarlierClaimOrVolumeDoesNotDelayPresentOne() {
        Claim claim = cluster.claim("a", "n1", "v", WRITE, MODE);
        cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
        Attempt late = Attempt.failed("late", AT.plusSeconds(1));
        cluster.unchanged(failed(new CallTarget.OfClaim(alloc("a"), claim.takenIndex() + 1), late));
        cluster.ok(failed(new CallTarget.OfClaim(alloc("a"), claim.takenIndex()), late));
        assertThat(cluster.claimOf("v", "a").orElseThrow().retry().attempts()).isEqualTo(1);

        cluster.ok(new VolumeCommand.RegisterVolume(
                vol("new"), spec(MODE).build(), VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        Volume created = cluster.get("new");
        CallTarget earlier = new CallTarget.OfVolume(created.createIndex() + 1, VolumePhase.CREATING);
        cluster.unchanged(new CallCommand.RecordCallError(vol("new"), earlier, late, AT));
        assertThat(cluster.get("new").retry()).isEqualTo(Retry.none());
        assertThat(cluster.state
                        .apply(new CallCommand.BeginCall(vol("new"), earlier, AT))
                        .accepted())
                .as("the call about the earlier volume begins")
                .isFalse();
    }

    @Test
    void attachmentThatIsInUseIsNoOrphan() {
        cluster.claim("a", "n1", "v", WRITE, MODE);
        cluster.ok(published("v", "n1"));
        Rejection.AttachmentInUse refused = cluster.refused(
                Rejection.AttachmentInUse.class,
                new AttachmentCommand.RecordOrphan(
                        vol("v"),
                        NODE,
                        ExternalNodeId.of("ext-n1"),
                        cluster.get("v").modifyIndex(),
                        AT));
        assertThat(refused.message()).contains("a");
    }

    /** The volume may be gone, so a refusal of the next call must not make it available. */
    @Test
    void detachmentOfOrphanKeepsTheCallWhoseOutcomeIsNotKnown() {
        cluster.ok(new VolumeCommand.SetVolumePhase(vol("v"), VolumePhase.DELETING, AT));
        CallTarget deletion = new CallTarget.OfVolume(cluster.get("v").createIndex(), VolumePhase.DELETING);
        cluster.ok(new CallCommand.BeginCall(vol("v"), deletion, AT));
        cluster.ok(failed(deletion, Attempt.failed("no answer", AT.plusSeconds(1))));
        Optional<UnresolvedCall> unresolved = cluster.get("v").retry().unresolved();
        assertThat(unresolved).isPresent();
        cluster.ok(new AttachmentCommand.RecordOrphan(
                vol("v"), NODE, ExternalNodeId.of("ext-n1"), cluster.get("v").modifyIndex(), AT));
        cluster.ok(Cluster.unpublishing("v", "n1"));
        cluster.ok(new AttachmentCommand.RemoveAttachment(vol("v"), NODE, AT));
        Retry retry = cluster.get("v").retry();
        assertThat(retry.unresolved()).isEqualTo(unresolved);
        assertThat(retry.nextRetry()).isEmpty();
        assertThat(retry.attempts()).isZero();
    }

    @Test
    void overrideOfAttachmentKeepsFailedAttemptsOfItsDetachment() {
        cluster.claim("a", "n1", "v", WRITE, MODE);
        cluster.ok(published("v", "n1"));
        cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
        cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED));
        cluster.ok(Cluster.unpublishing("v", "n1"));
        assertThat(attachment().retry()).isEqualTo(Retry.none());
        cluster.ok(failed(
                new CallTarget.OfAttachment(NODE, attachment().createIndex()),
                Attempt.failed("no", AT.plusSeconds(1))));
        cluster.ok(new AttachmentCommand.OverrideAttachment(vol("v"), NODE, 0, "operator", "it is gone", AT));
        assertThat(attachment().retry().attempts()).isEqualTo(1);
        assertThat(attachment().operatorOverride()).isPresent();
    }

    private Attachment attachment() {
        return cluster.attachment("v", "n1").orElseThrow();
    }

    /** A node reports that it has a volume mounted for an allocation that the host has not reported. */
    private void adopted(NodeId node) {
        cluster.ok(new ClaimCommand.AdoptUses(
                vol("v"),
                node,
                List.of(new VolumeUse(
                        vol("v"),
                        Cluster.PLUGIN,
                        ExternalVolumeId.of("v"),
                        alloc("unknown"),
                        WRITE,
                        RequestedCapability.mount(MODE),
                        false)),
                AT));
        assertThat(cluster.claimOf("v", "unknown").map(Claim::state)).contains(ClaimState.TAKEN);
    }

    private void released(Command command) {
        Outcome.Accepted outcome = cluster.ok(command);
        assertThat(cluster.claimOf("v", "unknown").map(Claim::state)).contains(ClaimState.UNPUBLISHING);
        assertThat(effects(outcome, Effect.ClaimReleasable.class))
                .containsExactly(new Effect.ClaimReleasable(vol("v"), alloc("unknown")));
    }

    @Test
    void fencedNodeReleasesClaimsOfAllocationsThatHostDoesNotReport() {
        adopted(NODE);
        released(new NodeCommand.FenceNode(NODE, "burnt", AT));
    }

    @Test
    void removalOfAllocationThatHostDidNotReportReleasesItsClaims() {
        adopted(NODE);
        released(new AllocationCommand.RemoveAllocation(alloc("unknown"), AT));
    }

    /** The host has placed the allocation on another node than the one that has the volume mounted for it. */
    @Test
    void fencedNodeEndsItsAllocationsAndSoReleasesTheirClaimsOnOtherNodes() {
        adopted(NodeId.of("n2"));
        cluster.allocation("unknown", "n1");
        released(new NodeCommand.FenceNode(NODE, "burnt", AT));
    }

    @Test
    void beginOfReleaseIsSaidOnce() {
        Effect.ClaimReleasable releasable = new Effect.ClaimReleasable(vol("v"), alloc("a"));
        cluster.claim("a", "n1", "v", WRITE, MODE);
        assertThat(effects(cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING)), Effect.ClaimReleasable.class))
                .containsExactly(releasable);
        assertThat(effects(cluster.ok(override("a")), Effect.ClaimReleasable.class))
                .as("the claim was being released already")
                .isEmpty();
        assertThat(effects(cluster.ok(checkpoint("v", "a", ClaimState.NODE_DETACHED)), Effect.ClaimReleasable.class))
                .isEmpty();

        Cluster other = Cluster.attaching().nodes("n1").volume("v", MODE);
        other.claim("a", "n1", "v", WRITE, MODE);
        assertThat(effects(other.ok(override("a")), Effect.ClaimReleasable.class))
                .containsExactly(releasable);
    }

    private static ClaimCommand.OverrideClaim override(String allocation) {
        return new ClaimCommand.OverrideClaim(vol("v"), alloc(allocation), "operator", "it is gone", AT);
    }

    @Test
    void nameOfOtherVolumeToCreateIsRefused() {
        cluster.ok(create("one", "disk"));
        cluster.unchanged(create("one", "disk"));
        Rejection.InvalidRequest refused = cluster.refused(Rejection.InvalidRequest.class, create("two", "disk"));
        assertThat(refused.message()).contains("name", "default/one");
        cluster.ok(create("two", "disk2"));
    }

    private static VolumeCommand.RegisterVolume create(String id, String name) {
        return new VolumeCommand.RegisterVolume(
                vol(id), spec(MODE).name(name).build(), VolumeOrigin.CREATED, ProviderFacts.none(), AT);
    }

    @Test
    void useThatContradictsStateIsKeptForItsNodeUntilNodeIsLost() {
        cluster.allocation("a", "n2");
        VolumeUse use = new VolumeUse(
                vol("v"),
                Cluster.PLUGIN,
                ExternalVolumeId.of("v"),
                alloc("a"),
                WRITE,
                RequestedCapability.mount(MODE),
                false);
        ClaimCommand.AdoptUses found = new ClaimCommand.AdoptUses(vol("v"), NODE, List.of(use), AT);
        cluster.ok(found);
        assertThat(cluster.get("v").claims().isEmpty()).isTrue();
        assertThat(ledger().mayUse(cluster.get("v"))).isTrue();
        cluster.unchanged(found);
        assertThat(ledger().unclaimed()).hasSize(1);
        cluster.volume("w", MODE);
        cluster.ok(new ClaimCommand.AdoptUses(
                vol("w"),
                NODE,
                List.of(new VolumeUse(
                        vol("w"),
                        Cluster.PLUGIN,
                        ExternalVolumeId.of("w"),
                        alloc("a"),
                        WRITE,
                        RequestedCapability.mount(MODE),
                        false)),
                AT));
        assertThat(ledger().unclaimed()).as("both uses are kept").hasSize(2);
        cluster.ok(new NodeCommand.FenceNode(NODE, "burnt", AT));
        assertThat(ledger().mayUse(cluster.get("v"))).isFalse();
        cluster.unchanged(found);
    }

    private NodeLedger ledger() {
        return cluster.state.node(NODE).orElseThrow().ledger();
    }

    @Test
    void ledgersAreRequiredOnceForEachRestore() {
        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n2"), "burnt", AT));
        NodeCommand.RequireLedgers restored = new NodeCommand.RequireLedgers("restored", AT.plusSeconds(1));
        cluster.ok(restored);
        long since = ledger().missingSince();
        assertThat(since).isPositive();
        assertThat(node("n1").status()).isEqualTo(NodeStatus.READY);
        assertThat(node("n1").reason()).isEmpty();
        assertThat(node("n2").status()).as("a lost node may be back").isEqualTo(NodeStatus.DOWN);
        assertThat(node("n2").reason()).contains("FENCED", "restored");
        cluster.unchanged(restored);

        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n3"), AT));
        assertThat(node("n3").ledger().missing())
                .as("a node that the restored state does not have")
                .isTrue();
        LedgerReport nothing = new LedgerReport(List.of(), List.of());
        cluster.unchanged(new NodeCommand.RecordLedger(NODE, nothing, since + 1, AT));
        assertThat(ledger().missing())
                .as("after the report to an earlier state")
                .isTrue();
        cluster.ok(new NodeCommand.RecordLedger(NODE, nothing, since, AT));
        assertThat(ledger().missing()).isFalse();
    }

    private Node node(String name) {
        return cluster.state.node(NodeId.of(name)).orElseThrow();
    }

    @Test
    void allocationKeepsDeploymentThatLaterReportLeavesOut() {
        Optional<DeploymentId> deployment = Optional.of(DeploymentId.of("default", "csi"));
        cluster.ok(report(deployment, AllocationStatus.RUNNING));
        cluster.unchanged(report(Optional.empty(), AllocationStatus.RUNNING));
        cluster.ok(report(Optional.empty(), AllocationStatus.ENDED));
        assertThat(cluster.state.allocation(alloc("a")).flatMap(Allocation::deployment))
                .isEqualTo(deployment);
    }

    private static AllocationCommand.UpsertAllocation report(
            Optional<DeploymentId> deployment, AllocationStatus status) {
        return new AllocationCommand.UpsertAllocation(
                alloc("a"), Namespace.of("default"), NODE, deployment, status, AT);
    }
}
