package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Applies every command about claims and attachments in every combination of claim state, override, state of another
 * claim on the node, attachment state and node status, and compares the result with rules that the test states itself.
 */
class TransitionsTest {
    private static final NodeId NODE = NodeId.of("n");
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final PublishContext CONTEXT = PublishContext.of(Map.of("device", "/dev/sda"));

    /** One combination of states; null means that there is no such claim, attachment or node. */
    private record Situation(
            ClaimState own, boolean overridden, ClaimState other, AttachmentState attachment, NodeStatus node) {

        boolean ownDetached() {
            return own == null || overridden || own.atLeast(ClaimState.NODE_DETACHED);
        }

        boolean otherDetached() {
            return other == null || other.atLeast(ClaimState.NODE_DETACHED);
        }

        boolean nothingLeftOnNode() {
            return (ownDetached() && otherDetached()) || (node != null && node.lost());
        }

        boolean otherKeepsAttachment() {
            return other != null && other != ClaimState.READY_TO_FREE;
        }
    }

    private static <T> List<T> orNone(T[] values) {
        List<T> list = new ArrayList<>(Arrays.asList(values));
        list.add(null);
        return list;
    }

    private static List<Situation> situations() {
        List<Situation> all = new ArrayList<>();
        for (ClaimState own : orNone(ClaimState.values())) {
            for (boolean overridden : own == null ? new boolean[] {false} : new boolean[] {false, true}) {
                for (ClaimState other : orNone(ClaimState.values())) {
                    for (AttachmentState attachment : orNone(AttachmentState.values())) {
                        for (NodeStatus node : orNone(NodeStatus.values())) {
                            all.add(new Situation(own, overridden, other, attachment, node));
                        }
                    }
                }
            }
        }
        return all;
    }

    private static NaiveState state(Situation situation) {
        NaiveState state = new NaiveState();
        Claims claims = Claims.empty();
        if (situation.own() != null) {
            claims = claims.with(claim("own", situation.own(), situation.overridden()));
        }
        if (situation.other() != null) {
            claims = claims.with(claim("other", situation.other(), false));
        }
        Volume.Builder volume = Volume.builder(
                        vol("v"),
                        Cluster.spec(VolumeAccessMode.MULTI_NODE_MULTI_WRITER).build(),
                        1,
                        AT)
                .claims(claims);
        if (situation.attachment() != null) {
            Attachment.Builder attachment = Attachment.builder(NODE, SHARED).state(situation.attachment());
            if (situation.attachment() != AttachmentState.PUBLISHING) {
                attachment.publishContext(CONTEXT);
            }
            volume.attachments(volume.build().attachments().with(attachment.build()));
        }
        state.putVolume(volume.build());
        if (situation.node() != null) {
            state.putNode(new Node(NODE, situation.node(), AT, "", 1));
        }
        for (String id : List.of("own", "other")) {
            state.putAllocation(new Allocation(
                    alloc(id), Namespace.of("default"), NODE, Optional.empty(), AllocationStatus.RUNNING, 1));
        }
        return state;
    }

    private static Claim claim(String allocation, ClaimState state, boolean overridden) {
        return Claim.builder(alloc(allocation), NODE, ClaimMode.WRITE, SHARED)
                .state(state)
                .operatorOverride(overridden ? new OperatorOverride("operator", "because", AT) : null)
                .build();
    }

    private static Optional<ClaimState> ownIn(NaiveState state) {
        return state.volume(vol("v")).orElseThrow().claims().get(alloc("own")).map(Claim::state);
    }

    private static Optional<AttachmentState> attachmentIn(NaiveState state) {
        return state.volume(vol("v")).orElseThrow().attachments().on(NODE).map(Attachment::state);
    }

    /** Applies the command in every situation and compares the result with the expected one. */
    private void inEverySituation(Command command, Rules rules) {
        int changed = 0;
        for (Situation situation : situations()) {
            NaiveState state = state(situation);
            NaiveState before = state.copy();
            Outcome outcome = state.apply(2, command);
            Expected expected = rules.of(situation);
            String description = command.getClass().getSimpleName() + " in " + situation + " was " + outcome;
            if (expected.rejection() != null) {
                assertThat(outcome).as(description).isInstanceOf(Outcome.Rejected.class);
                assertThat(((Outcome.Rejected) outcome).reason())
                        .as(description)
                        .isInstanceOf(expected.rejection());
                assertThat(state.sameRows(before)).as(description).isTrue();
                continue;
            }
            assertThat(outcome).as(description).isInstanceOf(Outcome.Accepted.class);
            assertThat(((Outcome.Accepted) outcome).changed()).as(description).isEqualTo(!state.sameRows(before));
            assertThat(ownIn(state)).as(description).isEqualTo(Optional.ofNullable(expected.own()));
            assertThat(attachmentIn(state)).as(description).isEqualTo(Optional.ofNullable(expected.attachment()));
            changed += state.sameRows(before) ? 0 : 1;
            boolean emptied = !state.volume(vol("v")).orElseThrow().isOn(NODE);
            if (situation.node() == NodeStatus.GONE && ((Outcome.Accepted) outcome).changed()) {
                assertThat(state.node(NODE).isEmpty())
                        .as("a GONE node is removed with its last row: " + description)
                        .isEqualTo(emptied);
            }
        }
        assertThat(changed).as("some situations changed").isPositive();
    }

    private interface Rules {
        Expected of(Situation situation);
    }

    private record Expected(ClaimState own, AttachmentState attachment, Class<? extends Rejection> rejection) {
        static Expected same(Situation situation) {
            return new Expected(situation.own(), situation.attachment(), null);
        }

        static Expected own(Situation situation, ClaimState own) {
            return new Expected(own, situation.attachment(), null);
        }

        static Expected attachment(Situation situation, AttachmentState attachment) {
            return new Expected(situation.own(), attachment, null);
        }

        static Expected refused(Class<? extends Rejection> rejection) {
            return new Expected(null, null, rejection);
        }
    }

    @Test
    void claimMovesForwardOneStateAtATime() {
        for (ClaimState wanted : ClaimState.values()) {
            if (wanted == ClaimState.TAKEN) {
                continue;
            }
            inEverySituation(Cluster.checkpoint("v", "own", wanted), situation -> {
                if (situation.own() == null || situation.own().atLeast(wanted)) {
                    return Expected.same(situation);
                }
                if (!situation.own().next().equals(Optional.of(wanted))) {
                    return Expected.refused(Rejection.ClaimStateSkipped.class);
                }
                if (wanted == ClaimState.READY_TO_FREE
                        && situation.attachment() != null
                        && !situation.otherKeepsAttachment()) {
                    return Expected.refused(Rejection.ClaimStillAttached.class);
                }
                return Expected.own(situation, wanted);
            });
        }
    }

    @Test
    void failedUnmountIsRecordedOnlyInClaimThatIsBeingUnmounted() {
        Command command = new CallCommand.RecordCallError(
                vol("v"), new CallTarget.OfClaim(alloc("own"), 0), Attempt.failed("busy", AT.plusSeconds(9)), AT);
        for (Situation situation : situations()) {
            if (situation.own() == ClaimState.UNPUBLISHING) {
                NaiveState state = state(situation);
                assertThat(state.apply(2, command).accepted()).isTrue();
                Claim claim = state.volume(vol("v"))
                        .orElseThrow()
                        .claims()
                        .get(alloc("own"))
                        .orElseThrow();
                assertThat(claim.state()).isEqualTo(ClaimState.UNPUBLISHING);
                assertThat(claim.retry().attempts()).isEqualTo(1);
                assertThat(claim.retry().lastError()).contains("busy");
                assertThat(claim.retry().nextRetry()).contains(AT.plusSeconds(9));
            } else {
                NaiveState state = state(situation);
                NaiveState before = state.copy();
                assertThat(state.apply(2, command).accepted()).isTrue();
                assertThat(state.sameRows(before)).as("%s", situation).isTrue();
            }
        }
    }

    @Test
    void claimIsFreedOnlyIfReadyToFreeOrOverridden() {
        inEverySituation(Cluster.free("v", "own"), situation -> {
            if (situation.own() == null) {
                return Expected.same(situation);
            }
            if (situation.own() != ClaimState.READY_TO_FREE && !situation.overridden()) {
                return Expected.refused(Rejection.ClaimStateSkipped.class);
            }
            boolean orphan = situation.attachment() != null && situation.other() == null;
            return new Expected(null, orphan ? AttachmentState.UNPUBLISHING : situation.attachment(), null);
        });
    }

    @Test
    void operatorOverrideStartsReleaseAndIsStored() {
        Command command = new ClaimCommand.OverrideClaim(vol("v"), alloc("own"), "me", "node burnt", AT);
        inEverySituation(
                command,
                situation -> situation.own() == null
                        ? Expected.refused(Rejection.ClaimNotFound.class)
                        : Expected.own(
                                situation,
                                situation.own() == ClaimState.TAKEN && !situation.overridden()
                                        ? ClaimState.UNPUBLISHING
                                        : situation.own()));
        NaiveState state = state(new Situation(ClaimState.TAKEN, false, null, null, NodeStatus.DOWN));
        state.apply(command);
        assertThat(state.volume(vol("v"))
                        .orElseThrow()
                        .claims()
                        .get(alloc("own"))
                        .orElseThrow()
                        .operatorOverride())
                .contains(new OperatorOverride("me", "node burnt", AT));
    }

    @Test
    void secondPublishResultWithDifferentContextIsRejected() {
        inEverySituation(new AttachmentCommand.RecordPublished(vol("v"), NODE, CONTEXT, AT), situation -> {
            if (situation.attachment() == null) {
                return Expected.refused(Rejection.AttachmentNotFound.class);
            }
            return situation.attachment() == AttachmentState.UNPUBLISHING
                    ? Expected.refused(Rejection.WrongAttachmentState.class)
                    : Expected.attachment(situation, AttachmentState.PUBLISHED);
        });
        NaiveState state =
                state(new Situation(ClaimState.TAKEN, false, null, AttachmentState.PUBLISHED, NodeStatus.READY));
        Outcome other = state.apply(new AttachmentCommand.RecordPublished(
                vol("v"), NODE, PublishContext.of(Map.of("device", "hunter2")), AT));
        assertThat(other).isInstanceOf(Outcome.Rejected.class);
        Rejection reason = ((Outcome.Rejected) other).reason();
        assertThat(reason).isInstanceOf(Rejection.PublishContextChanged.class);
        assertThat(reason.message() + reason).doesNotContain("hunter2");
    }

    @Test
    void unpublishIsRejectedWhileClaimOnNodeIsNotDetached() {
        inEverySituation(Cluster.unpublishing("v", "n"), situation -> {
            if (situation.attachment() == null || situation.attachment() == AttachmentState.UNPUBLISHING) {
                return Expected.same(situation);
            }
            return situation.nothingLeftOnNode()
                    ? Expected.attachment(situation, AttachmentState.UNPUBLISHING)
                    : Expected.refused(Rejection.AttachmentInUse.class);
        });
    }

    @Test
    void attachmentOverrideIsRejectedWhileClaimOnNodeIsNotDetached() {
        inEverySituation(
                new AttachmentCommand.OverrideAttachment(vol("v"), NODE, "me", "checked that it is detached", AT),
                situation -> {
                    if (situation.attachment() == null) {
                        return Expected.refused(Rejection.AttachmentNotFound.class);
                    }
                    return situation.nothingLeftOnNode()
                            ? Expected.attachment(situation, AttachmentState.UNPUBLISHING)
                            : Expected.refused(Rejection.AttachmentInUse.class);
                });
    }

    @Test
    void attachmentIsRemovedOnlyInStateUnpublishing() {
        inEverySituation(Cluster.detached("v", "n"), situation -> {
            if (situation.attachment() == null) {
                return Expected.same(situation);
            }
            return situation.attachment() == AttachmentState.UNPUBLISHING
                    ? Expected.attachment(situation, null)
                    : Expected.refused(Rejection.WrongAttachmentState.class);
        });
    }

    @Test
    void failedAttachmentCallKeepsAttachmentState() {
        inEverySituation(
                new CallCommand.RecordCallError(
                        vol("v"), new CallTarget.OfAttachment(NODE, 0), Attempt.failed("busy", AT.plusSeconds(9)), AT),
                situation -> situation.attachment() == AttachmentState.PUBLISHED
                        ? Expected.refused(Rejection.WrongAttachmentState.class)
                        : Expected.same(situation));
    }

    @Test
    void rejectedUnpublishCausesErrorThatListsClaimsStillOnNode() {
        NaiveState state = state(new Situation(
                ClaimState.NODE_DETACHED, false, ClaimState.TAKEN, AttachmentState.PUBLISHED, NodeStatus.DOWN));
        Outcome outcome = state.apply(Cluster.unpublishing("v", "n"));
        Rejection reason = ((Outcome.Rejected) outcome).reason();
        assertThat(reason.message())
                .contains("default/v", "node n", "allocation other", "TAKEN")
                .doesNotContain("own");
    }
}
