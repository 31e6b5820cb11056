package io.csi4j.replication.jdbc.internal.state;

import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.StoredSnapshot;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;

/** Writes snapshots into the database, and removes the entries that are not needed any more. */
public final class SnapshotWriter {
    private static final int CHUNK = 1 << 20;
    private static final int REMOVED_AT_ONCE = 10_000;

    private final Database database;
    private final LogTables tables;
    private final StateStore store;
    private final long kept;

    /**
     * Creates a writer.
     *
     * @param database writes the snapshots
     * @param tables the statements
     * @param store encodes the state
     * @param kept the number of entries before a snapshot that stay in the log
     */
    public SnapshotWriter(Database database, LogTables tables, StateStore store, long kept) {
        this.database = database;
        this.tables = tables;
        this.store = store;
        this.kept = kept;
    }

    /**
     * Writes a snapshot in one transaction, unless the database has one that is as new. Then removes older entries.
     *
     * @return the index of the latest snapshot
     */
    public long write(Capture capture) throws SQLException, IOException {
        long index = written(capture);
        cut(index - kept + 1);
        return index;
    }

    private long written(Capture capture) throws SQLException, IOException {
        try {
            return database.transaction(connection -> {
                Optional<StoredSnapshot> latest = tables.latestSnapshot(connection);
                if (latest.isPresent() && latest.get().index() >= capture.index()) {
                    return latest.get().index();
                }
                try (Chunks out = new Chunks(connection, capture.index())) {
                    long unused = store.encode(capture.state(), out);
                    out.end();
                    tables.complete(
                            connection,
                            new StoredSnapshot(
                                    capture.index(), capture.chain(), out.bytes, out.chunks, out.sha.digest()));
                } catch (IOException failed) {
                    throw failed.getCause() instanceof SQLException cause ? cause : new SQLException(failed);
                }
                return capture.index();
            });
        } catch (SQLException failed) {
            if (failed.getCause() instanceof IOException unwritable) {
                throw unwritable;
            }
            return writtenByOther(capture, failed);
        }
    }

    /** Two servers that write a snapshot of the same index insert the same keys, and one of them fails. */
    private long writtenByOther(Capture capture, SQLException failed) throws SQLException {
        try {
            return database.transaction(tables::latestSnapshot)
                    .map(StoredSnapshot::index)
                    .filter(latest -> latest >= capture.index())
                    .orElseThrow(() -> failed);
        } catch (SQLException again) {
            if (!again.equals(failed)) {
                failed.addSuppressed(again);
            }
            throw failed;
        }
    }

    /** Servers do not read below the first index, so entries are removed only after it was raised. */
    private void cut(long first) throws SQLException {
        if (first <= 1) {
            return;
        }
        database.transaction(connection -> {
            tables.cutBefore(connection, first);
            return first;
        });
        int removed;
        do {
            removed = database.transaction(connection -> tables.removeBefore(connection, first, REMOVED_AT_ONCE));
        } while (removed > 0);
    }

    /** Cuts the encoded state into parts, each of which is a row. */
    private final class Chunks extends OutputStream {
        private final Connection connection;
        private final long index;
        private final byte[] buffer = new byte[CHUNK];
        final MessageDigest sha = Entry.sha256();
        private int filled;
        int chunks;
        long bytes;

        Chunks(Connection connection, long index) {
            this.connection = connection;
            this.index = index;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            int at = offset;
            while (at < offset + length) {
                int count = Math.min(offset + length - at, CHUNK - filled);
                System.arraycopy(from, at, buffer, filled, count);
                filled += count;
                at += count;
                if (filled == CHUNK) {
                    end();
                }
            }
        }

        /** Stores the rest. */
        void end() throws IOException {
            if (filled == 0) {
                return;
            }
            byte[] content = Arrays.copyOf(buffer, filled);
            sha.update(content);
            try {
                tables.writeChunk(connection, index, chunks, content);
            } catch (SQLException e) {
                throw new IOException(e);
            }
            chunks++;
            bytes += filled;
            filled = 0;
        }
    }
}
