package io.csi4j.testkit;

import io.csi4j.testkit.internal.call.PluginTransport;
import io.csi4j.testkit.internal.serve.InProcess;
import io.csi4j.testkit.internal.serve.ListeningSocketPath;
import io.csi4j.testkit.internal.serve.SocketServer;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serves one plugin on its socket and in process. It can be started and stopped repeatedly. Thread-safe. */
final class PluginServer implements PluginTransport {
    private static final AtomicInteger THREADS = new AtomicInteger();

    private final String inProcessName = InProcess.newName();
    private final List<ServerServiceDefinition> services;
    private final @Nullable ExecutorService executor;
    private final Optional<Runnable> crashAct;
    private volatile @Nullable SocketServer socketServer;
    private volatile @Nullable InProcess inProcess;
    /** Completes when the plugin serves no calls any more, neither on its socket nor in process. */
    private volatile CompletableFuture<Void> stopped = CompletableFuture.completedFuture(null);
    /** Completes when a crash has stopped the plugin. */
    private volatile CompletableFuture<Void> crashed = CompletableFuture.completedFuture(null);

    /**
     * Creates a server.
     *
     * @param services creates the services; receives this server, which is the transport of their calls
     * @param executor runs the calls; null: the threads of the transport run them
     * @param crashAct runs when a fault crashes the plugin; empty: the server stops serving
     */
    PluginServer(
            Function<PluginTransport, List<ServerServiceDefinition>> services,
            @Nullable ExecutorService executor,
            Optional<Runnable> crashAct) {
        this.executor = executor;
        this.crashAct = crashAct;
        this.services = services.apply(this);
    }

    void listen(String endpoint) {
        crashed.join();
        synchronized (this) {
            SocketServer server = socketServer;
            if (server != null) {
                throw new IllegalStateException(
                        "the plugin listens on " + server.socket().endpoint() + " already; stop it first");
            }
            try {
                socketServer = new SocketServer(ListeningSocketPath.of(endpoint), services, executor);
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
            started();
        }
    }

    void serveInProcess() {
        crashed.join();
        synchronized (this) {
            if (inProcess != null) {
                throw new IllegalStateException("the plugin is served in process as '" + inProcessName + "' already");
            }
            inProcess = InProcess.start(inProcessName, services, executor);
            started();
        }
    }

    private void started() {
        if (stopped.isDone()) {
            stopped = new CompletableFuture<>();
        }
    }

    /** Returns the address of the socket; empty: there is none. */
    Optional<String> socketEndpoint() {
        SocketServer server = socketServer;
        return server == null ? Optional.empty() : Optional.of(server.socket().endpoint());
    }

    /** Returns the name of the server in this process; empty: there is none. */
    Optional<String> inProcessName() {
        return inProcess == null ? Optional.empty() : Optional.of(inProcessName);
    }

    boolean isServing() {
        return crashed.isDone() && !stopped.isDone();
    }

    boolean awaitStop(Duration maxWait) {
        try {
            stopped.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    void stop(Duration patience) {
        crashed.join();
        stopServing(patience);
    }

    private synchronized void stopServing(Duration patience) {
        SocketServer socket = socketServer;
        if (socket != null) {
            socket.close(patience.toMillis());
            socketServer = null;
        }
        InProcess served = inProcess;
        if (served != null) {
            served.close(patience.toMillis());
            inProcess = null;
        }
        stopped.complete(null);
    }

    @Override
    public void afterReading(Runnable task) {
        SocketServer server = socketServer;
        if (server == null) {
            task.run();
        } else {
            server.afterReading(task);
        }
    }

    @Override
    public void dropConnections() {
        SocketServer server = socketServer;
        if (server != null) {
            server.dropConnections();
        }
    }

    @Override
    public void crash() {
        if (crashAct.isPresent()) {
            crashAct.get().run();
            return;
        }
        // Sets the future before the connections break: a caller that notices the crash and starts the plugin again
        // then waits until the plugin has stopped.
        CompletableFuture<Void> stopping = new CompletableFuture<>();
        crashed = stopping;
        SocketServer server = socketServer;
        if (server != null) {
            server.crash();
        }
        // Stops on another thread, because stopping waits until all calls have ended, and this thread handles a call.
        thread(() -> {
                    stopServing(Duration.ZERO);
                    stopping.complete(null);
                })
                .start();
    }

    static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "csi4j-fake-plugin-call-" + THREADS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
