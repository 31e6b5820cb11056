package io.csi4j.testkit.internal.control;

import io.csi4j.testkit.internal.serve.ListeningSocketPath;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Listens on the control socket, with a thread for each connection. */
public final class ControlServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ControlServer.class.getName());
    private static final AtomicInteger THREADS = new AtomicInteger();

    private final ListeningSocketPath socket;
    private final ControlledPlugin plugin;
    private final ServerSocketChannel listening;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    /**
     * Starts to listen.
     *
     * @throws IOException if it cannot listen
     */
    public ControlServer(ListeningSocketPath socket, ControlledPlugin plugin) throws IOException {
        this.socket = socket;
        this.plugin = plugin;
        socket.requireFree();
        Files.deleteIfExists(socket.path());
        this.listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listening.bind(UnixDomainSocketAddress.of(socket.path()));
            Files.setPosixFilePermissions(socket.path(), PosixFilePermissions.fromString("rwx------"));
        } catch (IOException unusable) {
            listening.close();
            throw new IOException(
                    "cannot listen on " + socket.endpoint() + ": " + unusable + "; check the directory", unusable);
        }
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "csi4j-fake-plugin-control-" + THREADS.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns the address, like {@code unix:///run/x.sock}. */
    public String endpoint() {
        return socket.endpoint();
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listening.accept();
                open.add(connection);
                start(() -> serve(connection));
            }
        } catch (ClosedChannelException closed) {
            // The socket was closed, so the server ends.
        } catch (IOException broken) {
            LOG.log(System.Logger.Level.ERROR, "The control socket " + socket.endpoint() + " has failed", broken);
        }
    }

    private void serve(SocketChannel connection) {
        try (connection) {
            new ControlConnection(connection, plugin).run();
        } catch (IOException gone) {
            LOG.log(System.Logger.Level.DEBUG, "A connection to the control socket has ended: {0}", gone.getMessage());
        } finally {
            open.remove(connection);
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            Files.deleteIfExists(socket.path());
            for (SocketChannel connection : open) {
                connection.close();
            }
        } catch (IOException unclosed) {
            LOG.log(System.Logger.Level.WARNING, "The control socket {0} was not closed: {1}", socket, unclosed);
        }
    }
}
