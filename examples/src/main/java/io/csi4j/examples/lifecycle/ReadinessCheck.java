package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.ProbeRequest;
import io.csi4j.examples.steps.StepLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits until a plugin is ready: until its socket exists and Probe returns {@code ready = true} (R39). */
final class ReadinessCheck {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

    private final IdentityService identity;
    private final String endpoint;
    private final Duration limit;
    private final StepLog log;
    private final long begin = System.nanoTime();
    private boolean logged;

    ReadinessCheck(IdentityService identity, String endpoint, Duration limit, StepLog log) {
        this.identity = identity;
        this.endpoint = endpoint;
        this.limit = limit;
        this.log = log;
    }

    /** Completes when the plugin is ready, and fails after the time limit. */
    CompletableFuture<String> await() {
        return Polling.poll(this::problem, this::isFinal, POLL_INTERVAL).thenApply(problem -> {
            if (!problem.isEmpty()) {
                throw new CompletionException(new CsiException("the plugin at " + endpoint + " was not ready within "
                        + StepLog.text(limit) + " (" + problem + "); start it, or correct the endpoint"));
            }
            return problem;
        });
    }

    /** The reason why the plugin is not ready; empty if it is ready. */
    private CompletableFuture<String> problem() {
        return identity.probe(ProbeRequest.of()).handle((answer, failure) -> {
            if (answer != null) {
                return answer.ready() ? "" : "it answers, and is still starting";
            }
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            return String.valueOf(cause == null ? failure : cause.getMessage());
        });
    }

    private boolean isFinal(String problem) {
        if (problem.isEmpty() || System.nanoTime() - begin > limit.toNanos()) {
            return true;
        }
        if (!logged) {
            logged = true;
            log.print("Waiting up to " + StepLog.text(limit) + " for the plugin at " + endpoint + ".");
        }
        return false;
    }
}
