package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.VolumeKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Stores the records of this node's volumes. A saved record survives a crash of the process and of the machine. */
public interface VolumeLedger extends AutoCloseable {
    /** The content of the ledger when it was opened. */
    record Contents(List<VolumeEntry> entries, List<SetAside> setAside) {}

    /** An unreadable record that was moved aside. The volume is empty if the name of the file contains no volume key. */
    record SetAside(Optional<VolumeKey> volume, String message) {}

    Contents load() throws IOException;

    /**
     * Replaces the record of a volume as a whole.
     *
     * @throws IOException if it is not certain that the new record is durable; the next load then returns the old or the new record
     */
    void save(VolumeEntry entry) throws IOException;

    /**
     * Removes the record of a volume, if there is one. The removal may be lost in a crash of the machine; {@link
     * Contents} then has the last saved record.
     */
    void remove(VolumeKey key) throws IOException;

    @Override
    void close() throws IOException;
}
