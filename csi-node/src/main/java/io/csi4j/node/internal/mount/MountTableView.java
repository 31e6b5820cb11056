package io.csi4j.node.internal.mount;

import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the mount table for all workers. Workers share a table for 100 ms, because otherwise each of many workers would
 * read a long table for every step. A worker gets only a table that was read after its own last call.
 */
public final class MountTableView {
    private static final System.Logger LOG = System.getLogger(MountTableView.class.getName());
    private static final long OLDEST_NANOS = Duration.ofMillis(100).toNanos();

    private final MountTable table;
    private final Timer timer;
    private final HostCallbacks host;
    private final AtomicLong begun = new AtomicLong();
    private final AtomicBoolean unreadable = new AtomicBoolean();
    private volatile @Nullable Reading last;

    /** Serializes reads: a second reader waits for the first. */
    private final Object reading = new Object();

    private record Reading(long number, long atNanos, MountPoints points) {}

    public MountTableView(MountTable table, Timer timer, HostCallbacks host) {
        this.table = table;
        this.timer = timer;
        this.host = host;
    }

    /** Returns a mark for the present time; {@link #readAfter} uses it to ignore tables that were read earlier. */
    public long moment() {
        return begun.get();
    }

    /** Returns a table whose read began after a mark; empty if the table cannot be read. */
    public Optional<MountPoints> readAfter(long moment) {
        Optional<MountPoints> known = known(moment);
        if (known.isPresent()) {
            return known;
        }
        synchronized (reading) {
            Optional<MountPoints> others = known(moment);
            return others.isPresent() ? others : read();
        }
    }

    private Optional<MountPoints> known(long moment) {
        Reading read = last;
        if (read == null || read.number() <= moment) {
            return Optional.empty();
        }
        long age = timer.nanoTime() - read.atNanos();
        return age <= OLDEST_NANOS ? Optional.of(read.points()) : Optional.empty();
    }

    /** Reads the table now; empty if the table cannot be read. */
    public Optional<MountPoints> read() {
        long number = begun.incrementAndGet();
        long now = timer.nanoTime();
        try {
            MountPoints points = host.watched("MountTable.read", table::read);
            last = new Reading(number, now, points);
            unreadable.set(false);
            return Optional.of(points);
        } catch (Exception | Error e) {
            host.failed("MountTable.read", e);
            last = null;
            // Logs the failure once, and not at every read.
            if (!unreadable.getAndSet(true)) {
                LOG.log(
                        Level.WARNING,
                        "Cannot read the mount table ({0}); nothing is concluded from it until it can be read",
                        NodeFailures.text(e));
            }
            return Optional.empty();
        }
    }
}
