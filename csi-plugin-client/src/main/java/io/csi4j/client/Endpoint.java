package io.csi4j.client;

import io.csi4j.client.internal.transport.HostAndPort;
import io.csi4j.client.internal.transport.SocketPath;
import io.csi4j.core.internal.text.Text;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a plugin. Immutable; two endpoints are equal if their texts, TLS options and owners are equal.
 *
 * <p>CSI uses Unix sockets (R2), protected by file permissions (R10). TCP is an extension, for a proxy between client and plugin,
 * and has to be requested explicitly: {@link #remote} with TLS, {@link #loopback} without.
 *
 * <table>
 *   <caption>Text forms</caption>
 *   <tr><th>Text</th><th>Meaning</th><th>Method</th></tr>
 *   <tr><td>{@code unix:///run/csi/x.sock}, {@code unix:/run/csi/x.sock}</td><td>absolute path</td><td>{@link #parse}</td></tr>
 *   <tr><td>{@code unix:run/x.sock}</td><td>path relative to the working directory</td><td>{@link #parse}</td></tr>
 *   <tr><td>{@code /run/csi/x.sock}, {@code run/x.sock}</td><td>the same without a scheme</td><td>{@link #parse}</td></tr>
 *   <tr><td>{@code inprocess:///name}</td><td>a fake plugin in this process, for tests</td><td>{@link #parse}</td></tr>
 *   <tr><td>{@code tcp://host:port}, {@code dns:///host:port}</td><td>TCP</td><td>{@link #remote}, {@link #loopback}</td></tr>
 * </table>
 */
public final class Endpoint {
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(.*)", Pattern.DOTALL);
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^/]*:\\d+");

    private final String text;
    private final @Nullable Path path;
    private final @Nullable HostAndPort host;
    private final @Nullable TlsOptions tls;
    private final @Nullable String inProcessName;
    private final @Nullable String owner;

    private Endpoint(
            String text,
            @Nullable Path path,
            @Nullable HostAndPort host,
            @Nullable TlsOptions tls,
            @Nullable String inProcessName,
            @Nullable String owner) {
        this.text = text;
        this.path = path;
        this.host = host;
        this.tls = tls;
        this.inProcessName = inProcessName;
        this.owner = owner;
    }

    /**
     * Parses the address of a Unix socket, with or without the scheme {@code unix:}, or of a fake plugin in this
     * process.
     *
     * @param text a text form from the table in the description of this class, for example the value of
     *     {@code CSI_ENDPOINT} (R1)
     * @throws IllegalArgumentException if the text names no Unix socket, or its path is longer than the 107 bytes that
     *     a socket address can hold
     */
    public static Endpoint parse(String text) {
        String trimmed = text.strip();
        Matcher scheme = SCHEME.matcher(trimmed);
        if (HOST_AND_PORT.matcher(trimmed).matches()) {
            throw new IllegalArgumentException("endpoint: " + Text.printable(trimmed)
                    + " looks like a TCP address, and CSI speaks over Unix sockets; write"
                    + " Endpoint.remote(\"tcp://...\", tls) or Endpoint.loopback(\"tcp://...\") if TCP is"
                    + " what you want, or ./ before a relative path");
        }
        if (!scheme.matches()) {
            return unix(trimmed);
        }
        String rest = scheme.group(2);
        return switch (scheme.group(1).toLowerCase(Locale.ROOT)) {
            case "unix" -> unix(afterUnixScheme(trimmed, rest));
            case "inprocess" -> inProcess(rest.startsWith("///") ? rest.substring(3) : "");
            case "tcp", "dns" ->
                throw new IllegalArgumentException("endpoint: " + Text.printable(trimmed)
                        + " is a TCP address, and CSI speaks over Unix sockets; if TCP is what you want, say so:"
                        + " Endpoint.remote(text, tls), or Endpoint.loopback(text) without TLS on this machine");
            default ->
                throw new IllegalArgumentException("endpoint: " + Text.printable(trimmed) + " has the unknown scheme "
                        + scheme.group(1) + "; write unix:///absolute/path.sock, or ./ before a relative path");
        };
    }

    /**
     * Returns the address of a Unix socket.
     *
     * @param path absolute, or relative to the working directory
     * @throws IllegalArgumentException if the path is empty or longer than 107 bytes
     */
    public static Endpoint unix(Path path) {
        return unix(path.toString());
    }

    /**
     * Returns the address of a plugin, or of a proxy for a plugin, that is reached over TCP with TLS; an extension of CSI (R2).
     *
     * @param text {@code tcp://host:port} or {@code dns:///host:port}
     * @param tls the trusted certificates and the client's certificate
     * @throws IllegalArgumentException if the text has another form
     */
    public static Endpoint remote(String text, TlsOptions tls) {
        HostAndPort host = HostAndPort.parse(text.strip());
        return new Endpoint(host.toString(), null, host, Objects.requireNonNull(tls, "tls"), null, null);
    }

    /**
     * Returns the address of a plugin, or of a proxy for a plugin, that listens for TCP on this machine without TLS; an extension of
     * CSI (R2). Every user of the machine can reach it.
     *
     * @param text {@code tcp://host:port} or {@code dns:///host:port}; the host is {@code localhost} or a loopback address
     * @throws IllegalArgumentException if the text has another form or the host is not a loopback address
     */
    public static Endpoint loopback(String text) {
        HostAndPort host = HostAndPort.parse(text.strip());
        if (!host.isLoopback()) {
            throw new IllegalArgumentException("endpoint: " + host + " is not a loopback address, and without TLS"
                    + " everybody on the way reads the secrets; use Endpoint.remote(text, tls)");
        }
        return new Endpoint(host.toString(), null, host, null, null, null);
    }

    /**
     * Returns this address of a Unix socket that belongs to another user. Without this, a process connects only if the
     * socket and its directory belong to root or to the user of the process, because another user could have put a socket of its own there.
     *
     * @param user the name or the number of the user that runs the other side
     * @throws IllegalArgumentException if the user is blank, or this is not the address of a Unix socket
     */
    public Endpoint ownedBy(String user) {
        if (user.isBlank()) {
            throw new IllegalArgumentException("ownedBy: the user is blank; give its name or number");
        }
        if (path == null) {
            throw new IllegalArgumentException("ownedBy: " + text + " is no Unix socket, so it has no owner");
        }
        return new Endpoint(text, path, null, null, null, user);
    }

    private static Endpoint unix(String text) {
        Path path = SocketPath.parse(text);
        return new Endpoint((path.isAbsolute() ? "unix://" : "unix:") + path, path, null, null, null, null);
    }

    private static Endpoint inProcess(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "endpoint: a plugin in this process needs a name; write inprocess:///name,"
                            + " as the fake plugin returns it");
        }
        return new Endpoint("inprocess:///" + name, null, null, null, name, null);
    }

    private static String afterUnixScheme(String text, String rest) {
        if (!rest.startsWith("//")) {
            return rest;
        }
        if (rest.startsWith("///") || rest.length() == 2) {
            return rest.substring(2);
        }
        throw new IllegalArgumentException("endpoint: " + Text.printable(text)
                + " has a host before the path; write unix:///" + Text.printable(rest.substring(2))
                + " for an absolute path, or unix:" + Text.printable(rest.substring(2)) + " for a relative one");
    }

    /** Returns the name of a fake plugin in this process; empty for sockets. */
    public Optional<String> inProcessName() {
        return Optional.ofNullable(inProcessName);
    }

    /** Returns the path of the socket as it was given; empty for TCP and for plugins in this process. */
    public Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    /** Returns the other user that the socket may belong to, see {@link #ownedBy}; empty if none was named. */
    public Optional<String> owner() {
        return Optional.ofNullable(owner);
    }

    /** Returns the TLS options; empty if there is no TLS. */
    public Optional<TlsOptions> tls() {
        return Optional.ofNullable(tls);
    }

    /** Returns {@code host:port}, with brackets around an IPv6 address; empty if the endpoint is not TCP. */
    public Optional<String> authority() {
        return Optional.ofNullable(host).map(at -> at.host() + ":" + at.port());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Endpoint that
                && that.text.equals(text)
                && Objects.equals(that.tls, tls)
                && Objects.equals(that.owner, owner);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the text form, which {@link #parse}, {@link #remote} or {@link #loopback} accepts. */
    @Override
    public String toString() {
        return text;
    }
}
