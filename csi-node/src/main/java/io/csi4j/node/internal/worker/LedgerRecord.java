package io.csi4j.node.internal.worker;

import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;

/** The current record of a volume, and the record that is stored in the ledger. Used in the tasks of the worker only. */
public final class LedgerRecord {
    private final NodePorts ports;
    private final VolumeRetries retries;
    private VolumeEntry entry;
    /**
     * The record that is stored in the ledger. It may be older than the current one, because the result of a call may be stored together
     * with the intent to make the next call.
     */
    private VolumeEntry recorded;
    /**
     * True if this process has written the stored record, and so has synced it. A record that an earlier process wrote
     * may not be synced, because that process may have been killed before it synced the file.
     */
    private boolean synced;

    LedgerRecord(VolumeEntry entry, NodePorts ports, VolumeRetries retries) {
        this.entry = entry;
        this.recorded = entry;
        this.ports = ports;
        this.retries = retries;
    }

    VolumeEntry entry() {
        return entry;
    }

    /** Returns whether the ledger has the current record. */
    boolean isWritten() {
        return entry.equals(recorded);
    }

    /** Sets the current record, which is stored with the next write. */
    void set(VolumeEntry next) {
        entry = next;
    }

    /** Sets the record that was loaded from the ledger. */
    void begin(VolumeEntry first) {
        entry = first;
        recorded = first;
    }

    /** Replaces the current record by the record that is stored in the ledger. */
    void takeBack() {
        entry = recorded;
    }

    /**
     * Stores a record, unless the ledger already has it. If the write fails, the current record is unchanged and the worker stops its work
     * until a retry.
     */
    boolean write(VolumeEntry next) {
        if (next.equals(recorded)) {
            entry = next;
            return true;
        }
        return saved(next);
    }

    /** Stores the intent to make a call before the call; when this method returns true, the record survives a crash of the machine. */
    boolean writeIntent(VolumeEntry next) {
        return synced ? write(next) : saved(next);
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
        ports.ledger().save(next);
        entry = next;
        recorded = next;
        synced = true;
    }

    void remove() throws IOException {
        ports.ledger().remove(entry.key());
        recorded = entry;
    }

    NodeVolumeException error(Exception cause) {
        return new NodeVolumeException(
                Reason.LEDGER,
                "Volume " + entry.key() + ": the ledger cannot be written, so nothing was done; make room in "
                        + ports.paths().ledger() + " and try again",
                cause);
    }
}
