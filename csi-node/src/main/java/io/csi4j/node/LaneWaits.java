package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who waits for something of one volume. Belongs to the turns of its lane. */
final class LaneWaits {
    private final Consumer<Runnable> teller;
    private final List<MountWait<MountedVolume>> mounts = new ArrayList<>();
    private final List<MountWait<@Nullable Void>> unmounts = new ArrayList<>();

    /** Whoever waited is told by {@code teller}. */
    LaneWaits(Consumer<Runnable> teller) {
        this.teller = teller;
    }

    void mount(MountWait<MountedVolume> wait) {
        mounts.add(wait);
    }

    void unmount(MountWait<@Nullable Void> wait) {
        unmounts.add(wait);
    }

    boolean none() {
        return mounts.isEmpty() && unmounts.isEmpty();
    }

    boolean isMounting(AllocationId allocation) {
        return mounts.stream().anyMatch(wait -> wait.allocationId().equals(allocation));
    }

    /** Takes one out that was cancelled, or whose time is over. Tells whether nobody else waits for that mount. */
    boolean abandon(MountWait<?> wait) {
        boolean was = mounts.removeIf(wait::equals);
        unmounts.removeIf(wait::equals);
        wait.end();
        return was && !isMounting(wait.allocationId());
    }

    /** Tells whether anybody waited; {@code unheard} is run if all who waited had left by the time they were told. */
    boolean mounted(AllocationId allocation, MountedVolume volume, Runnable unheard) {
        List<MountWait<MountedVolume>> waiting =
                take(mounts, wait -> wait.allocationId().equals(allocation));
        if (waiting.isEmpty()) {
            return false;
        }
        AtomicInteger left = new AtomicInteger();
        // Each by itself: one that was told may block.
        waiting.forEach(wait -> teller.accept(() -> {
            if (!wait.complete(volume) && left.incrementAndGet() == waiting.size()) {
                unheard.run();
            }
        }));
        return true;
    }

    boolean unmounted(Predicate<AllocationId> done) {
        List<MountWait<@Nullable Void>> waiting = take(unmounts, wait -> done.test(wait.allocationId()));
        waiting.forEach(wait -> teller.accept(() -> wait.complete(null)));
        return !waiting.isEmpty();
    }

    void failMount(AllocationId allocation, Throwable error) {
        fail(take(mounts, wait -> wait.allocationId().equals(allocation)), error);
    }

    void failUnmount(AllocationId allocation, Throwable error) {
        fail(take(unmounts, wait -> wait.allocationId().equals(allocation)), error);
    }

    void failAll(Throwable error) {
        fail(take(mounts, wait -> true), error);
        fail(take(unmounts, wait -> true), error);
    }

    private <T> void fail(List<MountWait<T>> waiting, Throwable error) {
        waiting.forEach(wait -> teller.accept(() -> wait.fail(error)));
    }

    private static <T> List<MountWait<T>> take(List<MountWait<T>> waits, Predicate<MountWait<T>> which) {
        List<MountWait<T>> taken = waits.stream().filter(which).toList();
        waits.removeAll(taken);
        return taken;
    }
}
