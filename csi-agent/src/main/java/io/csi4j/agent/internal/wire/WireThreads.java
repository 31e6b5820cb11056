package io.csi4j.agent.internal.wire;

import io.csi4j.client.Transport;
import io.csi4j.client.internal.socket.IoKind;
import io.csi4j.client.internal.socket.SharedResource;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The use of the shared network threads by one server, gateway or agent. */
public final class WireThreads implements AutoCloseable {
    static {
        // Netty's jar cannot be a module, so it is on the class path of a modular program (compatibility.md).
        WireThreads.class
                .getModule()
                .addReads(WireThreads.class.getClassLoader().getUnnamedModule());
    }

    /** The time for which the network threads are used after close, so that calls in flight can still report their end. */
    private static final long QUIET_MILLIS = 200;

    private final IoKind io = IoKind.of(Transport.AUTO);
    private final SharedResource.Lease<EventLoopGroup> lease = io.threads();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    /** Returns the implementation of sockets that the threads use. */
    public IoKind io() {
        return io;
    }

    public EventLoopGroup group() {
        return lease.get();
    }

    /** Runs a task after a delay, unless the threads have ended. */
    public void after(Duration pause, Runnable task) {
        var unused = group().schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Returns a future that completes some time after {@link #close}. All sockets that were closed before are closed then, because each
     * thread has done its earlier work.
     */
    public CompletableFuture<@Nullable Void> ended() {
        return ended;
    }

    /** Ends the use of the threads; does not wait. Further calls have no effect. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List<CompletableFuture<@Nullable Void>> loops = new ArrayList<>();
        for (EventExecutor loop : group()) {
            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
            loops.add(done);
            var unused = loop.schedule(() -> done.complete(null), QUIET_MILLIS, TimeUnit.MILLISECONDS);
        }
        var unused = CompletableFuture.allOf(loops.toArray(CompletableFuture<?>[]::new))
                .thenRun(() -> {
                    lease.close();
                    // Completes the future on another thread, because its callbacks may block.
                    ended.completeAsync(() -> null);
                });
    }
}
