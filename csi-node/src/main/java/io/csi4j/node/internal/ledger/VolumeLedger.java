package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.VolumeKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Where the records of this node's volumes are kept. What it has taken survives the process, and the machine. */
public interface VolumeLedger extends AutoCloseable {
    /** What was found when the ledger was opened. */
    record Contents(List<VolumeEntry> entries, List<SetAside> setAside) {}

    /** A record that could not be read. The volume is empty where not even the name of the file tells it. */
    record SetAside(Optional<VolumeKey> volume, String message) {}

    Contents load() throws IOException;

    /**
     * Replaces the record of a volume as a whole.
     *
     * @throws IOException if it is not certain that the new record is durable; the next load finds the old or the new one
     */
    void save(VolumeEntry entry) throws IOException;

    /** Removes the record of a volume, if there is one. After a crash it may be there again as it was saved last. */
    void remove(VolumeKey key) throws IOException;

    @Override
    void close() throws IOException;
}
