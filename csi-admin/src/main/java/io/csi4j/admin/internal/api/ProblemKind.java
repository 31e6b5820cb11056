package io.csi4j.admin.internal.api;

import java.util.List;

/**
 * A kind of problem documents.
 *
 * @param name the end of its type
 * @param status the status code of HTTP
 * @param remedy what a client does next
 */
public record ProblemKind(String name, int status, String remedy) {
    /** All kinds, by their status. */
    static final List<ProblemKind> ALL = List.of(
            new ProblemKind("bad-request", 400, "correct the field that `problems` names; nothing was done"),
            new ProblemKind("unauthenticated", 401, "send a valid token; create another one if it has expired"),
            new ProblemKind("access-denied", 403, "ask for the permission that the text names"),
            new ProblemKind("other-site", 403, "act with a program or the shell, not from a page of another site"),
            new ProblemKind("no-such-address", 404, "correct the path; `/v1/openapi.json` has all of them"),
            new ProblemKind("not-found", 404, "check the id; the caller may lack the permission to see the object"),
            new ProblemKind("method-not-allowed", 405, "use a method of the header `Allow`"),
            new ProblemKind("rejected", 409, "the state forbids it now: the text says why, and what to do"),
            new ProblemKind("refused", 409, "the plugin or the engine refuses finally: change the request"),
            new ProblemKind("removed", 409, "the volume was removed meanwhile: look whether another one has its id"),
            new ProblemKind(
                    "quota-exceeded",
                    409,
                    "ask for less, delete volumes, or let an operator raise the limit that the text names"),
            new ProblemKind("conflict", 409, "read the object again: it exists already, or was changed meanwhile"),
            new ProblemKind("cancelled", 409, "start it again if it is still wanted"),
            new ProblemKind("not-an-orphan", 409, "search again: the volume has an owner, or is not there"),
            new ProblemKind("preview-outdated", 409, "read the preview again, and decide again"),
            new ProblemKind("wrong-type", 415, "send the header that the text names"),
            new ProblemKind("wrong-host", 421, "use `localhost`, `127.0.0.1` or `[::1]` as the host"),
            new ProblemKind("invalid", 422, "correct the fields that `problems` names"),
            new ProblemKind("key-in-use", 422, "use another `Idempotency-Key` for another request"),
            new ProblemKind("too-many-operations", 429, "wait until operations have ended"),
            new ProblemKind("too-many-wrong-tokens", 429, "wait as long as `Retry-After` says"),
            new ProblemKind("internal", 500, "report it with the log of the server; it is a defect"),
            new ProblemKind("failed", 500, "the text says what failed; repeat if it is `retryable`"),
            new ProblemKind("no-log", 501, "let the host give the log to the API, with `AdminServer.Builder.log`"),
            new ProblemKind(
                    "no-policies",
                    501,
                    "let the host give the policies to the API, with `AdminServer.Builder.policies`"),
            new ProblemKind(
                    "no-tokens",
                    501,
                    "let the host accept tokens, with `AdminServer.Builder.authenticator` and `policies`"),
            new ProblemKind("plugin-call-failed", 502, "the text has the plugin's words; repeat if it is `retryable`"),
            new ProblemKind("not-leading", 503, "ask the server in `leader`, or another one"),
            new ProblemKind("unavailable", 503, "repeat after a moment"),
            new ProblemKind("uncertain", 504, "repeat the same request: it may have had its effect"),
            new ProblemKind("unfinished", 504, "repeat the same request, which resumes it, or watch the object"));
}
