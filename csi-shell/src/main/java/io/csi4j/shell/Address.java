package io.csi4j.shell;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;

/**
 * An address of a server.
 *
 * @param host the host; for a Unix socket {@code localhost}
 * @param socket the path of a Unix socket; empty for others
 */
record Address(Kind kind, String host, int port, String socket) {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");

    /** The way to a server. */
    enum Kind {
        HTTP,
        HTTPS,
        UNIX
    }

    /** Returns the address that a text names. Without a scheme, a path is a Unix socket; a host has TLS unless it is this machine. */
    static Address parse(String text) {
        if (text.startsWith("unix:")) {
            String path = text.substring("unix:".length()).replaceFirst("^//(?=/)", "");
            if (path.isEmpty()) {
                throw wrong(text);
            }
            return new Address(Kind.UNIX, "localhost", 0, path);
        } else if (text.startsWith("/")) {
            return new Address(Kind.UNIX, "localhost", 0, text);
        }
        try {
            URI uri = text.contains("://") ? new URI(text) : new URI("tcp://" + text);
            String host = uri.getHost();
            String path = uri.getRawPath();
            if (host == null
                    || uri.getRawUserInfo() != null
                    || uri.getRawQuery() != null
                    || uri.getRawFragment() != null
                    || (path != null && !path.isEmpty() && !path.equals("/"))) {
                throw wrong(text);
            }
            Kind kind = switch (uri.getScheme()) {
                case "http" -> Kind.HTTP;
                case "https" -> Kind.HTTPS;
                case "tcp" -> LOOPBACK.contains(host) ? Kind.HTTP : Kind.HTTPS;
                default -> throw wrong(text);
            };
            int port = uri.getPort() >= 0 ? uri.getPort() : kind == Kind.HTTP ? 80 : 443;
            return new Address(kind, host, port, "");
        } catch (URISyntaxException e) {
            throw wrong(text);
        }
    }

    private static UsageException wrong(String text) {
        return new UsageException(
                "'" + text + "' is not an address; give http://127.0.0.1:PORT, https://HOST:PORT or unix:PATH");
    }

    /** Returns whether others on the way can read what is sent. */
    boolean isOpen() {
        return kind == Kind.HTTP && !LOOPBACK.contains(host);
    }

    /** Returns the value of the host header. */
    String authority() {
        return kind == Kind.UNIX ? host : host + ":" + port;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case UNIX -> "unix:" + socket;
            case HTTP -> "http://" + host + ":" + port;
            case HTTPS -> "https://" + host + ":" + port;
        };
    }
}
