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
 * The connection to one plugin: a gRPC channel that is never rebuilt, and reconnects at once when the plugin returns. Without this class, the channel would refuse calls during its backoff, which grows to two
 * minutes.
 */
public final class Connection implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final ManagedChannel channel;
    private final @Nullable SocketWatch watch;
    private final AtomicLong connects;
    private final SharedResource.Lease<EventLoopGroup> ioThreads;
    private final Tasks tasks;
    private final Set<DelayedTask> delayedTasks = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    /** The number of users of the threads: the owner of the connection, and each call that has not ended. */
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * Runs tasks that may block.
     *
     * @param threads the lease of the threads
     * @param executor the executor of the tasks
     */
    public record Tasks(SharedResource.Lease<ExecutorService> threads, Executor executor) {}

    /**
     * Creates a connection.
     *
     * @param connects counts the attempts to connect, before each attempt
     */
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
     * Returns the channel for a new call. A new call triggers a connect at once: entering idle drops the backoff, while calls in flight end on their connection.
     */
    public Channel forCall() {
        if (failing() || (watch != null && watch.replaced())) {
            channel.enterIdle();
        }
        return channel;
    }

    /** Returns the number of attempts to connect. */
    public long connects() {
        return connects.get();
    }

    /**
     * Runs a task when the channel has forgotten its failed connect, or when this connection is closed, on a thread that may block. A channel fails calls before it changes its state, so a call that begins in between fails
     * as well.
     */
    public void afresh(Runnable task) {
        DelayedTask delayed = new DelayedTask(delayedTasks, tasks.executor(), task);
        channel.enterIdle();
        // The channel is not in this state before it is closed, so this runs at once, but after earlier requests.
        channel.notifyWhenStateChanged(ConnectivityState.SHUTDOWN, delayed::end);
        if (isClosed()) {
            delayed.end();
        }
    }

    /** Returns whether the last attempt to connect failed. */
    public boolean failing() {
        return channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
    }

    /** Reports a failed call, because another socket may be at the path. */
    public void suspect() {
        if (watch != null) {
            watch.checkSoon();
        }
    }

    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Keeps the threads for a call until {@link #leave}. Otherwise closing could end them while gRPC hands the call over, and the call would never end.
     *
     * @return false if the connection is closed; the call then fails without the threads, and must not leave
     */
    public boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Releases the threads after the end of a call that entered. */
    public void leave() {
        if (users.decrementAndGet() == 0) {
            ioThreads.close();
            tasks.threads().close();
        }
    }

    /**
     * Runs a task on an I/O thread; the task must not block. Returns null if the connection is closed, because all calls end then anyway.
     */
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

    /** Runs a task once on a thread that may block: after the delay, or when this connection is closed. */
    public Cancellable later(Runnable task, long delayNanos) {
        DelayedTask delayed = new DelayedTask(delayedTasks, tasks.executor(), task);
        ScheduledFuture<?> timer = schedule(delayed::end, delayNanos);
        if (isClosed()) {
            delayed.end();
        }
        return () -> {
            delayed.cancel();
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
            // An I/O thread would wait for itself. Only a caller's direct executor leads here on an I/O thread.
            if (!IoThread.isCurrent()) {
                channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            delayedTasks.forEach(DelayedTask::end);
            leave();
        }
    }
}
