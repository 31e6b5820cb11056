package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.UnresolvedCall;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A command may be applied long after it was proposed, by a leader that crashed or was replaced. Such a delayed
 * command must not change a newer claim, attachment or volume with the same key.
 */
class DelayedCommandsTest {
    private static final NodeId NODE = NodeId.of("n1");
    private static final VolumeAccessMode MODE = VolumeAccessMode.SINGLE_NODE_WRITER;

    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MODE);

    private Claim claim() {
        return cluster.claim("a", "n1", "v", ClaimMode.WRITE, MODE);
    }

    private Attachment attachment() {
        return cluster.attachment("v", "n1").orElseThrow();
    }

    private static ClaimCommand.CheckpointClaim checkpoint(Claim claim, ClaimState state) {
        return new ClaimCommand.CheckpointClaim(vol("v"), claim.allocationId(), claim.takenIndex(), state, AT);
    }

    @Test
    void delayedCommandForOldClaimDoesNotChangeNewClaimBySameAllocation() {
        Claim first = claim();
        cluster.release("v", "a");
        Claim second = claim();
        assertThat(second.createIndex()).isNotEqualTo(first.createIndex());
        cluster.unchanged(checkpoint(first, ClaimState.UNPUBLISHING));
        cluster.ok(checkpoint(second, ClaimState.UNPUBLISHING));
        cluster.unchanged(checkpoint(first, ClaimState.NODE_DETACHED));
        cluster.unchanged(new ClaimCommand.OverrideClaim(
                vol("v"), alloc("a"), first.createIndex(), "operator", "it is gone", AT));
        cluster.unchanged(new ClaimCommand.FreeClaim(vol("v"), alloc("a"), first.createIndex(), AT));
        assertThat(cluster.claimOf("v", "a").map(Claim::state)).contains(ClaimState.UNPUBLISHING);
        cluster.ok(checkpoint(second, ClaimState.NODE_DETACHED));
        assertThat(cluster.claimOf("v", "a").map(Claim::state)).contains(ClaimState.NODE_DETACHED);
    }

    @Test
    void delayedReleaseDoesNotReleaseClaimThatWasRequestedAgain() {
        Claim first = claim();
        Claim again = claim();
        assertThat(again.createIndex()).isEqualTo(first.createIndex());
        cluster.unchanged(checkpoint(first, ClaimState.UNPUBLISHING));
        assertThat(cluster.claimOf("v", "a").map(Claim::state)).contains(ClaimState.TAKEN);
        cluster.ok(checkpoint(again, ClaimState.UNPUBLISHING));
        assertThat(cluster.claimOf("v", "a").map(Claim::state)).contains(ClaimState.UNPUBLISHING);
    }

    @Test
    void delayedCommandForOldAttachmentDoesNotChangeNewAttachmentOnNode() {
        claim();
        Attachment first = attachment();
        cluster.release("v", "a");
        claim();
        Attachment second = attachment();
        assertThat(second.createIndex()).isNotEqualTo(first.createIndex());
        cluster.refused(
                Rejection.AttachmentNotFound.class,
                new AttachmentCommand.RecordPublished(
                        vol("v"), NODE, first.createIndex(), PublishContext.of(Map.of("device", "old")), AT));
        cluster.unchanged(new CallCommand.RecordCallError(
                vol("v"),
                new CallTarget.OfAttachment(NODE, first.createIndex()),
                Attempt.failed("old", AT.plusSeconds(1)),
                AT));
        cluster.ok(Cluster.checkpoint("v", "a", ClaimState.UNPUBLISHING));
        cluster.ok(Cluster.checkpoint("v", "a", ClaimState.NODE_DETACHED));
        cluster.unchanged(new AttachmentCommand.RecordUnpublishing(vol("v"), NODE, first.createIndex(), AT));
        cluster.ok(new AttachmentCommand.RecordUnpublishing(vol("v"), NODE, second.createIndex(), AT));
        cluster.unchanged(new AttachmentCommand.OverrideAttachment(
                vol("v"), NODE, first.createIndex(), "operator", "it is gone", AT));
        cluster.unchanged(new AttachmentCommand.RemoveAttachment(vol("v"), NODE, first.createIndex(), AT));
        assertThat(cluster.attachment("v", "n1")).isPresent();
        cluster.ok(new AttachmentCommand.RemoveAttachment(vol("v"), NODE, second.createIndex(), AT));
        assertThat(cluster.attachment("v", "n1")).isEmpty();
    }

    @Test
    void failedPublishDoesNotReleaseClaimThatOtherCallPublished() {
        Claim claim = claim();
        Attachment intent = attachment();
        cluster.ok(Cluster.published("v", "n1"));
        Command late = new Batch(
                List.of(
                        new CallCommand.RecordCallError(
                                vol("v"),
                                new CallTarget.OfAttachment(NODE, intent.createIndex()),
                                Attempt.failed("no", AT.plusSeconds(1)),
                                AT),
                        checkpoint(claim, ClaimState.UNPUBLISHING)),
                AT);
        assertThat(cluster.refused(Rejection.InBatch.class, late).cause())
                .isInstanceOf(Rejection.WrongAttachmentState.class);
        assertThat(cluster.claimOf("v", "a").map(Claim::state)).contains(ClaimState.TAKEN);
    }

    @Test
    void delayedCommandForOldVolumeDoesNotChangeNewVolumeWithSameKey() {
        long first = cluster.get("v").createIndex();
        long version = cluster.get("v").modifyIndex();
        cluster.ok(new VolumeCommand.DeregisterVolume(vol("v"), false, version, AT));
        cluster.volume("v", MODE);
        cluster.refused(
                Rejection.VolumeNotFound.class,
                new VolumeCommand.RecordProviderFacts(
                        vol("v"),
                        ProviderFacts.builder()
                                .externalVolumeId(ExternalVolumeId.of("old"))
                                .build(),
                        first,
                        AT));
        cluster.refused(
                Rejection.VolumeChanged.class,
                new VolumeCommand.SetVolumePhase(vol("v"), VolumePhase.DELETING, version, AT));
        cluster.refused(Rejection.VolumeChanged.class, new VolumeCommand.DeregisterVolume(vol("v"), true, version, AT));
        assertThat(cluster.get("v").phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @Test
    void delayedSmallerCapacityDoesNotReplaceLargerCapacity() {
        ProviderFacts made = ProviderFacts.builder().capacityBytes(100).build();
        cluster.ok(new VolumeCommand.RecordProviderFacts(vol("v"), made, AT));
        ProviderFacts grown = ProviderFacts.builder().capacityBytes(200).build();
        cluster.ok(new VolumeCommand.RecordProviderFacts(vol("v"), grown, AT));
        cluster.unchanged(new VolumeCommand.RecordProviderFacts(vol("v"), made, AT));
        assertThat(cluster.get("v").facts().capacityBytes()).isEqualTo(200);
    }

    private long request(Map<String, String> changes) {
        cluster.ok(new ChangeCommand.BeginModification(vol("v"), changes, AT));
        return requested().index();
    }

    private Modification requested() {
        return cluster.get("v").modification().orElseThrow();
    }

    private ChangeCommand.RecordModified modified(long requestIndex, Map<String, String> changes) {
        return new ChangeCommand.RecordModified(vol("v"), cluster.get("v").createIndex(), requestIndex, changes, AT);
    }

    @Test
    void resultOfOlderModificationDoesNotChangeParametersOfLaterModification() {
        Map<String, String> older = Map.of("iops", "1", "tier", "a");
        long first = request(older);
        long second = request(Map.of("iops", "2"));
        cluster.ok(modified(first, older));
        assertThat(cluster.get("v").spec().mutableParameters()).isEqualTo(Map.of("tier", "a"));
        assertThat(requested().changes()).isEqualTo(Map.of("iops", "2"));
        cluster.ok(modified(second, Map.of("iops", "2")));
        cluster.ok(modified(first, older));
        assertThat(cluster.get("v").spec().mutableParameters()).isEqualTo(Map.of("iops", "2", "tier", "a"));
    }

    @Test
    void resultOfOlderCallDoesNotFulfilLaterRequestForSameValue() {
        long first = request(Map.of("iops", "1"));
        long second = request(Map.of("iops", "2"));
        cluster.ok(modified(second, Map.of("iops", "2")));
        long third = request(Map.of("iops", "1"));
        cluster.unchanged(modified(first, Map.of("iops", "1")));
        assertThat(cluster.get("v").spec().mutableParameters()).isEqualTo(Map.of("iops", "2"));
        assertThat(requested().changes()).isEqualTo(Map.of("iops", "1"));
        cluster.ok(modified(third, Map.of("iops", "1")));
        assertThat(cluster.get("v").spec().mutableParameters()).isEqualTo(Map.of("iops", "1"));
    }

    private long beginCall(long requestIndex) {
        cluster.ok(new CallCommand.BeginCall(vol("v"), new CallTarget.OfModification(requestIndex), AT));
        return requested().retry().unresolved().orElseThrow().index();
    }

    private CallCommand refusal(long requestIndex, long call) {
        return new CallCommand.RecordCallError(
                vol("v"),
                new CallTarget.OfModification(requestIndex),
                new Attempt("refused", Optional.empty(), call),
                AT);
    }

    @Test
    void refusalOfModificationIsIgnoredWhileAnotherCallHasUnknownOutcome() {
        long requestIndex = request(Map.of("iops", "1"));
        long first = beginCall(requestIndex);
        assertThat(requested().settledBy(first)).isTrue();
        long second = beginCall(requestIndex);
        assertThat(requested().settledBy(first)).isFalse();
        assertThat(requested().settledBy(second))
                .as("the first call may have changed the volume")
                .isFalse();
        cluster.unchanged(refusal(requestIndex, first));
        cluster.unchanged(refusal(requestIndex, second));
        cluster.ok(modified(requestIndex, Map.of("iops", "1")));
        assertThat(cluster.get("v").modification())
                .as("the requested change is done")
                .isEmpty();
    }

    @Test
    void knownOutcomeOfLaterCallDoesNotResolveUnknownOutcomeOfEarlierCall() {
        long requestIndex = request(Map.of("iops", "1"));
        Instant later = AT.plusSeconds(1);
        long first = beginCall(requestIndex);
        cluster.ok(new CallCommand.RecordCallError(
                vol("v"),
                new CallTarget.OfModification(requestIndex),
                new Attempt("busy", Optional.of(later), first),
                AT));
        assertThat(requested().retry().unresolved()).isEmpty();
        long second = beginCall(requestIndex);
        cluster.ok(new CallCommand.RecordCallError(
                vol("v"),
                new CallTarget.OfModification(requestIndex),
                Attempt.failed("no answer", later.plusSeconds(1)),
                AT));
        assertThat(requested().retry().unresolved()).contains(new UnresolvedCall(second, false, true, false));
        long third = beginCall(requestIndex);
        cluster.ok(new CallCommand.RecordCallError(
                vol("v"),
                new CallTarget.OfModification(requestIndex),
                new Attempt("busy", Optional.of(later.plusSeconds(2)), third),
                AT));
        assertThat(requested().retry().unresolved())
                .as("the outcome of the second call is still unknown")
                .contains(new UnresolvedCall(third, true, true, false));
    }

    @Test
    void callForReplacedModificationIsRejectedBeforeItIsSent() {
        long old = request(Map.of("iops", "1"));
        request(Map.of("iops", "2"));
        cluster.refused(
                Rejection.VolumeChanged.class,
                new CallCommand.BeginCall(vol("v"), new CallTarget.OfModification(old), AT));
    }

    @Test
    void newModificationDoesNotInheritUnresolvedCallOfRefusedModification() {
        request(Map.of("iops", "1"));
        long second = request(Map.of("iops", "2"));
        long secondCall = beginCall(second);
        assertThat(requested().settledBy(secondCall))
                .as("a call for the first request may have changed the volume")
                .isFalse();
        cluster.ok(modified(second, Map.of("iops", "2")));
        long third = request(Map.of("iops", "3"));
        cluster.ok(refusal(third, beginCall(third)));
        assertThat(requested().retry().refused()).isTrue();
        long fourth = request(Map.of("tier", "a"));
        assertThat(requested().changes()).isEqualTo(Map.of("tier", "a"));
        long fourthCall = beginCall(fourth);
        assertThat(requested().settledBy(fourthCall)).isTrue();
    }

    @Test
    void commandWithNegativeStateIndexIsRejected() {
        assertThatThrownBy(() -> new ClaimCommand.FreeClaim(vol("v"), alloc("a"), -1, AT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ifCreateIndex")
                .hasMessageContaining("use 0");
        assertThatThrownBy(() -> new VolumeCommand.DeregisterVolume(vol("v"), false, -1, AT))
                .hasMessageContaining("ifModifyIndex");
    }
}
