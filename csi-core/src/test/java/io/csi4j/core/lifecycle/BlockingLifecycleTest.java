package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.blocking.BlockingLifecycle;
import io.csi4j.core.lifecycle.blocking.InterruptedOperationException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BlockingLifecycleTest {
    private static final AllocationId A = AllocationId.of("a");

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);
    private final BlockingLifecycle blocking = BlockingLifecycle.of(rig.host);
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
            blocking.cluster().allocationStarted(A, Namespace.of("default"), NodeId.of("n1"));
            return true;
        }));
        ClaimGrant grant = driven(inThread(() -> blocking.claims().claim(A, List.of(LifecycleRig.write(VOL, SINGLE)))));
        assertThat(grant.allocationId()).isEqualTo(A);
        assertThat(rig.get(VOL).inUse()).isTrue();
    }

    @Test
    void failureOfOperationIsThrownUnwrapped() {
        CompletableFuture<Boolean> refused = inThread(() -> {
            assertThatThrownBy(() -> blocking.claims()
                            .claim(AllocationId.of("unknown"), List.of(LifecycleRig.write(VOL, SINGLE))))
                    .isExactlyInstanceOf(RejectedException.class);
            return true;
        });
        assertThat(driven(refused)).isTrue();
    }

    @Test
    void invalidArgumentIsRejectedAtOnce() {
        assertThatThrownBy(() -> blocking.claims().claim(A, List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void interruptedThreadStopsWaitingAndItsClaimIsCancelled() {
        rig.done(rig.claim("holder", "n1", SINGLE));
        rig.allocation("a", "n1");
        // The claim waits for the holder, so only the interruption ends it.
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> blocking.claims().claim(A, List.of(LifecycleRig.write(VOL, SINGLE))))
                .isInstanceOf(InterruptedOperationException.class);
        assertThat(Thread.interrupted()).as("the flag stays set").isTrue();
        rig.run();
        assertThat(rig.done(rig.host.claims().waiting())).isEmpty();
    }

    @Test
    void everyAsynchronousOperationHasBlockingVariant() {
        Map<Class<?>, Class<?>> views = Arrays.stream(BlockingLifecycle.class.getMethods())
                .filter(view -> view.getReturnType().getSimpleName().startsWith("Blocking"))
                .filter(view -> view.getParameterCount() == 0)
                .collect(Collectors.toMap(view -> waited(view.getName()), Method::getReturnType));
        assertThat(views).hasSize(5);
        views.forEach((view, waiting) -> assertThat(signatures(waiting, false)).isEqualTo(signatures(view, true)));
    }

    private static Class<?> waited(String name) {
        try {
            return VolumeLifecycle.class.getMethod(name).getReturnType();
        } catch (NoSuchMethodException missing) {
            throw new AssertionError(missing);
        }
    }

    private static Set<String> signatures(Class<?> view, boolean futures) {
        return Arrays.stream(view.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !futures || method.getReturnType() == CompletableFuture.class)
                .map(method -> method.getName() + Arrays.toString(method.getParameterTypes()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
