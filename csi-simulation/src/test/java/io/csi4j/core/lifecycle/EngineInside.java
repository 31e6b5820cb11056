package io.csi4j.core.lifecycle;

import io.csi4j.core.lifecycle.internal.LifecycleEngine;

/** What an engine still holds, for a test that wants it to hold nothing. */
public final class EngineInside {
    private EngineInside() {}

    /** Empty if there is nothing: no lane, no claim that waits, no call, no turn, no permit. */
    public static String remains(VolumeLifecycle lifecycle) {
        LifecycleEngine engine = lifecycle.engine();
        String remains = "";
        remains += named("workers", engine.claims().workers());
        remains += named("waiting claims", engine.claims().waiting());
        remains += named("volumes with calls", engine.claims().inFlightCalls().volumes());
        remains += named("call queues", engine.operations().callQueues().size());
        return remains;
    }

    private static String named(String what, int count) {
        return count == 0 ? "" : count + " " + what + "; ";
    }
}
