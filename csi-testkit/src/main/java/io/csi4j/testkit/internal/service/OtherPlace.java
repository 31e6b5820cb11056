package io.csi4j.testkit.internal.service;

import io.grpc.Context;

/** Says whether a fault asks the call of the current context to create its volume outside of the requested places. */
public final class OtherPlace {
    private static final Context.Key<Boolean> ASKED = Context.keyWithDefault("csi4j-other-place", false);

    private OtherPlace() {}

    static boolean isAsked() {
        return ASKED.get();
    }

    /** Runs the work of a call whose volume gets a place outside of the requested ones. */
    public static void run(Runnable work) {
        Context.current().withValue(ASKED, true).run(work);
    }
}
