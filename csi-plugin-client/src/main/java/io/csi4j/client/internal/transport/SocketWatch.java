package io.csi4j.client.internal.transport;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Detects that the file at a path is no longer the connected socket. Otherwise calls would go to an old plugin process for as long as it lives, although a new process has replaced the socket.
 *
 * <p>A check costs a few microseconds, so it is made at most every {@link #INTERVAL_NANOS}, and at the next call after a failure.
 */
final class SocketWatch {
    static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Path path;
    private final ElapsedTime elapsed;
    private final AtomicLong nextLook;
    /** Read before a connect: if the file changes in between, one unneeded reconnect follows, but none is missed. */
    private volatile @Nullable SocketIdentity connected;
    /** The last reported change; each change is reported once, because the reconnect may take a while to begin. */
    private volatile @Nullable SocketIdentity reported;

    SocketWatch(Path path, ElapsedTime elapsed) {
        this.path = path;
        this.elapsed = elapsed;
        this.nextLook = new AtomicLong(elapsed.nanos());
    }

    /** Records the socket before a connect. */
    void connecting() {
        connected = SocketIdentity.of(path);
    }

    /** Requests a check at the next call, independent of the time. */
    void lookSoon() {
        nextLook.set(elapsed.nanos());
    }

    /** Returns whether another socket has replaced the connected one; true once for each change. */
    boolean moved() {
        long now = elapsed.nanos();
        long due = nextLook.get();
        if (now - due < 0 || !nextLook.compareAndSet(due, now + INTERVAL_NANOS)) {
            return false;
        }
        SocketIdentity there = SocketIdentity.of(path);
        SocketIdentity before = connected;
        if (before == null || there.equals(before) || there.equals(reported) || there.equals(SocketIdentity.ABSENT)) {
            // Without a file, the old process is the only one to call.
            return false;
        }
        reported = there;
        return true;
    }
}
