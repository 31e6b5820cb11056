package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.CallKind;
import io.csi4j.core.lifecycle.internal.call.CallPermit;
import io.csi4j.core.lifecycle.internal.call.NodeLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class NodeLimiterTest {
    private static final NodeId HUNG = NodeId.of("hung");
    private static final NodeId OTHER = NodeId.of("other");

    private final NodeLimiter limiter = new NodeLimiter(4, Runnable::run);

    @Test
    void hungNodeUsesNoPermitsOfOtherNodes() {
        List<CompletableFuture<CallPermit>> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(limiter.acquire(HUNG, CallKind.OTHER));
        }
        assertThat(held.stream().filter(CompletableFuture::isDone)).hasSize(2);
        assertThat(limiter.acquire(HUNG, CallKind.UNPUBLISH))
                .as("other calls leave a permit for unmount calls")
                .isDone();
        assertThat(limiter.acquire(OTHER, CallKind.OTHER)).isDone();
    }

    @Test
    void permitsAreGrantedInOrderAndUnusedLimitersAreRemoved() {
        List<CompletableFuture<CallPermit>> asked = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            asked.add(limiter.acquire(HUNG, CallKind.UNPUBLISH));
        }
        for (int i = 0; i < 6; i++) {
            assertThat(asked.get(i)).as("call %s has a permit", i).isDone();
            assertThat(asked.stream().filter(CompletableFuture::isDone)).hasSize(Math.min(6, i + 2));
            limiter.release(HUNG, asked.get(i).join());
        }
        assertThat(limiter.size()).isZero();
    }
}
