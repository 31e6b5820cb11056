package io.csi4j.core.internal.replication;

import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.spi.LeadershipListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Notifies the listeners whether this peer leads, in order. Thread-safe. */
public final class Leadership {
    private static final System.Logger LOG = System.getLogger(Leadership.class.getName());

    private final SerialExecutor notifications;

    // Only tasks of the notification executor use the fields below.
    private final List<LeadershipListener> listeners = new ArrayList<>();
    private boolean notified;

    private volatile boolean leading;

    /**
     * Creates the object for a peer that does not lead yet.
     *
     * @param executor runs the listeners
     */
    public Leadership(Executor executor) {
        this.notifications = new SerialExecutor(
                executor,
                failure -> LOG.log(System.Logger.Level.ERROR, "A LeadershipListener failed; repair it", failure));
    }

    /** Returns whether this peer leads. */
    public boolean leading() {
        return leading;
    }

    /** Adds a listener, and notifies it of the present state. */
    public void add(LeadershipListener listener) {
        run(() -> {
            listeners.add(listener);
            notify(listener, notified);
        });
    }

    /** Removes a listener. */
    public void remove(LeadershipListener listener) {
        run(() -> listeners.remove(listener));
    }

    /** Sets whether this peer leads. */
    public synchronized void set(boolean leads) {
        if (leading != leads) {
            leading = leads;
            run(() -> publish(leads));
        }
    }

    /** Runs a task after the listeners were notified of all changes before this call, and before that of later ones. */
    public void afterNotified(Runnable task) {
        run(task);
    }

    /**
     * Waits until the listeners were notified of all changes before this call.
     *
     * @return whether they were, within the limit
     */
    public boolean awaitNotified(Duration limit) {
        CountDownLatch notifiedAll = new CountDownLatch(1);
        run(notifiedAll::countDown);
        try {
            return notifiedAll.await(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void publish(boolean now) {
        if (now == notified) {
            return;
        }
        notified = now;
        List.copyOf(listeners).forEach(listener -> notify(listener, now));
    }

    private static void notify(LeadershipListener listener, boolean leads) {
        try {
            if (leads) {
                listener.startLeading();
            } else {
                listener.stopLeading();
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "A LeadershipListener failed; repair it", e);
        }
    }

    private void run(Runnable task) {
        try {
            notifications.execute(task);
        } catch (RejectedExecutionException closed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The environment was closed before the log, so leadership is not reported any more");
        }
    }
}
