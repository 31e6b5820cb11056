package io.csi4j.admin;

import io.csi4j.admin.internal.api.Api;
import io.csi4j.admin.internal.api.Failures;
import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.console.ConsolePages;
import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.admin.internal.http.HttpHead;
import io.csi4j.admin.internal.http.HttpRequest;
import io.csi4j.admin.internal.http.HttpService;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Serves the API, its description, the pages for people, and the health of the server. */
final class AdminService implements HttpService {
    private final VolumeLifecycle lifecycle;
    private final Gate gate;
    private final Api api;
    private final ConsolePages pages;
    private final HealthAnswer health;
    private final String description;

    AdminService(
            VolumeLifecycle lifecycle,
            Gate gate,
            Api api,
            ConsolePages pages,
            HealthAnswer health,
            String description) {
        this.lifecycle = lifecycle;
        this.gate = gate;
        this.api = api;
        this.pages = pages;
        this.health = health;
        this.description = description;
    }

    @Override
    public Optional<HttpAnswer> refuse(HttpHead head) {
        return gate.refuse(head);
    }

    @Override
    public CompletableFuture<HttpAnswer> serve(HttpRequest request) {
        HttpHead head = request.head();
        Optional<Principal> caller = gate.caller(head);
        if (Gate.isHealth(head)) {
            return health(caller);
        } else if (gate.needsToken() && caller.isEmpty()) {
            return CompletableFuture.completedFuture(
                    Failures.answer(Failure.of("unauthenticated", 401, "the token was revoked")));
        } else if (head.method().equals("GET") && head.path().equals(List.of("v1", "openapi.json"))) {
            return CompletableFuture.completedFuture(HttpAnswer.of(200, "application/json", description));
        }
        CallerOperations operations = operations(caller.orElse(OneToken.HOST));
        return Api.has(head.path())
                ? api.answer(request, operations, caller.map(Principal::getName).orElse("host"))
                : page(head, operations);
    }

    /** Returns the health: to callers who may not see all objects only whether the server can do its work. */
    private CompletableFuture<HttpAnswer> health(Optional<Principal> caller) {
        if (caller.isEmpty()) {
            return health.answer(gate.needsToken());
        }
        return Futures.compose(
                // Needs MANAGEMENT, and is cheap. If the state cannot be read, it fails, and the health says so.
                Futures.start(() -> operations(caller.get()).operator().withdrawnCreations()),
                allowed -> health.answer(false),
                refused -> health.answer(true));
    }

    private CompletableFuture<HttpAnswer> page(HttpHead head, CallerOperations caller) {
        return head.method().equals("GET")
                ? pages.answer(head, caller)
                : CompletableFuture.completedFuture(
                        Failures.answer(Failure.of("method-not-allowed", 405, "pages only read; use GET"))
                                .with("allow", "GET, HEAD"));
    }

    private CallerOperations operations(Principal caller) {
        return OneToken.HOST.equals(caller) ? lifecycle : lifecycle.as(caller);
    }
}
