package io.csi4j.client.internal.transport;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Detects that another socket has replaced the connected one at its path. Without this check, calls would go to the old plugin process for
 * as long as it lives.
 *
 * <p>A check costs a few microseconds, so it is made at most every {@link #INTERVAL_NANOS}, and at the next call after a failure.
 */
public final class SocketWatch {
    static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Path path;
    private final ElapsedTime elapsed;
    private final AtomicLong nextCheck;
    /**
     * The identity of the connected socket, read before the connect. If the file changes between the reading and the connect, one unneeded
     * reconnect follows; no change is missed.
     */
    private volatile @Nullable SocketFile connected;
    /**
     * The identity of the new socket that {@link #replaced} reported last. It is not reported again if the reconnect
     * has not begun yet.
     */
    private volatile @Nullable SocketFile reported;

    SocketWatch(Path path, ElapsedTime elapsed) {
        this.path = path;
        this.elapsed = elapsed;
        this.nextCheck = new AtomicLong(elapsed.nanos());
    }

    /** Records the identity of the socket to which the connection is about to connect. */
    void connecting() {
        connected = SocketFile.at(path);
    }

    /** Makes the next call check the path, even if the path was checked shortly before. */
    void checkSoon() {
        nextCheck.set(elapsed.nanos());
    }

    /** Returns whether another socket has replaced the connected one; returns true only once for each new socket. */
    boolean replaced() {
        long now = elapsed.nanos();
        long due = nextCheck.get();
        if (now - due < 0 || !nextCheck.compareAndSet(due, now + INTERVAL_NANOS)) {
            return false;
        }
        SocketFile there = SocketFile.at(path);
        SocketFile before = connected;
        if (before == null || there.equals(before) || there.equals(reported) || !there.isThere()) {
            // If there is no file at the path, calls still go to the old process, because there is no other.
            return false;
        }
        reported = there;
        return true;
    }
}
