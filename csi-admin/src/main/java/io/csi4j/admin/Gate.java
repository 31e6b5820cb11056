package io.csi4j.admin;

import io.csi4j.admin.access.Authenticator;
import io.csi4j.admin.internal.api.Failures;
import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.admin.internal.http.HttpHead;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which requests are served, before their bodies are read.
 *
 * <p>With an {@link Authenticator}, a request needs a token: as a bearer token, or, to read, as the password of HTTP Basic
 * authentication, for which browsers ask their users. Without one, the server listens on the loopback address or on a Unix
 * socket only, and the host header of a request over the network has to name this machine: a page of another site cannot
 * reach the server by a name of its own.
 *
 * <p>A request that acts must not come from a page of another site: the header {@code Sec-Fetch-Site}, which pages cannot
 * change, says so in a browser, {@code Origin} in an older one. A POST has to have the type {@code application/json}, which
 * such a page may not send either.
 */
final class Gate {
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final Optional<Authenticator> authenticator;
    private final WrongTokens wrongTokens;

    Gate(Optional<Authenticator> authenticator, WrongTokens wrongTokens) {
        this.authenticator = authenticator;
        this.wrongTokens = wrongTokens;
    }

    /** Returns why a request is not served; empty if it is. */
    Optional<HttpAnswer> refuse(HttpHead head) {
        boolean reads = head.method().equals("GET");
        if (authenticator.isEmpty() && head.peer().isPresent() && !isLocal(head.header("host"))) {
            return refusal("wrong-host", 421, "this server answers only to localhost, 127.0.0.1 and [::1]");
        }
        if (!reads && isForeign(head)) {
            return refusal("other-site", 403, "the request comes from a page of another site");
        }
        if (head.method().equals("POST")
                && !head.header("content-type").map(Gate::isJson).orElse(false)) {
            return refusal("wrong-type", 415, "send the header Content-Type: application/json");
        }
        if (authenticator.isEmpty() || isHealth(head)) {
            return Optional.empty();
        }
        return refuseToken(head);
    }

    private Optional<HttpAnswer> refuseToken(HttpHead head) {
        Optional<String> token = token(head);
        if (token.isEmpty()) {
            return Optional.of(unknown("no valid token came with the request; send Authorization: Bearer TOKEN"));
        }
        Optional<InetAddress> peer = head.peer();
        Duration wait = peer.map(wrongTokens::remaining).orElse(Duration.ZERO);
        if (!wait.isZero()) {
            long seconds = wait.toSeconds() + 1;
            return Optional.of(Failures.answer(Failure.of(
                            "too-many-wrong-tokens",
                            429,
                            "too many wrong tokens came from your address; try again in " + seconds + " s"))
                    .with("retry-after", Long.toString(seconds)));
        }
        boolean right = caller(head).isPresent();
        peer.ifPresent(right ? wrongTokens::right : wrongTokens::wrong);
        return right
                ? Optional.empty()
                : Optional.of(unknown("the token is not valid: it is wrong, expired or revoked; create another one"));
    }

    private static HttpAnswer unknown(String detail) {
        return Failures.answer(Failure.of("unauthenticated", 401, detail))
                .with("www-authenticate", "Basic realm=\"csi4j\", charset=\"UTF-8\"");
    }

    private static Optional<HttpAnswer> refusal(String kind, int status, String detail) {
        return Optional.of(Failures.answer(Failure.of(kind, status, detail)));
    }

    /** Returns the caller of a request; empty without a valid token, or without an authenticator. */
    Optional<Principal> caller(HttpHead head) {
        return authenticator
                .flatMap(known -> token(head).flatMap(known::authenticate))
                .map(Principal.class::cast);
    }

    boolean needsToken() {
        return authenticator.isPresent();
    }

    static boolean isHealth(HttpHead head) {
        return head.method().equals("GET") && head.path().equals(List.of("health"));
    }

    private static boolean isForeign(HttpHead head) {
        Optional<String> site = head.header("sec-fetch-site");
        if (site.isPresent()) {
            return !OWN_SITES.contains(site.get());
        }
        Optional<String> host = head.header("host");
        return head.header("origin")
                .map(origin -> host.isEmpty() || !origin.endsWith("://" + host.get()))
                .orElse(false);
    }

    private static boolean isJson(String type) {
        return type.split(";", 2)[0].strip().equalsIgnoreCase("application/json");
    }

    private static Optional<String> token(HttpHead head) {
        String authorization = head.header("authorization").orElse("");
        int space = authorization.indexOf(' ');
        String scheme = authorization.substring(0, Math.max(0, space)).toLowerCase(Locale.ROOT);
        String value = authorization.substring(space + 1).strip();
        if (scheme.equals("bearer")) {
            return Optional.of(value);
        }
        // A browser sends a password again by itself, so it must not be enough to act.
        return scheme.equals("basic") && head.method().equals("GET") ? password(value) : Optional.empty();
    }

    private static Optional<String> password(String basic) {
        try {
            String pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
            return Optional.of(pair.substring(pair.indexOf(':') + 1));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // Not encoded correctly, so it is refused like a wrong password.
        }
    }

    private static boolean isLocal(Optional<String> host) {
        return host.map(name ->
                        LOOPBACK_NAMES.contains(name.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT)))
                .orElse(false);
    }
}
