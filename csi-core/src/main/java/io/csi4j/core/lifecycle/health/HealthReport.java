package io.csi4j.core.lifecycle.health;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Collects the values of a {@link ServerHealth} until it is complete. Used by one thread at a time. */
final class HealthReport {
    private final List<HealthProblem> problems = new ArrayList<>();
    boolean leading;
    Optional<String> leader = Optional.empty();
    Optional<Duration> logLatency = Optional.empty();
    long index;
    int waitingClaims;
    int releases;
    int waitingCalls;
    int callsInFlight;
    Instant at = Instant.EPOCH;

    void add(HealthProblem.Kind kind, String message, String remedy) {
        problems.add(new HealthProblem(kind, message, remedy));
    }

    /** Returns the result, with the problems sorted by kind, the blocking kinds first. */
    ServerHealth build() {
        problems.sort(Comparator.comparing(HealthProblem::kind));
        return new ServerHealth(
                leading, leader, index, logLatency, waitingClaims, releases, waitingCalls, callsInFlight, problems, at);
    }
}
