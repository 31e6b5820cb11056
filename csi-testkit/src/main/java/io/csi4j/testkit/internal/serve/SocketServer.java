package io.csi4j.testkit.internal.serve;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server on a Unix socket. Removes the socket file at the end, unless another process has replaced it. */
public final class SocketServer implements AutoCloseable {
    static {
        // Netty's jar cannot be a module, so it is on the class path of a modular program (compatibility.md).
        SocketServer.class
                .getModule()
                .addReads(SocketServer.class.getClassLoader().getUnnamedModule());
    }

    private final ListeningSocketPath socket;
    private final EventLoops loops;
    private final Server server;
    private final @Nullable Object inode;
    private final Connections connections = new Connections();

    /**
     * Starts to listen.
     *
     * @param socket the address
     * @param services the services
     * @param executor runs the calls; null: the event loop itself, because no call blocks
     * @throws IOException if it cannot listen, with a message for the operator
     */
    public SocketServer(ListeningSocketPath socket, List<ServerServiceDefinition> services, @Nullable Executor executor)
            throws IOException {
        this.socket = socket;
        ListeningSocketFile.requireFree(socket.path());
        // Binds a temporary path and renames it: the permissions are set before clients can connect, a stale file is
        // replaced atomically, and
        // Netty, which deletes its bound path at the end, does not delete the file of another process.
        Path beside = ListeningSocketFile.beside(socket.path());
        this.loops = EventLoops.open();
        try {
            NettyServerBuilder builder = NettyServerBuilder.forAddress(loops.address(beside))
                    .channelFactory(loops.serverChannels(connections))
                    .bossEventLoopGroup(loops.group())
                    .workerEventLoopGroup(loops.group())
                    .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                    .maxInboundMessageSize(16 << 20)
                    .maxInboundMetadataSize(1 << 20);
            services.forEach(builder::addService);
            this.server = (executor == null ? builder.directExecutor() : builder.executor(executor))
                    .build()
                    .start();
        } catch (IOException | RuntimeException e) {
            loops.close();
            throw new IOException(
                    "cannot listen on " + socket.endpoint() + ": " + rootMessage(e) + "; check the directory", e);
        }
        try {
            Files.setPosixFilePermissions(beside, PosixFilePermissions.fromString("rwx------"));
            Files.move(beside, socket.path(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            this.inode = inode(socket.path());
        } catch (IOException e) {
            server.shutdownNow();
            loops.close();
            Files.deleteIfExists(beside);
            throw new IOException("cannot listen on " + socket.endpoint() + ": " + e + "; check the directory", e);
        }
    }

    private static String rootMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    private static @Nullable Object inode(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    public ListeningSocketPath socket() {
        return socket;
    }

    /**
     * Stops the server. Calls in flight may continue until a time limit.
     *
     * @param millis the time limit
     */
    public void close(long millis) {
        server.shutdown();
        removeOwnSocket();
        try {
            if (!server.awaitTermination(millis, TimeUnit.MILLISECONDS)) {
                server.shutdownNow();
                server.awaitTermination(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        loops.close();
    }

    /**
     * Runs a task after the server has read all requests that have arrived. So calls that arrive together are in flight
     * at the same time. Runs the task at once if the current thread does not read requests.
     */
    public void afterReading(Runnable task) {
        loops.afterReading(task);
    }

    /** Cuts the connections of all callers, and continues to listen. */
    public void dropConnections() {
        connections.cut();
    }

    /**
     * Cuts the connections of all callers, and lets no caller connect again. The socket file goes first, so that a
     * caller that notices the cut finds no server any more; {@link #close} ends the rest.
     */
    public void crash() {
        removeOwnSocket();
        connections.cut();
    }

    /** Stops at once and ends calls in flight. */
    @Override
    public void close() {
        close(0);
    }

    private void removeOwnSocket() {
        try {
            Object now = inode(socket.path());
            if (now != null && now.equals(inode)) {
                Files.deleteIfExists(socket.path());
            }
        } catch (IOException e) {
            // The file or its directory has been removed already.
        }
    }
}
