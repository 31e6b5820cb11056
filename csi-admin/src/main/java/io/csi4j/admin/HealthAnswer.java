package io.csi4j.admin;

import io.csi4j.admin.internal.api.HealthEndpoint;
import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.core.lifecycle.health.HealthCheck;
import java.util.concurrent.CompletableFuture;

/** The health of the server, for programs: 200 if it can do its work, else 503. */
final class HealthAnswer {
    private final HealthCheck check;

    HealthAnswer(HealthCheck check) {
        this.check = check;
    }

    /** @param stranger whether the answer says only whether the server is able */
    CompletableFuture<HttpAnswer> answer(boolean stranger) {
        return check.run()
                .thenApply(health -> HttpAnswer.of(
                        health.able() ? 200 : 503,
                        "application/json",
                        (stranger ? "{\"able\":" + health.able() + "}" : HealthEndpoint.SHAPE.text(health)) + "\n"));
    }
}
