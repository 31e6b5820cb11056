package io.csi4j.admin.internal.api;

import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.admin.access.PolicyProblem;
import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.AccessTokenQuery;
import io.csi4j.core.lifecycle.AccessTokens;
import io.csi4j.core.lifecycle.NewAccessToken;
import io.csi4j.core.state.StateScope;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The tokens of callers, and the policies that say what a token may do. */
public final class AccessEndpoints {
    private static final String MANAGEMENT = "MANAGEMENT";

    private static final Parameter TOKEN =
            Parameter.path("token", "The id of the token: the part of its secret that is not secret.");

    private static final Shape<AccessToken> SHAPE = Shape.<AccessToken>of("AccessToken", "A token, without its secret.")
            .text("token", "The id.", token -> token.id().value())
            .column()
            .text("name", "The name, for people.", token -> token.request().name())
            .column()
            .flag(
                    "management",
                    "Whether the token may do everything.",
                    token -> token.request().management())
            .column()
            .texts(
                    "policies",
                    "The names of its policies.",
                    token -> token.request().policies())
            .column()
            .text("createdBy", "The caller that created it.", AccessToken::createdBy)
            .time("createdAt", "The time of its creation.", AccessToken::createdAt)
            .column("CREATED")
            .time(
                    "expiresAt",
                    "The time from which it is refused.",
                    token -> token.request().expiresAt())
            .optional()
            .column("EXPIRES")
            .build();

    private static final Shape<NewAccessToken> NEW = Shape.<NewAccessToken>of(
                    "NewAccessToken", "A token with its secret, which is shown this once.")
            .text(
                    "secret",
                    "The secret: send it as Authorization: Bearer SECRET.",
                    created -> created.secret().text())
            .object("token", "The token.", SHAPE, NewAccessToken::token)
            .build();

    private static final Shape<PolicyProblem> PROBLEM = Shape.<PolicyProblem>of(
                    "PolicyProblem", "A reason why a policy file of this server is not in use as it is.")
            .text("file", "The file, or the directory.", PolicyProblem::file)
            .number("line", "The line, from 1; 0 for the whole file.", PolicyProblem::line)
            .text("problem", "The problem.", PolicyProblem::problem)
            .text("remedy", "The change that solves it.", PolicyProblem::remedy)
            .build();

    private static final Shape<AccessPolicies> POLICIES = Shape.<AccessPolicies>of(
                    "AccessPolicies", "The policies of this server.")
            .texts("policies", "Their names.", AccessPolicies::names)
            .objects("problems", "Why files are not in use as they are.", PROBLEM, AccessPolicies::problems)
            .build();

    private AccessEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), status(), create(), revoke(), policies());
    }

    private static Endpoint list() {
        return Endpoint.get("token list", "/v1/tokens", "List the tokens of callers")
                .with(Parameter.query("prefix", Parameter.Type.TEXT, "Only tokens whose id begins so."))
                .needs(MANAGEMENT)
                .waitsFor(call -> StateScope.of(StateScope.Table.ACCESS_TOKENS))
                .pages(
                        SHAPE,
                        (call, after, limit) -> Futures.map(
                                call.operations()
                                        .accessTokens()
                                        .list(new AccessTokenQuery(
                                                call.values().textOrEmpty("prefix"),
                                                after.map(AccessTokenId::of),
                                                limit)),
                                page -> Page.of(page, AccessTokenId::value)));
    }

    private static Endpoint status() {
        return Endpoint.get("token status", "/v1/tokens/{token}", "Show a token")
                .with(TOKEN)
                .needs(MANAGEMENT)
                .one(SHAPE, call -> {
                    AccessTokenId id = call.values().parsed("token", AccessTokenId::of);
                    return Failures.read(
                            call.operations().accessTokens().get(id),
                            "no access token has the id " + id + "; csi token list has all");
                });
    }

    private static Endpoint create() {
        return Endpoint.post("token create", "/v1/tokens", "Create a token for a caller")
                .description("The answer has the secret, which is shown this once: the state keeps only its hash. The"
                        + " policies are files on each server. If no answer comes, list the tokens, revoke the one"
                        + " whose secret was lost, and create another one.")
                .with(
                        Parameter.body("name", Parameter.Type.TEXT, "A name for people: the user or the program.")
                                .needed(),
                        Parameter.body(
                                "policies", Parameter.Type.TEXTS, "The policies that say what the token may do."),
                        Parameter.body(
                                "management",
                                Parameter.Type.FLAG,
                                "Makes a token that may do everything, in place of policies."),
                        Parameter.body(
                                "expiresAt",
                                Parameter.Type.TEXT,
                                "The time from which the token is refused, for example 2027-01-31T00:00:00Z."))
                .needs(MANAGEMENT)
                .one(
                        NEW,
                        call -> Steps.then(
                                managed(call),
                                allowed -> Futures.map(accepting(call).create(request(call.values())), Optional::of)));
    }

    /** Completes if the caller has MANAGEMENT. */
    private static CompletableFuture<?> managed(Call call) {
        return call.operations().accessTokens().list(new AccessTokenQuery("", Optional.empty(), 1));
    }

    private static AccessTokens accepting(Call call) {
        if (!call.server().acceptsTokens()) {
            throw new FailureException(Failure.of(
                    "no-tokens",
                    501,
                    "no token was made, because this server would refuse it: the program that runs the server has not"
                            + " switched on access tokens. Use the token or the socket that the program names; its"
                            + " authors switch tokens on with AdminServer.Builder.authenticator and policies"));
        }
        return call.operations().accessTokens();
    }

    private static AccessTokenRequest request(Values values) {
        return new AccessTokenRequest(
                values.text("name"),
                values.texts("policies"),
                values.flag("management"),
                values.maybe("expiresAt", AccessEndpoints::time));
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("it is no time in UTC as ISO 8601 has it", e);
        }
    }

    private static Endpoint revoke() {
        return Endpoint.delete("token revoke", "/v1/tokens/{token}", "Revoke a token")
                .description("Each server refuses the token as soon as its state has this change.")
                .with(TOKEN)
                .needs(MANAGEMENT)
                .destroys()
                .action(call ->
                        call.operations().accessTokens().revoke(call.values().parsed("token", AccessTokenId::of)));
    }

    private static Endpoint policies() {
        return Endpoint.get(
                        "policy list", "/v1/policies", "List the policies of this server, and why files are not in use")
                .needs(MANAGEMENT)
                .one(
                        POLICIES,
                        call -> Futures.map(
                                managed(call),
                                allowed -> Optional.of(call.server()
                                        .policies()
                                        .orElseThrow(() -> new FailureException(Failure.of(
                                                "no-policies",
                                                501,
                                                "the program that runs this server has no policies, or does not show"
                                                        + " them here. Its documentation says who may do what; its"
                                                        + " authors switch policies on with AccessPolicies, and show"
                                                        + " them with AdminServer.Builder.policies"))))));
    }
}
