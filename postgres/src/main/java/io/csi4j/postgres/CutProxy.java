package io.csi4j.postgres;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The network between clients and a PostgreSQL. It knows the messages of PostgreSQL, so that a connection breaks at a
 * chosen statement: before the server has it, or after the server has executed it and before the client knows.
 */
public final class CutProxy implements AutoCloseable {
    private static final int HEADER = 5;
    private static final int BUFFER = 1 << 14;

    private final ServerSocket server;
    private volatile int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object gate = new Object();
    private @Nullable Cut cut;
    private @Nullable Hold hold;
    private boolean frozen;
    private boolean refusing;
    private volatile Duration delay = Duration.ZERO;

    /** Stands between clients and a server. */
    public CutProxy(PostgresServer server) throws IOException {
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.target = server.port();
        daemon(this::accept);
    }

    /** Returns the port for clients. */
    public int port() {
        return server.getLocalPort();
    }

    /** A break of one connection that is still to come, at a statement whose transaction has had another one. */
    private record Cut(String statement, String after, boolean executed, boolean forAll, CompletableFuture<Void> done) {
        boolean at(String sql, List<String> before) {
            return begins(sql, statement)
                    && (after.isEmpty() || before.stream().anyMatch(earlier -> begins(earlier, after)));
        }
    }

    private static boolean begins(String sql, String statement) {
        return sql.strip().toLowerCase(Locale.ROOT).startsWith(statement);
    }

    /** A statement that waits in the network. */
    public static final class Hold {
        private final String statement;
        private final CompletableFuture<Void> reached = new CompletableFuture<>();
        private final CompletableFuture<Void> released = new CompletableFuture<>();

        private Hold(String statement) {
            this.statement = statement;
        }

        /** Completes when the statement waits. */
        public CompletableFuture<Void> reached() {
            return reached;
        }

        /** Lets the statement continue. */
        public void release() {
            released.complete(null);
        }
    }

    /** Lets the next statement that begins with a text wait before the server gets it. */
    public Hold holdBefore(String statement) {
        Hold planned = new Hold(statement.toLowerCase(Locale.ROOT));
        synchronized (gate) {
            hold = planned;
        }
        return planned;
    }

    private void awaitRelease(String sql) {
        Hold now;
        synchronized (gate) {
            now = hold;
            if (now == null || !begins(sql, now.statement)) {
                return;
            }
            hold = null;
        }
        now.reached.complete(null);
        now.released.join();
    }

    /**
     * Breaks the connection of the next statement that begins with a text, such as {@code commit}. The server does not
     * get the statement.
     *
     * @return completes when the connection is broken
     */
    public CompletableFuture<Void> cutBefore(String statement) {
        return cutBefore(statement, "");
    }

    /**
     * Breaks the connection of the next statement that begins with a text, such as {@code commit}. The server has
     * executed the statement, and the client gets no answer.
     *
     * @return completes when the connection is broken
     */
    public CompletableFuture<Void> cutAnswerOf(String statement) {
        return cutAnswerOf(statement, "");
    }

    /** As {@link #cutBefore(String)}, in a transaction that has had a statement which begins with another text. */
    public CompletableFuture<Void> cutBefore(String statement, String after) {
        return plan(statement, after, false, false);
    }

    /** As {@link #cutAnswerOf(String)}, in a transaction that has had a statement which begins with another text. */
    public CompletableFuture<Void> cutAnswerOf(String statement, String after) {
        return plan(statement, after, true, false);
    }

    /** As {@link #cutAnswerOf(String, String)}. All other connections break too, and new ones are refused from then on. */
    public CompletableFuture<Void> endWithAnswerOf(String statement, String after) {
        return plan(statement, after, true, true);
    }

    private CompletableFuture<Void> plan(String statement, String after, boolean executed, boolean forAll) {
        Cut planned = new Cut(
                statement.toLowerCase(Locale.ROOT),
                after.toLowerCase(Locale.ROOT),
                executed,
                forAll,
                new CompletableFuture<>());
        synchronized (gate) {
            cut = planned;
        }
        return planned.done;
    }

    /** Returns the planned break if it is at this statement; then it is planned no more. */
    private @Nullable Cut take(String sql, List<String> before) {
        synchronized (gate) {
            Cut planned = cut;
            if (planned == null || !planned.at(sql, before)) {
                return null;
            }
            cut = null;
            return planned;
        }
    }

    /** Lets new connections lead to another server. */
    public void leadTo(PostgresServer other) {
        target = other.port();
    }

    /** Breaks all connections. */
    public void cutAll() {
        sockets.forEach(CutProxy::close);
    }

    /** Refuses new connections, or accepts them again. Those that exist stay. */
    public void refuse(boolean now) {
        synchronized (gate) {
            refusing = now;
        }
    }

    /** Lets all bytes wait in both directions, as a network that loses packets. */
    public void freeze() {
        synchronized (gate) {
            frozen = true;
        }
    }

    /** Lets the waiting bytes continue. */
    public void thaw() {
        synchronized (gate) {
            frozen = false;
            gate.notifyAll();
        }
    }

    /** Lets each answer of the server take longer, as a network over a distance. */
    public void delayAnswers(Duration longer) {
        delay = longer;
    }

    private void awaitThaw() throws IOException {
        synchronized (gate) {
            while (frozen) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "cut-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                synchronized (gate) {
                    if (refusing) {
                        client.close();
                        continue;
                    }
                }
                sockets.add(client);
                daemon(() -> connect(client));
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private void connect(Socket client) {
        try {
            Socket database = new Socket();
            sockets.add(database);
            database.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
            client.setTcpNoDelay(true);
            database.setTcpNoDelay(true);
            Connection connection = new Connection(client, database);
            daemon(connection::requests);
            connection.answers();
        } catch (IOException unreachable) {
            close(client);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        thaw();
        server.close();
        cutAll();
    }

    /** One connection of a client, with the statements that it has prepared. */
    private final class Connection {
        private final Socket client;
        private final Socket database;
        private final Map<String, String> prepared = new HashMap<>();
        private final List<String> transaction = new ArrayList<>();
        private volatile @Nullable Cut lost;

        Connection(Socket client, Socket database) {
            this.client = client;
            this.database = database;
        }

        void requests() {
            try (client;
                    database) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = database.getOutputStream();
                // The first message has no type.
                pass(out, new byte[0], message(in));
                while (true) {
                    byte[] type = {in.readByte()};
                    byte[] message = message(in);
                    String sql = statement(type[0], new Texts(message));
                    awaitRelease(sql);
                    Cut now = take(sql, transaction);
                    if (begins(sql, "commit") || begins(sql, "rollback")) {
                        transaction.clear();
                    } else if (!sql.isEmpty()) {
                        transaction.add(sql);
                    }
                    if (now != null && !now.executed) {
                        close();
                        now.done.complete(null);
                        return;
                    }
                    if (now != null) {
                        lost = now;
                    }
                    pass(out, type, message);
                }
            } catch (IOException closed) {
                // One of the sides has closed.
            } finally {
                close();
            }
        }

        /** Reads a message with its length, which counts itself. */
        private static byte[] message(DataInputStream in) throws IOException {
            int length = in.readInt();
            byte[] message = ByteBuffer.allocate(length).putInt(length).array();
            in.readFully(message, Integer.BYTES, length - Integer.BYTES);
            return message;
        }

        private void pass(OutputStream out, byte[] type, byte[] message) throws IOException {
            awaitThaw();
            out.write(type);
            out.write(message);
        }

        /** Returns the statement that a message executes; empty: none. */
        private String statement(byte type, Texts content) {
            return switch (type) {
                case 'Q' -> content.next();
                case 'P' -> {
                    String name = content.next();
                    String sql = content.next();
                    // Before the first message of the statement, so that the server waits for a statement.
                    awaitRelease(sql);
                    prepared.put(name, sql);
                    yield "";
                }
                case 'B' -> {
                    content.next(); // the name of the portal
                    yield prepared.getOrDefault(content.next(), "");
                }
                default -> "";
            };
        }

        void answers() {
            byte[] buffer = new byte[BUFFER];
            try (client;
                    database) {
                InputStream in = database.getInputStream();
                OutputStream out = client.getOutputStream();
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    Cut now = lost;
                    if (now != null && complete(buffer, count)) {
                        if (now.forAll) {
                            refuse(true);
                            cutAll();
                        }
                        close();
                        now.done.complete(null);
                        return;
                    }
                    if (now == null) {
                        LockSupport.parkNanos(delay.toNanos());
                        awaitThaw();
                        out.write(buffer, 0, count);
                    }
                }
            } catch (IOException closed) {
                // One of the sides has closed.
            } finally {
                close();
            }
        }

        /** The answer to a statement ends with: ready for a query, outside of a transaction or in one. */
        private static boolean complete(byte[] buffer, int count) {
            return count > HEADER && buffer[count - HEADER - 1] == 'Z' && buffer[count - 2] == HEADER;
        }

        private void close() {
            CutProxy.close(client);
            CutProxy.close(database);
            sockets.remove(client);
            sockets.remove(database);
        }
    }
    /** The texts of a message, each with a zero at its end. */
    private static final class Texts {
        private final byte[] message;
        private int position = Integer.BYTES;

        Texts(byte[] message) {
            this.message = message;
        }

        String next() {
            int start = position;
            while (message[position] != 0) {
                position++;
            }
            position++;
            return new String(message, start, position - 1 - start, StandardCharsets.UTF_8);
        }
    }
}
