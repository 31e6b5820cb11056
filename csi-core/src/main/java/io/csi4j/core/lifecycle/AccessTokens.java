package io.csi4j.core.lifecycle;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Creates, lists and revokes access tokens. The tokens are rows of the state, so each server knows them, and backups
 * have them. Each operation needs {@link Permission#MANAGEMENT}, and works on each server, whether it leads or not.
 * Thread-safe.
 *
 * <p>The engine does not read the tokens: the program that authenticates callers does, for example with {@code
 * TokenAuthenticator} of csi-admin.
 */
public final class AccessTokens {
    private static final System.Logger LOG = System.getLogger(AccessTokens.class.getName());

    private final Operations operations;
    private final Caller caller;

    AccessTokens(Operations operations, Caller caller) {
        this.operations = operations;
        this.caller = caller;
    }

    /**
     * Creates an access token. The engine makes the id and the secret; the state keeps the hash of the secret only.
     *
     * @return the token with its secret, when the state of this server has the token. Fails with a {@link
     *     CsiRequestException} if the request has problems, or its expiry has passed by the clock of this server. If the log does not answer, a token whose secret
     *     was lost may have been created: {@link #revoke} it, and create another one
     */
    public CompletableFuture<NewAccessToken> create(AccessTokenRequest request) {
        Objects.requireNonNull(request, "request");
        return operations.starter().run(() -> {
            allow();
            return created(request, AccessTokenSecret.generate(), false);
        });
    }

    /**
     * Creates a management token if the state has no token. Of several servers that do this at the same time, one
     * succeeds.
     *
     * @param name the name of the token
     * @param secret the secret of the token, which the caller has stored already
     * @return completes when the state of this server has the token, also if an earlier call has created it. Fails with a
     *     {@link RejectedException} with {@link io.csi4j.core.command.Rejection.AccessTokensExist} if the state has other tokens
     */
    public CompletableFuture<AccessToken> createFirst(String name, AccessTokenSecret secret) {
        Objects.requireNonNull(secret, "secret");
        AccessTokenRequest request = AccessTokenRequest.management(name);
        return operations.starter().run(() -> {
            allow();
            return created(request, secret, true).thenApply(NewAccessToken::token);
        });
    }

    private CompletableFuture<NewAccessToken> created(
            AccessTokenRequest request, AccessTokenSecret secret, boolean onlyFirst) {
        Instant now = operations.now();
        List<Problem> problems = new ArrayList<>(request.problems());
        if (request.expiresAt().filter(end -> !now.isBefore(end)).isPresent()) {
            problems.add(new Problem("expiresAt", "has passed: it is " + now, "give a later time, or none"));
        }
        if (!problems.isEmpty()) {
            throw new CsiRequestException("access token", problems);
        }
        var command = new AccessTokenCommand.CreateAccessToken(
                secret.id(),
                request,
                secret.hash(),
                Text.repaired(caller.principal().getName()),
                onlyFirst,
                now);
        // Submitted once: a repetition that is applied late would bring back a token that was revoked meanwhile.
        return operations.submit(command).thenApply(accepted -> {
            log(command.token(), "created");
            return new NewAccessToken(command.token(), secret);
        });
    }

    /** Writes who changed a token, for a later investigation. */
    private void log(AccessToken token, String participle) {
        AccessTokenRequest request = token.request();
        String allowed = request.management()
                ? "which may do everything"
                : "with the policies " + String.join(", ", request.policies());
        LOG.log(
                Level.INFO,
                () -> "Caller " + Text.printable(caller.principal().getName()) + " has " + participle
                        + " the access token " + token.id() + ", named " + Text.printable(request.name()) + ", "
                        + allowed);
    }

    /** Returns the tokens that a query finds, also expired ones, in the order of their ids. */
    public CompletableFuture<ListPage<AccessToken, AccessTokenId>> list(AccessTokenQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.starter().run(() -> {
            allow();
            List<AccessToken> page = new ArrayList<>();
            for (AccessToken token : operations.state().accessTokens()) {
                if (token.id().value().startsWith(query.idPrefix())
                        && query.after()
                                .filter(last -> token.id().compareTo(last) <= 0)
                                .isEmpty()) {
                    if (page.size() == query.limit()) {
                        return CompletableFuture.completedFuture(new ListPage<>(
                                page, Optional.of(page.get(page.size() - 1).id())));
                    }
                    page.add(token);
                }
            }
            return CompletableFuture.completedFuture(new ListPage<>(page, Optional.empty()));
        });
    }

    /**
     * Returns a token.
     *
     * @return the token; fails with a {@link CsiRequestException} if the state of this server does not have it
     */
    public CompletableFuture<AccessToken> get(AccessTokenId id) {
        Objects.requireNonNull(id, "id");
        return operations.starter().run(() -> {
            allow();
            return CompletableFuture.completedFuture(known(id));
        });
    }

    /**
     * Revokes a token: removes its row. Each server refuses the token as soon as its state has this change.
     *
     * @return completes when the state of this server has the change; fails with a {@link CsiRequestException} if the
     *     state of this server does not have the token
     */
    public CompletableFuture<Void> revoke(AccessTokenId id) {
        Objects.requireNonNull(id, "id");
        return operations.starter().run(() -> {
            allow();
            AccessToken token = known(id);
            var command = new AccessTokenCommand.RevokeAccessToken(id, operations.now());
            return operations
                    .retryLoop()
                    .untilDone(
                            "revocation of access token " + id,
                            RetryLoop.Stored.UNCERTAIN,
                            attempt -> operations.submit(command))
                    .thenApply(accepted -> {
                        log(token, "revoked");
                        return null;
                    });
        });
    }

    private AccessToken known(AccessTokenId id) {
        return operations
                .state()
                .accessToken(id)
                .orElseThrow(() -> new CsiRequestException(
                        "access token",
                        List.of(new Problem("id", "is " + id + ", and no access token has it", "list the tokens"))));
    }

    private void allow() {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
    }
}
