package io.csi4j.client.internal.transport;

import io.csi4j.client.internal.socket.IoThread;
import io.csi4j.core.spi.Cancellable;
import io.grpc.Channel;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connection to a plugin, an agent or a server: a gRPC channel that is never rebuilt, and reconnects at once when the other side returns. Without this class, the channel would refuse calls during its backoff, which grows to two
 * minutes.
 */
public final class Connection implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    private final ManagedChannel channel;
    private final @Nullable SocketWatch watch;
    private final AtomicLong connects;
    private final EventLoopGroup ioThreads;
    private final Executor tasks;
    private final Runnable release;
    private final Set<DelayedTask> delayedTasks = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();
    /** The number of users of the threads: the owner of the connection, and each call that has not ended. */
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * Creates a connection.
     *
     * @param connects the counter of attempts to connect; it is increased before each attempt
     * @param tasks runs tasks that may block
     * @param release is run when neither the owner nor a call uses the threads any more
     */
    public Connection(
            ManagedChannel channel,
            @Nullable SocketWatch watch,
            AtomicLong connects,
            EventLoopGroup ioThreads,
            Executor tasks,
            Runnable release) {
        this.channel = channel;
        this.watch = watch;
        this.connects = connects;
        this.ioThreads = ioThreads;
        this.tasks = tasks;
        this.release = release;
    }

    /**
     * Returns the channel for a new call. If the last connect failed, the new call connects at once instead of waiting for the end of the
     * backoff. Calls in flight are not affected.
     */
    public Channel forCall() {
        if (failing() || (watch != null && watch.replaced())) {
            channel.enterIdle();
        }
        return channel;
    }

    /** Returns the number of attempts to connect so far. */
    public long connects() {
        return connects.get();
    }

    /**
     * Ends the channel's backoff after a failed connect, and then runs a task. A call that begins before the end of the
     * backoff would fail. If this connection is closed, the task runs, too. The task runs on a thread that may block.
     */
    public void afresh(Runnable task) {
        DelayedTask delayed = new DelayedTask(delayedTasks, tasks, task);
        channel.enterIdle();
        // Queues the task behind earlier notifications of the channel. It runs at once, because the channel is not in
        // the state SHUTDOWN.
        channel.notifyWhenStateChanged(ConnectivityState.SHUTDOWN, delayed::end);
        if (isClosed()) {
            delayed.end();
        }
    }

    /** Returns whether the last attempt to connect failed. */
    public boolean failing() {
        return channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
    }

    /**
     * Handles the failure of a call. A new plugin may have replaced the socket file, so the next call first checks the
     * path.
     */
    public void suspect() {
        if (watch != null) {
            watch.checkSoon();
        }
    }

    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Holds the threads for a call until {@link #leave}. Otherwise {@link #close} could end the threads while gRPC passes the end of a call
     * to them, and that call would never end.
     *
     * @return false if the connection is closed; the call then has to fail without these threads and must not call {@link #leave}
     */
    public boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Releases the threads after the end of a call for which {@link #enter} returned true. */
    public void leave() {
        if (users.decrementAndGet() == 0) {
            release.run();
        }
    }

    /**
     * Runs a task on an I/O thread after a delay; the task must not block. Returns null, without running the task, if the connection is
     * closed, because all calls end then.
     */
    public @Nullable ScheduledFuture<?> schedule(Runnable task, long delayNanos) {
        try {
            return ioThreads.next().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closing) {
            if (isClosed()) {
                return null;
            }
            throw closing;
        }
    }

    /** Runs a task once, on a thread that may block: after the delay, or earlier if this connection is closed. */
    public Cancellable later(Runnable task, long delayNanos) {
        DelayedTask delayed = new DelayedTask(delayedTasks, tasks, task);
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

    /** Ends the calls in flight, closes the connection and waits until it is closed. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        channel.shutdownNow();
        try {
            // Does not wait on an I/O thread, which would wait for itself. This method runs on an I/O thread only if
            // the caller's executor runs tasks in the submitting thread.
            if (!IoThread.isCurrent()) {
                channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            end();
        }
    }

    /** Ends the calls in flight and closes the connection. Does not wait. */
    public void abort() {
        if (closed.compareAndSet(false, true)) {
            channel.shutdownNow();
            end();
        }
    }

    /** Refuses new calls, and closes the connection when those in flight have ended. Does not wait. */
    public void retire() {
        if (closed.compareAndSet(false, true)) {
            channel.shutdown();
            end();
        }
    }

    private void end() {
        delayedTasks.forEach(DelayedTask::end);
        leave();
    }
}
