package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.register;
import static io.csi4j.core.internal.apply.Cluster.request;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests for claims that the state keeps until the claims are taken. */
class RequestedClaimsTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final AllocationId B = AllocationId.of("b");
    private static final ClaimRequest V = request("v", WRITE, SINGLE_NODE_WRITER);
    private static final ClaimRequest W = request("w", WRITE, SINGLE_NODE_WRITER);

    private final Cluster cluster = Cluster.withoutController().nodes("n1");

    @BeforeEach
    void registerVolumesAndStartAllocations() {
        for (String name : List.of("v", "w")) {
            cluster.ok(register(
                    name,
                    spec().requestedCapabilities(List.of(
                                    RequestedCapability.mount(SINGLE_NODE_WRITER),
                                    RequestedCapability.mount(MULTI_NODE_MULTI_WRITER)))
                            .build()));
        }
        set(A, AllocationStatus.RUNNING);
        set(B, AllocationStatus.RUNNING);
    }

    private void set(AllocationId id, AllocationStatus status) {
        cluster.ok(new AllocationCommand.UpsertAllocation(
                id, Namespace.of("default"), NodeId.of("n1"), Optional.empty(), status, AT));
    }

    private RequestedClaims store(AllocationId id, ClaimRequest... requests) {
        cluster.ok(new ClaimCommand.RequestClaims(id, List.of(requests), AT));
        List<RequestedClaims> of = of(id);
        return of.get(of.size() - 1);
    }

    private List<RequestedClaims> of(AllocationId id) {
        List<RequestedClaims> rows = new ArrayList<>();
        cluster.state.requestedClaimsOf(id).forEach(rows::add);
        return rows;
    }

    private Optional<ClaimState> claim(String volume, AllocationId id) {
        return cluster.get(volume).claims().get(id).map(Claim::state);
    }

    @Test
    void requestIsStoredOnceAndChangesNoVolume() {
        long before = cluster.state.index();
        RequestedClaims row = store(A, V);
        assertThat(row.requests()).containsExactly(V);
        assertThat(row.createIndex()).isGreaterThan(before);
        assertThat(row.requestedAt()).isEqualTo(AT);
        assertThat(cluster.state.requestedClaims(row.key())).contains(row);
        cluster.unchanged(new ClaimCommand.RequestClaims(A, List.of(V), AT.plusSeconds(1)));
        store(A, W);
        assertThat(of(A)).extracting(RequestedClaims::requests).containsExactly(List.of(V), List.of(W));
        assertThat(cluster.get("v").claims().isEmpty()).isTrue();
    }

    @Test
    void requestNeedsAllocationThatHasNotEnded() {
        cluster.refused(
                Rejection.AllocationNotFound.class,
                new ClaimCommand.RequestClaims(AllocationId.of("c"), List.of(V), AT));
        set(A, AllocationStatus.ENDED);
        cluster.refused(Rejection.AllocationEnded.class, new ClaimCommand.RequestClaims(A, List.of(V), AT));
    }

    @Test
    void contradictingRequestsAreRejectedWhenTheyAreStored() {
        Rejection.NotAdmitted rejection = cluster.refused(
                Rejection.NotAdmitted.class,
                new ClaimCommand.RequestClaims(A, List.of(V, request("v", WRITE, MULTI_NODE_MULTI_WRITER)), AT));
        assertThat(rejection.decision())
                .isInstanceOfSatisfying(
                        AdmissionDecision.Never.class,
                        never -> assertThat(never.reason()).isEqualTo(NeverReason.REQUESTED_DIFFERENTLY));
        assertThatIllegalArgumentException().isThrownBy(() -> new ClaimCommand.RequestClaims(A, List.of(), AT));
    }

    @Test
    void takingTheClaimsRemovesTheEqualRequestOnly() {
        RequestedClaims first = store(A, V);
        RequestedClaims second = store(A, V, W);
        RequestedClaims other = store(B, V);
        cluster.ok(new ClaimCommand.TakeClaims(A, List.of(V), first.createIndex(), AT));
        assertThat(claim("v", A)).contains(ClaimState.TAKEN);
        assertThat(of(A)).containsExactly(second);
        assertThat(of(B)).containsExactly(other);
        // A caller that waits for the same claims takes them without naming the row.
        cluster.ok(take("a", V, W));
        assertThat(of(A)).isEmpty();
    }

    @Test
    void rejectedTakeKeepsTheRequest() {
        store(B, V);
        RequestedClaims waits = store(A, V);
        cluster.ok(take("b", V));
        cluster.refused(
                Rejection.NotAdmitted.class, new ClaimCommand.TakeClaims(A, List.of(V), waits.createIndex(), AT));
        assertThat(of(A)).containsExactly(waits);
    }

    @Test
    void takeForRequestThatIsGoneHasNoEffect() {
        RequestedClaims row = store(A, V);
        cluster.ok(new ClaimCommand.WithdrawClaims(A, AT));
        Outcome.Accepted late = cluster.ok(new ClaimCommand.TakeClaims(A, List.of(V), row.createIndex(), AT));
        assertThat(late.changed()).isFalse();
        assertThat(late.effects()).isEmpty();
        assertThat(claim("v", A)).isEmpty();
        // The same allocation requests again, and the late command must not take the new request for the old one.
        RequestedClaims again = store(A, V);
        cluster.unchanged(new ClaimCommand.TakeClaims(A, List.of(V), row.createIndex(), AT));
        assertThat(of(A)).containsExactly(again);
    }

    @Test
    void withdrawalRemovesAllRequestsAndReleasesAllClaims() {
        cluster.ok(take("a", V));
        store(A, W);
        RequestedClaims other = store(B, V);
        assertThat(cluster.ok(new ClaimCommand.WithdrawClaims(A, AT)).changed()).isTrue();
        assertThat(of(A)).isEmpty();
        assertThat(claim("v", A)).contains(ClaimState.UNPUBLISHING);
        assertThat(of(B)).containsExactly(other);
        cluster.unchanged(new ClaimCommand.WithdrawClaims(A, AT));
    }

    @Test
    void refusalRemovesTheNamedRequestOnly() {
        RequestedClaims first = store(A, V);
        RequestedClaims second = store(A, W);
        cluster.ok(new ClaimCommand.RefuseClaims(first.key(), AT));
        assertThat(of(A)).containsExactly(second);
        cluster.unchanged(new ClaimCommand.RefuseClaims(first.key(), AT));
    }

    @Test
    void endOfAllocationRemovesItsRequests() {
        store(A, V);
        RequestedClaims other = store(B, V);
        set(A, AllocationStatus.ENDED);
        assertThat(of(A)).isEmpty();
        cluster.ok(new AllocationCommand.RemoveAllocation(B, AT));
        assertThat(cluster.state.requestedClaims(other.key())).isEmpty();
    }

    @Test
    void lossOfNodeRemovesRequestsOfItsAllocations() {
        store(A, V);
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "lost", AT));
        assertThat(of(A)).as("a node that may come back keeps its allocations").hasSize(1);
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "gone", AT));
        assertThat(of(A)).isEmpty();
    }
}
