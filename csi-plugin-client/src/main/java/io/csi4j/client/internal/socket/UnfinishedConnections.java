package io.csi4j.client.internal.socket;

import io.csi4j.core.internal.log.CauseLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The accepted connections of a port whose other side has not proved yet who it is. Their number is limited, in all and
 * for each address, so that they never use up the descriptors of the process. A connection above a limit is accepted,
 * and the oldest one is closed in its place: a peer that proves at once who it is gets in while idle connections are
 * opened. Thread-safe.
 */
public final class UnfinishedConnections {
    /** The time after which an unfinished connection is closed. */
    public static final Duration TIME = Duration.ofSeconds(10);

    /** The time for which no connection is accepted after the system could not accept one. */
    public static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int MOST = 1024;
    private static final int FEWEST = 16;
    /** The part of the descriptors that the unfinished connections of one port may use. */
    private static final int SHARE = 8;

    private static final int PER_ADDRESS = 4;
    private static final int IPV6_PREFIX = 8;
    private static final int DESCRIPTORS_IF_UNKNOWN = 1024;

    private final int limit;
    private final int limitPerAddress;
    private final CauseLog causes;
    private final Executor executor;

    // Guarded by this object's monitor; oldest first.
    private final Set<Connection> all = new LinkedHashSet<>();
    private final Map<String, Set<Connection>> byAddress = new HashMap<>();

    /**
     * Creates an object without connections, whose limits fit the number of descriptors of a process: an eighth of them
     * in all, from 16 to 1024, and a quarter of that for each address.
     *
     * @param executor writes the lines of the log, because a logger may block
     */
    UnfinishedConnections(long descriptors, CauseLog causes, Executor executor) {
        this.limit = (int) Math.max(FEWEST, Math.min(MOST, descriptors / SHARE));
        this.limitPerAddress = limit / PER_ADDRESS;
        this.causes = causes;
        this.executor = executor;
    }

    /**
     * Creates an object for one port of this process.
     *
     * @param causes the log in which refused connections are reported
     * @param executor writes the lines of the log, because a logger may block
     */
    public static UnfinishedConnections ofProcess(CauseLog causes, Executor executor) {
        return new UnfinishedConnections(descriptors(), causes, executor);
    }

    private static long descriptors() {
        try {
            return limitIn(Files.readString(Path.of("/proc/self/limits"), StandardCharsets.US_ASCII));
        } catch (IOException | RuntimeException unknown) {
            // Not Linux: the usual number.
            return DESCRIPTORS_IF_UNKNOWN;
        }
    }

    /** Returns the present limit of open files in the text of {@code /proc/self/limits}. */
    static long limitIn(String limits) {
        String name = "Max open files";
        String soft = limits.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip().split("\\s+", 2)[0])
                .findFirst()
                .orElseThrow();
        return "unlimited".equals(soft) ? Long.MAX_VALUE : Long.parseLong(soft);
    }

    /** One connection, until it has proved who it is or has ended. */
    public final class Connection {
        private final SocketAddress address;
        private final Runnable close;

        private Connection(SocketAddress address, Runnable close) {
            this.address = address;
            this.close = close;
        }

        /** Ends the limits for this connection. Further calls have no effect. */
        public void finished() {
            remove(this);
        }

        /** Closes the connection and reports it, because it has not proved in {@link #TIME} who it is. */
        public void late() {
            close.run();
            report(() -> causes.warn(
                    "late connections",
                    "A connection from " + shown(address) + " is closed: it has not proved in " + TIME.toSeconds()
                            + " s who it is. Find the program that opens it"));
        }
    }

    /**
     * Adds a new connection. If there are too many then, closes the oldest one and reports it.
     *
     * @param close closes the connection; does not block
     */
    public Connection enter(SocketAddress address, Runnable close) {
        Connection entered = new Connection(address, close);
        Connection oldest = add(entered);
        if (oldest != null) {
            oldest.close.run();
            report(() -> causes.warn(
                    "too many connections",
                    "A connection from " + shown(oldest.address)
                            + " is closed: too many connections have not proved yet"
                            + " who they are (limit " + limit + " in all, " + limitPerAddress + " of one address). Find"
                            + " the program that opens them; if they are agents that start together, raise the number"
                            + " of files that the process may open, of which the limit is a share"));
        }
        return entered;
    }

    /** Adds a connection, and returns the one that has to be closed for it. */
    private synchronized @Nullable Connection add(Connection entered) {
        String from = key(entered.address);
        Set<Connection> there = byAddress.getOrDefault(from, Set.of());
        Connection oldest = null;
        if (!from.isEmpty() && there.size() >= limitPerAddress) {
            oldest = there.iterator().next();
        } else if (all.size() >= limit) {
            oldest = all.iterator().next();
        }
        if (oldest != null) {
            remove(oldest);
        }
        all.add(entered);
        byAddress.computeIfAbsent(from, one -> new LinkedHashSet<>()).add(entered);
        return oldest;
    }

    private synchronized void remove(Connection connection) {
        if (all.remove(connection)) {
            byAddress.computeIfPresent(key(connection.address), (from, there) -> {
                there.remove(connection);
                return there.isEmpty() ? null : there;
            });
        }
    }

    /** Returns the number of unfinished connections. */
    synchronized int count() {
        return all.size();
    }

    /** Reports that the system could not accept a connection, and that the port tries again after {@link #PAUSE}. */
    public void notAccepted(Throwable cause) {
        report(() -> causes.warn(
                "accept",
                "No connection can be accepted now; it is tried again every " + PAUSE.toSeconds() + " s: " + cause
                        + ". Connections that exist are served. If no descriptor is free, raise the number of files"
                        + " that the process may open"));
    }

    private void report(Runnable line) {
        try {
            executor.execute(line);
        } catch (RejectedExecutionException closed) {
            // The environment is closed, so there is no log to write to. The limits hold.
        }
    }

    private static String shown(SocketAddress address) {
        return address instanceof InetSocketAddress remote && remote.getAddress() != null
                ? remote.getAddress().getHostAddress()
                : "a socket of this machine";
    }

    /** All addresses of one IPv6 network count as one, because its owner has all of them. */
    private static String key(SocketAddress address) {
        if (!(address instanceof InetSocketAddress remote) || remote.getAddress() == null) {
            return "";
        }
        InetAddress host = remote.getAddress();
        byte[] bytes = host.getAddress();
        return bytes.length > IPV6_PREFIX ? Arrays.toString(Arrays.copyOf(bytes, IPV6_PREFIX)) : host.getHostAddress();
    }
}
