package io.csi4j.core.lifecycle.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.ClaimGrant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The engine sees the end of a request before the host, and the first end counts. */
class ClaimFutureTest {
    private static final ClaimGrant GRANT = new ClaimGrant(AllocationId.of("a"), List.of());

    private final ClaimFuture future = new ClaimFuture();
    private final List<Boolean> engineKnew = new ArrayList<>();

    ClaimFutureTest() {
        var unused = future.whenComplete(
                (grant, failure) -> engineKnew.add(future.outcome().isDone()));
    }

    @Test
    void grantCompletesBothAndStays() {
        assertThat(future.complete(GRANT)).isTrue();
        assertThat(engineKnew).containsExactly(true);
        assertThat(future.outcome()).isCompletedWithValue(GRANT);
        assertThat(future).isCompletedWithValue(GRANT);
        assertThat(future.complete(GRANT)).isFalse();
        assertThat(future.completeExceptionally(new IllegalStateException())).isFalse();
        assertThat(future.cancel(true)).isFalse();
        assertThat(future).isCompletedWithValue(GRANT);
    }

    @Test
    void failureCompletesBothAndStays() {
        assertThat(future.completeExceptionally(new IllegalStateException())).isTrue();
        assertThat(engineKnew).containsExactly(true);
        assertThat(future.outcome()).isCompletedExceptionally();
        assertThat(future).isCompletedExceptionally();
        assertThat(future.completeExceptionally(new IllegalStateException())).isFalse();
        assertThat(future.complete(GRANT)).isFalse();
        assertThat(future.cancel(true)).isFalse();
    }

    @Test
    void cancelledRequestIsCancelledForBothAndCanBeCancelledAgain() {
        assertThat(future.cancel(true)).isTrue();
        assertThat(engineKnew).containsExactly(true);
        assertThat(future.outcome()).isCancelled();
        assertThat(future).isCancelled();
        assertThat(future.cancel(true)).isTrue();
        assertThat(future.complete(GRANT)).isFalse();
        assertThat(future).isCancelled();
    }

    /** The engine has ended the request, and the host is just being notified. */
    @Test
    void requestThatTheEngineHasEndedIsNotEndedOtherwise() {
        assertThat(future.outcome().complete(GRANT)).isTrue();
        assertThat(future.complete(GRANT)).isFalse();
        assertThat(future.completeExceptionally(new IllegalStateException())).isFalse();
        assertThat(future.cancel(true)).isFalse();
        assertThat(future).isNotDone();
    }
}
