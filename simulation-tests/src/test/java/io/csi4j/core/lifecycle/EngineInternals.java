package io.csi4j.core.lifecycle;

import io.csi4j.core.lifecycle.internal.LifecycleEngine;

/** Shows what an engine still holds, for tests that expect it to hold nothing. */
public final class EngineInternals {
    private EngineInternals() {}

    /** Describes workers, waiting claims and calls in flight; empty if there are none. */
    public static String remaining(VolumeLifecycle lifecycle) {
        LifecycleEngine engine = lifecycle.engine();
        String remaining = "";
        remaining += named("workers", engine.claims().workers());
        remaining += named("waiting claims", engine.claims().waiting());
        remaining +=
                named("volumes with calls", engine.operations().volumeCalls().volumesInFlight());
        remaining += named(
                "volumes with operations", engine.operations().volumeCalls().queues());
        return remaining;
    }

    private static String named(String label, int count) {
        return count == 0 ? "" : count + " " + label + "; ";
    }
}
