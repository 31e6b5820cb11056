package io.csi4j.client.internal.transport;

import io.csi4j.core.spi.Cancellable;
import io.grpc.Channel;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The way to one plugin: a gRPC channel that is never rebuilt, and what it takes to bring it back at
 * once when the plugin comes back. Left alone, the channel would refuse calls during its back-off, which
 * grows to two minutes.
 */
public final class Connection implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final ManagedChannel channel;
    private final @Nullable SocketWatch watch;
    private final AtomicLong connects;
    private final SharedResource.Lease<EventLoopGroup> ioThreads;
    private final Tasks tasks;
    private final Set<Pause> pauses = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Who needs the threads: whoever opened this, and each call that has not been told its end. */
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * What runs tasks that may block.
     *
     * @param threads to be given back
     * @param executor what the tasks are given to
     */
    public record Tasks(SharedResource.Lease<ExecutorService> threads, Executor executor) {}

    /** {@code connects} counts the attempts to connect, each before it is made. */
    public Connection(
            ManagedChannel channel,
            @Nullable SocketWatch watch,
            AtomicLong connects,
            SharedResource.Lease<EventLoopGroup> ioThreads,
            Tasks tasks) {
        this.channel = channel;
        this.watch = watch;
        this.connects = connects;
        this.ioThreads = ioThreads;
        this.tasks = tasks;
    }

    /**
     * The channel for a call that begins now. A call is a reason to try at once: idle drops the
     * back-off, and calls in flight end where they began.
     */
    public Channel forCall() {
        if (failing() || (watch != null && watch.moved())) {
            channel.enterIdle();
        }
        return channel;
    }

    /** How often it was attempted to connect. */
    public long connects() {
        return connects.get();
    }

    /**
     * Runs {@code task} when the channel has forgotten that connecting failed, or when this is closed; on a thread
     * that may block. A channel tells calls of that failure before it shows it as its state, so that a call which
     * begins meanwhile meets it too.
     */
    public void afresh(Runnable task) {
        Pause pause = new Pause(pauses, tasks.executor(), task);
        channel.enterIdle();
        // It is in no such state before it is closed, so that this comes at once, but after what was asked for before.
        channel.notifyWhenStateChanged(ConnectivityState.SHUTDOWN, pause::end);
        if (isClosed()) {
            pause.end();
        }
    }

    /** Whether the last attempt to connect failed. */
    public boolean failing() {
        return channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
    }

    /** A call did not come through; the socket may be another one by now. */
    public void suspect() {
        if (watch != null) {
            watch.lookSoon();
        }
    }

    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Keeps the threads for a call until {@link #leave}. Without this, closing could take them away while gRPC
     * is still handing the call over to them: it would fail in the middle, and never tell the call its end.
     *
     * @return false if it is too late; the call then fails without them, and must not leave
     */
    public boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** A call that entered was told its end. */
    public void leave() {
        if (users.decrementAndGet() == 0) {
            ioThreads.close();
            tasks.threads().close();
        }
    }

    /** Runs {@code task} on an I/O thread; it must not block. Null if it is too late for that: then all calls end anyway. */
    public @Nullable ScheduledFuture<?> schedule(Runnable task, long delayNanos) {
        try {
            return ioThreads.get().next().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closing) {
            if (isClosed()) {
                return null;
            }
            throw closing;
        }
    }

    /** Runs {@code task} once on a thread that may block: after the delay, or when this is closed. */
    public Cancellable later(Runnable task, long delayNanos) {
        Pause pause = new Pause(pauses, tasks.executor(), task);
        ScheduledFuture<?> timer = schedule(pause::end, delayNanos);
        if (isClosed()) {
            pause.end();
        }
        return () -> {
            pause.callOff();
            if (timer != null) {
                timer.cancel(false);
            }
        };
    }

    /** Ends the calls in flight, and returns when the connection is closed. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        channel.shutdownNow();
        try {
            // An I/O thread would wait for itself. One comes here only from a caller's direct executor.
            if (!IoThread.isCurrent()) {
                channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            pauses.forEach(Pause::end);
            leave();
        }
    }
}
