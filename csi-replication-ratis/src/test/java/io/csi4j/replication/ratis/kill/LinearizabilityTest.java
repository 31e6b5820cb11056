package io.csi4j.replication.ratis.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.replication.ratis.kill.Operation.Kind;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {
    private static Operation take(String allocation, long begun, long ended, String result) {
        return new Operation(Kind.TAKE, allocation, begun, ended, Optional.of(result));
    }

    private static Operation lost(Kind kind, String allocation, long begun) {
        return new Operation(kind, allocation, begun, Long.MAX_VALUE, Optional.empty());
    }

    @Test
    void sequentialTakesAndReleasesAreAcceptedAsLinearizable() {
        assertThat(Linearizability.problem(List.of(
                        take("a", 1, 2, Operation.OK),
                        take("b", 3, 4, Operation.REJECTED),
                        new Operation(Kind.RELEASE, "a", 5, 6, Optional.of(Operation.OK)),
                        take("b", 7, 8, Operation.OK))))
                .isEmpty();
    }

    @Test
    void twoSimultaneousHoldersAreReportedAsViolation() {
        assertThat(Linearizability.problem(List.of(take("a", 1, 2, Operation.OK), take("b", 3, 4, Operation.OK))))
                .isPresent();
    }

    @Test
    void forgottenClaimIsReportedAsViolation() {
        assertThat(Linearizability.problem(List.of(
                        take("a", 1, 2, Operation.OK),
                        new Operation(Kind.READ, "", 3, 4, Optional.of(Operation.FREE)))))
                .isPresent();
    }

    @Test
    void takeAfterReleaseWithLostAnswerIsAcceptedAsLinearizable() {
        assertThat(Linearizability.problem(List.of(
                        take("a", 1, 2, Operation.OK), lost(Kind.RELEASE, "a", 3), take("b", 9, 10, Operation.OK))))
                .isEmpty();
    }

    @Test
    void repeatedReleaseIsAcceptedWhileAnotherAllocationHoldsVolume() {
        List<Operation> before = List.of(
                lost(Kind.TAKE, "a", 1),
                lost(Kind.RELEASE, "a", 2),
                take("b", 3, 4, Operation.OK),
                new Operation(Kind.RELEASE, "a", 5, 6, Optional.of(Operation.OK)));
        assertThat(Linearizability.problem(with(before, Operation.REJECTED))).isEmpty();
        assertThat(Linearizability.problem(with(before, Operation.OK))).isPresent();
    }

    /** Returns the operations and a last one, a take by another allocation with the given result. */
    private static List<Operation> with(List<Operation> before, String result) {
        return Stream.concat(before.stream(), Stream.of(take("c", 7, 8, result)))
                .toList();
    }

    @Test
    void overlappingOperationsAreAcceptedInEitherOrder() {
        assertThat(Linearizability.problem(List.of(take("a", 1, 5, Operation.REJECTED), take("b", 1, 5, Operation.OK))))
                .isEmpty();
    }
}
