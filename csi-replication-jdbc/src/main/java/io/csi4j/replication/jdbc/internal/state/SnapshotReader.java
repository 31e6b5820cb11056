package io.csi4j.replication.jdbc.internal.state;

import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.StoredSnapshot;
import io.csi4j.state.StateStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a snapshot from the database. */
final class SnapshotReader {
    private SnapshotReader() {}

    /**
     * Replaces the state by a snapshot.
     *
     * @throws LogFailedException if the snapshot is incomplete or damaged; the state is then as before
     */
    static void restore(
            Connection connection, LogTables tables, StoredSnapshot snapshot, StateStore store, String place)
            throws SQLException {
        // All parts are in memory once, encoded, until the state is restored; they are checked before.
        List<InputStream> parts = new ArrayList<>();
        MessageDigest sha = Entry.sha256();
        tables.chunks(connection, snapshot.index(), content -> {
            sha.update(content);
            parts.add(new ByteArrayInputStream(content));
        });
        if (parts.size() != snapshot.chunks() || !MessageDigest.isEqual(sha.digest(), snapshot.digest())) {
            throw damaged(snapshot, place, "its " + parts.size() + " parts are not those that were written", null);
        }
        try {
            store.restore(new SequenceInputStream(Collections.enumeration(parts)));
        } catch (IOException | RuntimeException e) {
            throw damaged(snapshot, place, String.valueOf(e.getMessage()), e);
        }
    }

    private static LogFailedException damaged(
            StoredSnapshot snapshot, String place, String reason, @Nullable Throwable cause) {
        return new LogFailedException(
                "The snapshot at index " + snapshot.index() + " of the log in " + place + " cannot be read: " + reason
                        + ". Nothing was restored. Start the server with the newest version that runs in the cluster, and"
                        + " with the keys of all servers; if it is damaged, stop all servers and restore all tables of the"
                        + " log from one backup",
                cause);
    }
}
