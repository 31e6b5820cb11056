package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.Bench;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class UnfinishedUnmountsTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final AllocationId B = AllocationId.of("b");

    @Test
    void unmountIsKeptForItsAllocationUntilItSucceeds() {
        UnfinishedUnmounts unmounts = new UnfinishedUnmounts();
        assertThat(unmounts.of(A)).isEmpty();
        CompletableFuture<Void> v = new CompletableFuture<>();
        CompletableFuture<Void> w = new CompletableFuture<>();
        assertThat(unmounts.watched(A, Bench.id("v"), v)).isSameAs(v);
        CompletableFuture<?> unused = unmounts.watched(A, Bench.id("w"), w);
        CompletableFuture<?> failed =
                unmounts.watched(B, Bench.id("v"), CompletableFuture.failedFuture(new IllegalStateException("later")));
        assertThat(failed).isCompletedExceptionally();
        assertThat(unmounts.of(A)).containsExactlyInAnyOrder(Bench.id("v"), Bench.id("w"));
        v.complete(null);
        assertThat(unmounts.of(A)).containsExactly(Bench.id("w"));
        w.complete(null);
        assertThat(unmounts.of(A)).isEmpty();
        assertThat(unmounts.of(B)).containsExactly(Bench.id("v"));
        CompletableFuture<?> repeated = unmounts.watched(B, Bench.id("v"), CompletableFuture.completedFuture(null));
        assertThat(repeated).isCompleted();
        assertThat(unmounts.of(B)).isEmpty();
    }
}
