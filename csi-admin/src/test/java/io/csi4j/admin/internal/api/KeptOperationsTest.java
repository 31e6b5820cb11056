package io.csi4j.admin.internal.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.api.Operation.End;
import io.csi4j.admin.internal.api.Operation.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The limits of the operations that a server keeps. */
class KeptOperationsTest {
    private static final Endpoint ENDPOINT =
            Endpoint.post("node ready", "/v1/nodes/{node}/ready", "x").action(call -> new CompletableFuture<>());

    private final KeptOperations kept = new KeptOperations(new KeptOperations.Limits(8, 100), 7);

    private Operation begin(String caller, Optional<String> key) {
        return kept.begin(
                        caller,
                        key,
                        "digest",
                        (number, id) -> new Operation(
                                number,
                                id,
                                ENDPOINT,
                                (Endpoint.Action<?>) ENDPOINT.result(),
                                caller,
                                "n1",
                                Optional.empty(),
                                false,
                                "digest",
                                Instant.EPOCH))
                .operation();
    }

    private Operation begin(String caller) {
        return begin(caller, Optional.empty());
    }

    private static End done(int size) {
        return new End(State.DONE, Instant.EPOCH, Optional.of("x".repeat(size)), Optional.empty());
    }

    private List<Operation> all() {
        return kept.list(Long.MAX_VALUE, 100, operation -> true);
    }

    @Test
    void oldestEndedOperationOfTheCallerGoesFirstAndARunningOneStays() {
        Operation running = begin("a");
        Operation first = begin("a", Optional.of("k"));
        kept.ended(first, done(1));
        Operation ofOther = begin("b");
        kept.ended(ofOther, done(1));
        List<Operation> later = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Operation next = begin("a");
            kept.ended(next, done(1));
            later.add(next);
        }
        assertThat(all()).containsExactly(later.get(1), later.get(0), ofOther, running);
        assertThat(kept.find(first.id)).isEmpty();
        assertThat(kept.find(running.id)).contains(running);
        assertThat(begin("a", Optional.of("k"))).as("its key is free").isNotEqualTo(first);
    }

    @Test
    void callerHasAQuarterOfTheRunningOperations() {
        begin("a");
        Operation second = begin("a");
        assertThatExceptionOfType(FailureException.class)
                .isThrownBy(() -> begin("a"))
                .satisfies(refused -> {
                    assertThat(refused.failure().status()).isEqualTo(429);
                    assertThat(refused.failure().retryable()).isTrue();
                })
                .withMessageContaining("2 of them yours");
        begin("b");
        kept.ended(second, done(1));
        begin("a");
    }

    @Test
    void allCallersTogetherHaveALimit() {
        for (String caller : List.of("a", "a", "b", "b", "c", "c", "d", "d")) {
            begin(caller);
        }
        assertThatExceptionOfType(FailureException.class).isThrownBy(() -> begin("e"));
        all().forEach(operation -> kept.ended(operation, done(1)));
        for (String caller : List.of("e", "e")) {
            kept.ended(begin(caller), done(1));
        }
        assertThat(kept.size()).isEqualTo(8);
    }

    @Test
    void sizeOfAllResultsIsLimitedAndTheLatestResultStays() {
        kept.ended(begin("a"), done(60));
        Operation second = begin("b");
        kept.ended(second, done(40));
        assertThat(kept.bytes()).isEqualTo(100);
        Operation third = begin("c");
        kept.ended(third, done(1));
        assertThat(all()).containsExactly(third, second);
        assertThat(kept.bytes()).isEqualTo(41);
        Operation large = begin("d");
        kept.ended(large, done(1000));
        assertThat(all()).containsExactly(large);
        assertThat(large.end().orElseThrow().size()).isEqualTo(1000);
        kept.ended(begin("e"), done(1));
        assertThat(kept.bytes()).isEqualTo(1);
    }

    @Test
    void keyIsFreeAfterAFailureThatMayPass() {
        Operation denied = begin("a", Optional.of("k"));
        kept.ended(
                denied,
                new End(
                        State.FAILED,
                        Instant.EPOCH,
                        Optional.empty(),
                        Optional.of(Failure.of("access-denied", 403, "needs MANAGEMENT"))));
        Operation again = begin("a", Optional.of("k"));
        assertThat(again).isNotEqualTo(denied);
        kept.ended(
                again,
                new End(
                        State.FAILED,
                        Instant.EPOCH,
                        Optional.empty(),
                        Optional.of(Failure.of("rejected", 409, "in use"))));
        assertThat(begin("a", Optional.of("k"))).isEqualTo(again);
    }

    @Test
    void idsOfAnotherStartAreUnknown() {
        Operation operation = begin("a");
        KeptOperations restarted = new KeptOperations(KeptOperations.Limits.DEFAULT, 8);
        assertThat(restarted.find(operation.id)).isEmpty();
        assertThat(kept.find(operation.id.replace("-1", "-01"))).isEmpty();
        assertThat(kept.find(operation.id)).contains(operation);
    }
}
