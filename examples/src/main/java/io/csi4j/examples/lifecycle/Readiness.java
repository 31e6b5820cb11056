package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.ProbeRequest;
import io.csi4j.examples.walk.StepLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Waits for a plugin that is still starting: its socket is not there yet, or it answers Probe with
 * {@code ready = false}, which is no illness (R39).
 */
final class Readiness {
    private static final Duration PAUSE = Duration.ofMillis(250);

    private final IdentityService identity;
    private final String endpoint;
    private final Duration limit;
    private final StepLog log;
    private final long begin = System.nanoTime();
    private boolean told;

    Readiness(IdentityService identity, String endpoint, Duration limit, StepLog log) {
        this.identity = identity;
        this.endpoint = endpoint;
        this.limit = limit;
        this.log = log;
    }

    /** Completes with nothing of interest when the plugin is ready. */
    CompletableFuture<String> await() {
        return RepeatUntil.until(this::sign, this::enough, PAUSE).thenApply(sign -> {
            if (!sign.isEmpty()) {
                throw new CompletionException(new CsiException("the plugin at " + endpoint + " was not ready within "
                        + StepLog.text(limit) + " (" + sign + "); start it, or correct the endpoint"));
            }
            return sign;
        });
    }

    /** Empty if ready, else what is in the way. */
    private CompletableFuture<String> sign() {
        return identity.probe(ProbeRequest.of()).handle((answer, failure) -> {
            if (answer != null) {
                return answer.ready() ? "" : "it answers, and is still starting";
            }
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            return String.valueOf(cause == null ? failure : cause.getMessage());
        });
    }

    private boolean enough(String sign) {
        if (sign.isEmpty() || System.nanoTime() - begin > limit.toNanos()) {
            return true;
        }
        if (!told) {
            told = true;
            log.say("Waiting up to " + StepLog.text(limit) + " for the plugin at " + endpoint + ".");
        }
        return false;
    }
}
