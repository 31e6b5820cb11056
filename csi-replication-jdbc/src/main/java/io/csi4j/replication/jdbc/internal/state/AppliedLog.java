package io.csi4j.replication.jdbc.internal.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.jdbc.internal.db.Database;
import io.csi4j.replication.jdbc.internal.db.Entry;
import io.csi4j.replication.jdbc.internal.db.Head;
import io.csi4j.replication.jdbc.internal.db.LogTables;
import io.csi4j.replication.jdbc.internal.db.StoredSnapshot;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BiConsumer;

/** The part of the log that this server has applied to its state. One thread at a time uses it; the index may be read by all. */
public final class AppliedLog {
    private final Database database;
    private final LogTables tables;
    private final StateStore store;
    private final CommandCodec codec;
    private final String place;
    private final BiConsumer<Entry, Outcome> applied;
    private final Runnable restored;

    private volatile long index;
    private byte[] chain = new byte[Entry.CHAIN_BYTES];

    /**
     * Creates an object for an empty state.
     *
     * @param database reads the log
     * @param tables the statements
     * @param store the state
     * @param codec reads the commands
     * @param place the name of the tables, for messages
     * @param applied gets each entry with its outcome after it was applied
     * @param restored runs after a snapshot has replaced the state
     */
    public AppliedLog(
            Database database,
            LogTables tables,
            StateStore store,
            CommandCodec codec,
            String place,
            BiConsumer<Entry, Outcome> applied,
            Runnable restored) {
        this.database = database;
        this.tables = tables;
        this.store = store;
        this.codec = codec;
        this.place = place;
        this.applied = applied;
        this.restored = restored;
    }

    /** Returns the index of the last applied entry. */
    public long index() {
        return index;
    }

    /** Returns the digest of all applied entries. */
    public byte[] chain() {
        return chain.clone();
    }

    /** Returns the state with its place in the log. */
    public Capture capture() {
        return new Capture(index, chain.clone(), store.snapshot());
    }

    /**
     * Applies all entries of the database that this server has not applied. Begins with the latest snapshot if the log has
     * lost the entries before it.
     *
     * @return the head of the log, before the last entries were read
     * @throws LogFailedException if the log is damaged, was put back, or has an entry that cannot be read
     */
    public Head catchUp() throws SQLException {
        // One moment, because another server may remove entries and older snapshots meanwhile.
        Head head = database.snapshot(connection -> {
            Head now = tables.head(connection).orElseThrow(() -> lost("the row of its head is gone"));
            checkPast(now);
            if (now.firstIndex() > index + 1) {
                restore(connection);
            }
            tables.entriesAfter(connection, index, entry -> {
                check(connection, entry);
                apply(entry);
            });
            return now;
        });
        if (index < head.lastIndex()) {
            throw lost("it has no entry with index " + (index + 1) + ", and its last index is " + head.lastIndex());
        }
        return head;
    }

    /**
     * Checks that the log still has all entries that this server has applied.
     *
     * @throws PutBackException if it was put back from a copy
     */
    public void checkPast(Head head) {
        if (head.lastIndex() < index || (head.lastIndex() == index && !MessageDigest.isEqual(head.chain(), chain))) {
            throw new PutBackException(place, index, head.lastIndex());
        }
    }

    /** Checks that an entry is the next one after those that this server has applied. */
    private void check(Connection connection, Entry entry) throws SQLException {
        if (entry.index() != index + 1) {
            throw lost("after the entry with index " + index + " comes one with index " + entry.index());
        }
        if (entry.follows(chain)) {
            return;
        }
        byte[] before = tables.chainAt(connection, index).orElse(new byte[0]);
        if (index == 0 || MessageDigest.isEqual(before, chain)) {
            throw lost("its entry with index " + entry.index() + " was changed");
        }
        throw new PutBackException(place, index, entry.index());
    }

    /** Applies the next entry of the log. */
    public void apply(Entry entry) {
        Outcome outcome;
        try {
            Command command = codec.decodeCommand(entry.content());
            outcome = store.applyAt(entry.index(), command);
        } catch (RuntimeException e) {
            throw new LogFailedException(
                    "The entry with index " + entry.index() + " of the log in " + place + " cannot be applied: "
                            + e.getMessage()
                            + ". This server has stopped, and nothing after this entry was applied. Start it again with"
                            + " the newest version that runs in the cluster, and with the keys of all servers",
                    e);
        }
        chain = entry.chain();
        index = entry.index();
        applied.accept(entry, outcome);
    }

    private void restore(Connection connection) throws SQLException {
        StoredSnapshot snapshot = tables.latestSnapshot(connection)
                .filter(latest -> latest.index() > index)
                .orElseThrow(() -> lost("it begins after index " + (index + 1) + ", and has no snapshot of then"));
        SnapshotReader.restore(connection, tables, snapshot, store, place);
        chain = snapshot.chain();
        index = snapshot.index();
        restored.run();
    }

    private LogFailedException lost(String what) {
        return new LogFailedException(
                "The log in " + place + " is damaged: " + what
                        + ". This server has stopped. Stop all servers, and restore all tables of the log from one backup",
                null);
    }
}
