package io.csi4j.core.lifecycle;

import io.csi4j.core.lifecycle.internal.LifecycleEngine;

/** What an engine still holds, for a test that wants it to hold nothing. */
public final class EngineInternals {
    private EngineInternals() {}

    /** Empty if there is nothing: no lane, no claim that waits, no call, no turn, no permit. */
    public static String remaining(VolumeLifecycle lifecycle) {
        LifecycleEngine engine = lifecycle.engine();
        String remaining = "";
        remaining += named("lanes", engine.claims().lanes());
        remaining += named("waiting claims", engine.claims().waiting());
        remaining += named("volumes with calls", engine.claims().underWay().volumes());
        remaining += named("turns", engine.operations().turns().size());
        return remaining;
    }

    private static String named(String what, int count) {
        return count == 0 ? "" : count + " " + what + "; ";
    }
}
