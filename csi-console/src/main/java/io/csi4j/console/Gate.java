package io.csi4j.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether the sender of a request may read the console's pages. If a token is set, the request must contain it
 * as a bearer token or as the password of HTTP Basic authentication, for which browsers ask their user. If no token is
 * set, the Host header of the request must name this machine. A page of another site therefore cannot read the console,
 * even if that site's host name resolves to this machine.
 */
final class Gate {
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Optional<byte[]> token;
    private final WrongTokens wrongTokens;

    Gate(Optional<String> token, WrongTokens wrongTokens) {
        this.wrongTokens = wrongTokens;
        this.token = token.map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    boolean needsToken() {
        return token.isPresent();
    }

    /** Returns how long the client has to wait before its token is compared; zero if it has not. */
    Duration mustWait(HttpExchange exchange) {
        return token.isPresent() && exchange.getRequestHeaders().containsKey("Authorization")
                ? wrongTokens.remaining(exchange.getRemoteAddress().getAddress())
                : Duration.ZERO;
    }

    /** Returns whether the client may read the pages. Call {@link #mustWait} first. */
    boolean allows(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        if (token.isEmpty()) {
            return isLocal(headers.getFirst("Host"));
        }
        if (!headers.containsKey("Authorization")) {
            // A browser asks its user for the token after this refusal.
            return false;
        }
        InetAddress address = exchange.getRemoteAddress().getAddress();
        boolean right = hasToken(headers, token.get());
        if (right) {
            wrongTokens.right(address);
        } else {
            wrongTokens.wrong(address);
        }
        return right;
    }

    private static boolean hasToken(Headers headers, byte[] expected) {
        String authorization = headers.getFirst("Authorization");
        if (authorization == null) {
            return false;
        }
        int space = authorization.indexOf(' ');
        String scheme = authorization.substring(0, Math.max(0, space)).toLowerCase(Locale.ROOT);
        String value = authorization.substring(space + 1).strip();
        byte[] given = switch (scheme) {
            case "bearer" -> value.getBytes(StandardCharsets.UTF_8);
            case "basic" -> password(value);
            default -> new byte[0];
        };
        return MessageDigest.isEqual(given, expected);
    }

    private static byte[] password(String basic) {
        try {
            String pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1).getBytes(StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // The header is not encoded correctly, so it is refused like a wrong password.
            return new byte[0];
        }
    }

    private static boolean isLocal(String host) {
        return host != null
                && LOOPBACK_NAMES.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT));
    }
}
