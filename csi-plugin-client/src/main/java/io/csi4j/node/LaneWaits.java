package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Who waits for something of one volume. Belongs to the turns of its lane. */
final class LaneWaits {
    private final List<MountWait<MountedVolume>> mounts = new ArrayList<>();
    private final List<MountWait<@Nullable Void>> unmounts = new ArrayList<>();

    void mount(MountWait<MountedVolume> wait) {
        mounts.add(wait);
    }

    void unmount(MountWait<@Nullable Void> wait) {
        unmounts.add(wait);
    }

    boolean none() {
        return mounts.isEmpty() && unmounts.isEmpty();
    }

    /** Takes one out that was cancelled, or whose time is over. Tells whether nobody else waits for that mount. */
    boolean abandon(MountWait<?> wait) {
        boolean was = mounts.removeIf(wait::equals);
        unmounts.removeIf(wait::equals);
        wait.end();
        return was && mounts.stream().noneMatch(other -> other.allocationId().equals(wait.allocationId()));
    }

    void mounted(AllocationId allocation, MountedVolume volume) {
        take(mounts, wait -> wait.allocationId().equals(allocation)).forEach(wait -> wait.complete(volume));
    }

    void unmounted(Predicate<AllocationId> done) {
        take(unmounts, wait -> done.test(wait.allocationId())).forEach(wait -> wait.complete(null));
    }

    void failMount(AllocationId allocation, Throwable error) {
        take(mounts, wait -> wait.allocationId().equals(allocation)).forEach(wait -> wait.fail(error));
    }

    void failUnmount(AllocationId allocation, Throwable error) {
        take(unmounts, wait -> wait.allocationId().equals(allocation)).forEach(wait -> wait.fail(error));
    }

    void failAll(Function<AllocationId, Throwable> error) {
        take(mounts, wait -> true).forEach(wait -> wait.fail(error.apply(wait.allocationId())));
        take(unmounts, wait -> true).forEach(wait -> wait.fail(error.apply(wait.allocationId())));
    }

    private static <T> List<MountWait<T>> take(List<MountWait<T>> waits, Predicate<MountWait<T>> which) {
        List<MountWait<T>> taken = waits.stream().filter(which).toList();
        waits.removeAll(taken);
        return taken;
    }
}
