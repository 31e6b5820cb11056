package io.csi4j.node;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/** The progress of one change of ownership, and the way to cancel it. Thread-safe. */
public final class OwnershipProgress {
    private final LongAdder visited = new LongAdder();
    private final LongAdder changed = new LongAdder();
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private final Runnable afterChange;
    private volatile String reason = "";

    /** Creates the progress of a change that has not begun. */
    public OwnershipProgress() {
        this(() -> {});
    }

    /** Creates the progress of a change that has not begun; {@code afterChange} runs whenever a file was changed. */
    OwnershipProgress(Runnable afterChange) {
        this.afterChange = afterChange;
    }

    /** Returns the number of files and directories that were looked at, without the root. */
    public long visited() {
        return visited.sum();
    }

    /** Returns the number of files and directories whose group or mode was changed, the root included. */
    public long changed() {
        return changed.sum();
    }

    /** Returns the reason why files are changed or left as they are, for operators; empty until it is known. */
    public String reason() {
        return reason;
    }

    /** Sets the reason why files are changed or left as they are: in what the root directory differs, or the policy. */
    public void because(String why) {
        reason = Objects.requireNonNull(why, "why");
    }

    /** Ends the change before the next file, without success. */
    public void cancel() {
        cancelled.set(true);
    }

    /** Returns whether the change has to end. */
    public boolean isCancelled() {
        return cancelled.get();
    }

    /** Counts a file or a directory that is looked at. */
    public void visit() {
        visited.increment();
    }

    /** Counts a file or a directory that was changed. */
    public void change() {
        changed.increment();
        afterChange.run();
    }
}
