package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.claim.NodeOverrides;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The preview of a statement about a node names what the statement changes, and no more. */
class NodeOverridesTest {
    private static final ClaimRequest V = write("v", MULTI_NODE_MULTI_WRITER);
    private static final ClaimRequest W = write("w", MULTI_NODE_MULTI_WRITER);
    private static final NodeId N1 = NodeId.of("n1");

    private final ClaimRig rig =
            ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER).volume("w", MULTI_NODE_MULTI_WRITER);
    private final NodeOverrides overrides = new NodeOverrides(rig.operations);

    private NodeOverride preview(NodeStatement statement) {
        return overrides.preview(Caller.ENGINE, N1, statement);
    }

    private static List<String> claims(NodeOverride preview) {
        return preview.claims().stream()
                .map(claim -> claim.volume().volumeId() + ":" + claim.allocationId()
                        + (claim.allocationEnded() ? " ended" : ""))
                .toList();
    }

    @Test
    void previewNamesMountedClaimsAndForADetachedNodeAlsoAttachments() {
        rig.use("a", "n1", V).use("b", "n1", W).use("other", "n2", V);
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("b", "n1");
        NodeOverride unmounted = preview(NodeStatement.UNMOUNTED);
        assertThat(claims(unmounted)).containsExactly("v:a", "w:b ended");
        assertThat(unmounted.claims())
                .extracting(NodeOverride.ClaimOnNode::state)
                .containsExactly(ClaimState.TAKEN, ClaimState.UNPUBLISHING);
        assertThat(unmounted.attachments()).isEmpty();
        assertThat(unmounted.machines()).isEmpty();
        assertThat(unmounted.index()).isEqualTo(rig.log.snapshot().index());
        NodeOverride detached = preview(NodeStatement.DETACHED);
        assertThat(claims(detached)).isEqualTo(claims(unmounted));
        assertThat(detached.attachments())
                .extracting(attachment -> attachment.volume().volumeId().value(), NodeOverride.AttachmentToNode::state)
                .containsExactly(tuple("v", AttachmentState.PUBLISHED), tuple("w", AttachmentState.PUBLISHED));

        rig.done(overrides.override(Caller.ENGINE, unmounted, "the disk is out"));
        assertThat(claims(preview(NodeStatement.UNMOUNTED)))
                .as("an operator has said so before")
                .isEmpty();
        assertThat(preview(NodeStatement.DETACHED).attachments()).hasSize(2);
        rig.engine.stop();
        rig.done(overrides.override(Caller.ENGINE, preview(NodeStatement.DETACHED), "the disk is out"));
        assertThat(preview(NodeStatement.DETACHED).isEmpty()).isTrue();
        assertThat(rig.state("v", "other")).contains(ClaimState.TAKEN);
    }

    /** The allocation was removed, so the host does not report it any more. */
    @Test
    void allocationThatTheHostRemovedCountsAsEnded() {
        rig.use("a", "n1", V);
        rig.log.leftBehind(state -> state.removeAllocation(AllocationId.of("a")));
        assertThat(claims(preview(NodeStatement.UNMOUNTED))).containsExactly("v:a ended");
    }

    @Test
    void nodeIsKnownByItsRowOrByAVolumeOnIt() {
        for (NodeStatement statement : NodeStatement.values()) {
            assertThat(preview(statement).isEmpty()).as("%s", statement).isTrue();
            assertThatThrownBy(() -> overrides.preview(Caller.ENGINE, NodeId.of("n9"), statement))
                    .isInstanceOfSatisfying(
                            RejectedException.class,
                            failure -> assertThat(failure.reason()).isInstanceOf(Rejection.NodeNotFound.class));
        }
        rig.log.commands.clear();
        rig.done(overrides.override(Caller.ENGINE, preview(NodeStatement.DETACHED), "nothing is there"));
        assertThat(rig.log.commands).as("a statement about nothing").isEmpty();
        rig.use("a", "n1", V);
        rig.log.leftBehind(state -> state.removeNode(N1));
        assertThat(claims(preview(NodeStatement.UNMOUNTED))).containsExactly("v:a");
        assertThat(preview(NodeStatement.FORMER_MACHINE_LOST).isEmpty()).isTrue();
    }

    @Test
    void statementAboutManyClaimsIsStoredInSeveralEntriesOfTheLog() {
        rig.use("a", "n1", V);
        NodeOverride one = preview(NodeStatement.UNMOUNTED);
        List<NodeOverride.ClaimOnNode> many =
                Collections.nCopies(401, one.claims().get(0));
        rig.log.commands.clear();
        rig.done(overrides.override(
                Caller.ENGINE,
                new NodeOverride(N1, NodeStatement.UNMOUNTED, one.index(), many, List.of(), List.of()),
                "the disk is out"));
        assertThat(rig.log.commands.stream()
                        .filter(Batch.class::isInstance)
                        .map(command -> ((Batch) command).commands().size())
                        .filter(size -> size > 2))
                .containsExactly(200, 200);
    }
}
