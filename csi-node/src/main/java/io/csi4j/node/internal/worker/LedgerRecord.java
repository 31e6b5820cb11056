package io.csi4j.node.internal.worker;

import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;

/** The current record of a volume, and the one in the ledger. Used in the tasks of the worker only. */
public final class LedgerRecord {
    private final NodePorts ports;
    private final VolumeRetries retries;
    private VolumeEntry entry;
    /** As it is in the ledger. The outcome of a call may go there with the intent of the next. */
    private VolumeEntry recorded;
    /** Whether this process wrote it: one that was killed may not have come to sync what it wrote. */
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

    /** Whether the ledger says what the record says. */
    boolean isWritten() {
        return entry.equals(recorded);
    }

    /** What is so from now on, and is written with whatever is written next. */
    void set(VolumeEntry next) {
        entry = next;
    }

    /** What there was before anything was written. */
    void begin(VolumeEntry first) {
        entry = first;
        recorded = first;
    }

    /** Back to what is in the ledger. */
    void takeBack() {
        entry = recorded;
    }

    /** Writes it, unless it is in the ledger already. If that fails, the worker stalls, and nothing has changed. */
    boolean write(VolumeEntry next) {
        if (next.equals(recorded)) {
            entry = next;
            return true;
        }
        return saved(next);
    }

    /** The same for what a call is made on the strength of: it is certain to outlive the machine. */
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
                    .tell(
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

    /** Takes it out of the ledger. */
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
