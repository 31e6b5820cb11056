package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockingTest {
    private static final AllocationId A = AllocationId.of("a");

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);
    private final ExecutorService waiter = Executors.newSingleThreadExecutor();

    @AfterEach
    void endThread() {
        waiter.shutdownNow();
    }

    /** The virtual time needs a thread that drives it while another one waits. */
    private <T> CompletableFuture<T> inThread(Supplier<T> operation) {
        return CompletableFuture.supplyAsync(operation, waiter);
    }

    private <T> T driven(CompletableFuture<T> operation) {
        while (!operation.isDone()) {
            rig.run();
            Thread.onSpinWait();
        }
        return operation.join();
    }

    @Test
    void blockingClaimReturnsGrant() {
        driven(inThread(() -> {
            Blocking.get(rig.host.cluster().allocationStarted(A, Namespace.of("default"), NodeId.of("n1")));
            return true;
        }));
        ClaimGrant grant = driven(inThread(() ->
                Blocking.get(rig.host.claims().claim(A, List.of(LifecycleRig.write(VOL, SINGLE))))));
        assertThat(grant.allocationId()).isEqualTo(A);
        assertThat(rig.get(VOL).inUse()).isTrue();
    }

    @Test
    void failureOfOperationIsThrownUnwrapped() {
        CompletableFuture<Boolean> refused = inThread(() -> {
            assertThatThrownBy(() -> Blocking.get(rig.host
                            .claims()
                            .claim(AllocationId.of("unknown"), List.of(LifecycleRig.write(VOL, SINGLE)))))
                    .isExactlyInstanceOf(RejectedException.class);
            return true;
        });
        assertThat(driven(refused)).isTrue();
    }

    @Test
    void interruptedThreadStopsWaitingAndItsClaimIsCancelled() {
        rig.done(rig.claim("holder", "n1", SINGLE));
        rig.allocation("a", "n1");
        // The claim waits for the holder, so only the interruption ends it.
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Blocking.get(rig.host.claims().claim(A, List.of(LifecycleRig.write(VOL, SINGLE)))))
                .isInstanceOf(InterruptedOperationException.class);
        assertThat(Thread.interrupted()).as("the flag stays set").isTrue();
        rig.run();
        assertThat(rig.done(rig.host.claims().waiting(WaitingQuery.all())).items())
                .isEmpty();
    }
}
