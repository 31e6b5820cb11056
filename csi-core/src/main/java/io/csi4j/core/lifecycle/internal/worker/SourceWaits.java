package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The volumes whose deletion waits because another volume or a snapshot is being created from them. The end of that creation does not
 * change their rows, so this class wakes their workers. Thread-safe.
 */
final class SourceWaits {
    private final Supplier<StateReader> state;
    private final Consumer<VolumeKey> wake;
    private final Set<VolumeKey> waiting = ConcurrentHashMap.newKeySet();

    SourceWaits(Supplier<StateReader> state, Consumer<VolumeKey> wake) {
        this.state = state;
        this.wake = wake;
    }

    /** Notes whether a volume waits by its newest plan. */
    void planned(VolumeKey key, @Nullable Volume volume, Plan plan) {
        boolean waits = plan.waits().stream().anyMatch(wait -> wait.reason() == RemainingWork.Reason.SOURCE_IN_USE);
        if (volume == null || !waits) {
            waiting.remove(key);
        } else if (waiting.add(key) && !PlanFacts.isSource(state.get(), volume)) {
            // The creation has ended after the plan read the state, and before this volume was noted.
            wake.accept(key);
        }
    }

    /** Wakes the volumes whose wait has ended. Call this after each change of a volume with remaining work. */
    void changed() {
        if (waiting.isEmpty()) {
            return;
        }
        StateReader now = state.get();
        for (VolumeKey key : waiting) {
            if (now.volume(key)
                    .filter(volume -> PlanFacts.isSource(now, volume))
                    .isEmpty()) {
                wake.accept(key);
            }
        }
    }
}
