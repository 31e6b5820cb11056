package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.lifecycle.internal.call.VolumeCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VolumeCallsTest {
    private final VolumeCalls turns = new VolumeCalls(Runnable::run);
    private final List<String> begun = new ArrayList<>();

    private CompletableFuture<Void> beside(String name, int max) {
        CompletableFuture<Void> work = new CompletableFuture<>();
        var unused = turns.concurrently("volume", max, () -> {
            begun.add(name);
            return work;
        });
        return work;
    }

    @Test
    void noOtherCallRunsDuringExclusiveCall() {
        CompletableFuture<Void> a = beside("a", 2);
        CompletableFuture<Void> b = beside("b", 2);
        CompletableFuture<Void> alone = beside("alone", 1);
        CompletableFuture<Void> c = beside("c", 2);
        assertThat(begun).as("waiting calls keep their order").containsExactly("a", "b");
        a.complete(null);
        assertThat(begun).containsExactly("a", "b");
        b.complete(null);
        assertThat(begun).containsExactly("a", "b", "alone");
        alone.complete(null);
        assertThat(begun).containsExactly("a", "b", "alone", "c");
        c.complete(null);
        assertThat(turns.queues()).as("an unused queue is removed").isZero();
    }

    @Test
    void concurrentCallsDoNotExceedLimit() {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            all.add(beside("" + i, 3));
        }
        assertThat(begun).hasSize(3);
        for (int i = 0; i < 10; i++) {
            all.get(i).completeExceptionally(new IllegalStateException("one that fails is over too"));
            assertThat(begun).hasSize(Math.min(10, i + 4));
        }
        assertThat(turns.queues()).isZero();
    }
}
