package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountPlan;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The current record of a volume, and the record that is stored in the ledger. The stored one may already say that the call after the next
 * one was sent ({@link MountPlan#stored}), so that two calls need one write. Used in the tasks of the worker only.
 */
public final class LedgerRecord {
    private final NodePorts ports;
    private final VolumeRetries retries;
    private VolumeEntry entry;
    /**
     * The record that was current at the last write. It may be older than the current one, because the result of a call may be stored
     * together with the intent to make the next call.
     */
    private VolumeEntry recorded;
    /** The record that is stored in the ledger: {@link MountPlan#stored} of the recorded one. */
    private VolumeEntry stored;
    /**
     * True if this process has written the stored record, and so has synced it. A record that an earlier process wrote
     * may not be synced, because that process may have been killed before it synced the file.
     */
    private boolean synced;
    /** The uses that have to end, but do not end yet in the current record. */
    private final Set<UseId> ending = new LinkedHashSet<>();

    LedgerRecord(VolumeEntry entry, NodePorts ports, VolumeRetries retries) {
        this.entry = entry;
        this.recorded = entry;
        this.stored = entry;
        this.ports = ports;
        this.retries = retries;
    }

    VolumeEntry entry() {
        return entry;
    }

    /** Returns the record that the ledger has. */
    VolumeEntry stored() {
        return stored;
    }

    /** Returns whether the current record was written. */
    boolean isWritten() {
        return entry.equals(recorded);
    }

    /** Sets the current record, which is stored with the next write. */
    void set(VolumeEntry next) {
        entry = next;
    }

    /**
     * Sets the first record of a volume that has no record in the ledger. The record counts as stored, because nothing
     * in it has to survive a crash.
     */
    void begin(VolumeEntry first) {
        entry = first;
        recorded = first;
        stored = first;
    }

    /** Replaces the current record by the one that was written last. */
    void takeBack() {
        entry = recorded;
    }

    /** Marks a use as one that has to end. {@link #writeEndedUses} stores the end. */
    void endUse(UseId use) {
        ending.add(use);
    }

    /** Removes the mark of {@link #endUse}, because the allocation requested the mount again. */
    void keepUse(UseId use) {
        ending.remove(use);
    }

    /** Returns whether a use of an allocation is marked by {@link #endUse} and its end is not stored yet. */
    boolean hasToEnd(AllocationId allocation) {
        return ending.stream().anyMatch(use -> use.allocationId().equals(allocation));
    }

    /** Returns whether the end of at least one use is not stored yet. */
    boolean hasUsesToEnd() {
        return !ending.isEmpty();
    }

    /**
     * Stores the end of the uses that have to end. After a failed write, the next call tries again.
     *
     * @return the uses whose marks were removed
     */
    List<UseId> writeEndedUses() {
        List<UseId> ended = new ArrayList<>();
        for (UseId use : ending) {
            VolumeEntry without = entry.leave(use);
            if (without.equals(entry) || write(without)) {
                ended.add(use);
            }
        }
        ended.forEach(ending::remove);
        return ended;
    }

    /** Stores the current record, unless it was written last; otherwise as {@link #write(VolumeEntry)}. */
    boolean write() {
        return write(entry);
    }

    /**
     * Stores a record, unless it was written last. If the write fails, the current record is unchanged and the worker stops its work
     * until a retry.
     */
    boolean write(VolumeEntry next) {
        if (next.equals(recorded)) {
            entry = next;
            return true;
        }
        return saved(next);
    }

    /**
     * Stores the intent to make a call before the call, unless the stored record has this intent already. When this method returns true,
     * the intent survives a crash of the machine.
     */
    boolean writeIntent(VolumeEntry next) {
        if (synced && MountPlan.covers(stored, next)) {
            entry = next;
            return true;
        }
        return saved(next);
    }

    private boolean saved(VolumeEntry next) {
        try {
            save(next);
            return true;
        } catch (IOException e) {
            String text = "the ledger cannot be written: " + NodeFailures.text(e);
            ports.reporter()
                    .report(
                            Kind.STEP_FAILED,
                            entry.key(),
                            null,
                            "Volume " + entry.key() + ": " + text + "; nothing is called until it can be");
            retries.stall(text);
            return false;
        }
    }

    void save(VolumeEntry next) throws IOException {
        VolumeEntry toStore = MountPlan.stored(next);
        ports.ledger().save(toStore);
        entry = next;
        recorded = next;
        stored = toStore;
        synced = true;
    }

    void remove() throws IOException {
        ports.ledger().remove(entry.key());
        recorded = entry;
        stored = entry;
    }

    NodeVolumeException error(Exception cause) {
        return new NodeVolumeException(
                Reason.LEDGER,
                "Volume " + entry.key() + ": the ledger cannot be written (" + NodeFailures.text(cause)
                        + "), so nothing was done; make room in "
                        + ports.paths().ledger() + " and try again",
                cause);
    }
}
