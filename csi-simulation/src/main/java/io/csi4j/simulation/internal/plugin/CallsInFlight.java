package io.csi4j.simulation.internal.plugin;

import io.csi4j.simulation.internal.world.SimWorld;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Checks that one server process has at most one call in flight for each volume and service. */
public final class CallsInFlight {
    private final SimWorld world;
    private final Set<String> subjects = new HashSet<>();

    public CallsInFlight(SimWorld world) {
        this.world = world;
    }

    /** Tracks a call of a server. */
    public void track(String subject, CompletableFuture<?> answer) {
        world.countCall();
        trackOnly(subject, answer);
    }

    /** Tracks a call of an agent. Such a call does not count as a call of the engine. */
    public void trackOnly(String subject, CompletableFuture<?> answer) {
        if (!subjects.add(subject)) {
            world.reportViolation("I4: a second call in flight to the " + subject);
        }
        var unused = answer.whenComplete((result, failure) -> subjects.remove(subject));
    }
}
