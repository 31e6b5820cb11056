package io.csi4j.client.registry.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WatchedCallsTest {
    /** A service with a call, and a method that is none. */
    interface Service {
        CompletableFuture<String> call(String request);

        int number();
    }

    private final CsiCallException failure = new CsiCallException(
            Rpc.PROBE, "ebs", null, StatusCode.UNAVAILABLE, CallOutcome.RETRY_AFTER_CAUSE, "down", "down", null);

    private final List<CsiCallException> failed = new ArrayList<>();
    private final Service service = WatchedCalls.over(
            Service.class,
            new Service() {
                @Override
                public CompletableFuture<String> call(String request) {
                    return switch (request) {
                        case "good" -> CompletableFuture.completedFuture("answer");
                        case "failing" -> CompletableFuture.failedFuture(failure);
                        case "defect" -> CompletableFuture.failedFuture(new IllegalArgumentException("defect"));
                        default -> throw new IllegalStateException("closed");
                    };
                }

                @Override
                public int number() {
                    return 7;
                }
            },
            failed::add);

    @Test
    void failureOfCallIsReported() {
        CompletableFuture<String> answer = service.call("failing");
        assertThat(answer).isCompletedExceptionally();
        assertThat(failed).containsExactly(failure);
    }

    @Test
    void responseAndOtherFailureAreNotReported() {
        assertThat(service.call("good")).isCompletedWithValue("answer");
        assertThat(service.call("defect")).isCompletedExceptionally();
        assertThat(service.number()).isEqualTo(7);
        assertThatThrownBy(() -> service.call("late"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("closed");
        assertThat(failed).isEmpty();
    }
}
