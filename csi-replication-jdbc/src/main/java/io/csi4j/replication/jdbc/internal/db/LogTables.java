package io.csi4j.replication.jdbc.internal.db;

import io.csi4j.replication.jdbc.internal.schema.Dialect;
import io.csi4j.replication.jdbc.internal.schema.TableNames;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The statements on the tables of the log. Each method that gets a connection is a part of a transaction of its caller. Thread-safe. */
public final class LogTables {
    private static final int FETCH = 200;
    /** Changes the head if the log ends where the entries begin, and otherwise no row. */
    private static final String MOVE_HEAD =
            "UPDATE %s SET last_index = ?, chain = ? WHERE id = 1 AND last_index = ? AND chain = ?";

    private static final String RENEW =
            "UPDATE %s SET renewals = renewals + 1 WHERE id = 1 AND term = ? AND holder = ?";
    /** The columns of the head; the ids of the recorded commands come from the ends of an index. */
    private static final String HEAD = "h.last_index, h.chain, h.first_index, h.identity, l.term, l.holder, l.leader,"
            + " (SELECT MIN(id) FROM %1$s), (SELECT MAX(id) FROM %1$s)";

    private static final String PROGRESS =
            "incarnation = ?, applied_index = ?, version = ?, seen_at = CURRENT_TIMESTAMP";
    private static final String MILLIS_SINCE =
            "CAST(1000 * (EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) - EXTRACT(EPOCH FROM %s)) AS bigint)";

    /** A state that lets the transaction be tried again. */
    private static final String REMOVED_MEANWHILE = "40001";

    private final TableNames names;
    private final Dialect dialect;
    private final int seconds;
    /** Whether another server may listen. */
    private volatile boolean others = true;

    /**
     * Creates the statements.
     *
     * @param names the names of the tables
     * @param dialect the kind of database
     * @param timeout the longest time of a statement
     */
    public LogTables(TableNames names, Dialect dialect, Duration timeout) {
        this.names = names;
        this.dialect = dialect;
        this.seconds = Math.toIntExact(Math.max(1, timeout.plusMillis(999).toSeconds()));
    }

    /** Gets entries in their order. */
    @FunctionalInterface
    public interface EntryReader {
        /** Reads the next entry. */
        void read(Entry entry) throws SQLException;
    }

    /** Gets the parts of a snapshot in their order. */
    @FunctionalInterface
    public interface ChunkReader {
        /** Reads the next part. */
        void read(byte[] content) throws SQLException;
    }

    /** Sets whether another server may listen to changes of the log. */
    public void othersListen(boolean listen) {
        others = listen;
    }

    /** Returns the state of the log; empty: its row is gone. */
    public Optional<Head> head(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(
                        connection,
                        "SELECT " + HEAD.formatted(names.submission()) + ", l.renewals FROM " + names.head() + " h, "
                                + names.lease() + " l");
                ResultSet row = select.executeQuery()) {
            return row.next() ? Optional.of(head(row, row.getLong(10))) : Optional.empty();
        }
    }

    private static Head head(ResultSet row, long renewals) throws SQLException {
        return new Head(
                row.getLong(1),
                row.getBytes(2),
                row.getLong(3),
                row.getString(4),
                new Head.Lease(row.getLong(5), renewals, row.getLong(6), row.getString(7)),
                row.getLong(8),
                row.getLong(9));
    }

    /**
     * Reads all about the log. On PostgreSQL the same statement also renews the lease and stores the progress of this
     * server, so that an idle server makes one short query in each period. It passes over the row of this server while
     * another session holds it, because that session must not end the leadership.
     *
     * @param database runs the transaction
     * @param self this server; null: its progress is not stored
     * @param term the term of this server, whose lease is renewed if this server still has it; 0: none
     * @param holder the random number of this process
     */
    public Overview overview(Database database, @Nullable Progress self, long term, long holder) throws SQLException {
        if (dialect.announces()) {
            return database.statement(connection -> overviewAtOnce(connection, self, term, holder));
        }
        Overview found = database.transaction(connection -> {
            boolean renewed = term != 0 && renew(connection, term, holder);
            return overview(connection, "", "0", List.of()).as(renewed);
        });
        if (self != null) {
            seen(database, self);
        }
        return found;
    }

    private Overview overviewAtOnce(Connection connection, @Nullable Progress self, long term, long holder)
            throws SQLException {
        List<String> changes = new ArrayList<>();
        List<Object> parameters = new ArrayList<>();
        if (term != 0) {
            changes.add("renewed AS (" + RENEW.formatted(names.lease()) + " RETURNING id, renewals)");
            parameters.addAll(List.of(term, holder));
        }
        if (self != null) {
            changes.add("noted AS (UPDATE " + names.server() + " t SET " + PROGRESS + " FROM (SELECT name FROM "
                    + names.server() + " WHERE name = ? FOR UPDATE SKIP LOCKED) free WHERE t.name = free.name)");
            parameters.addAll(self.parameters());
        }
        String with = changes.isEmpty() ? "" : "WITH " + String.join(", ", changes) + " ";
        return overview(connection, with, term == 0 ? "0" : "(SELECT renewals FROM renewed)", parameters);
    }

    /**
     * Reads all about the log.
     *
     * @param with the changes that the statement makes
     * @param renewals what the statement says about the lease that it has renewed: the number of renewals, or null
     */
    private Overview overview(Connection connection, String with, String renewals, List<Object> parameters)
            throws SQLException {
        String sql = with + "SELECT " + HEAD.formatted(names.submission()) + ", l.renewals, " + renewals
                + ", n.idx, n.bytes, "
                + MILLIS_SINCE.formatted("n.completed_at") + ", s.name, s.applied_index, "
                + MILLIS_SINCE.formatted("s.seen_at") + ", s.version FROM " + names.head() + " h CROSS JOIN "
                + names.lease() + " l LEFT JOIN " + names.snapshot() + " n ON n.idx = (SELECT MAX(idx) FROM "
                + names.snapshot() + " WHERE completed_at IS NOT NULL) LEFT JOIN " + names.server()
                + " s ON s.name IS NOT NULL ORDER BY s.name";
        try (PreparedStatement select = prepare(connection, sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                select.setObject(i + 1, parameters.get(i));
            }
            try (ResultSet row = select.executeQuery()) {
                return overview(row);
            }
        }
    }

    private static Overview overview(ResultSet row) throws SQLException {
        if (!row.next()) {
            throw new SQLException("the row of the log's head or lease is gone");
        }
        long renewals = row.getLong(11);
        // The rest of the statement sees the lease as it was before.
        Head head = head(row, renewals == 0 ? row.getLong(10) : renewals);
        long index = row.getLong(12);
        Optional<Overview.Snapshot> snapshot = row.wasNull()
                ? Optional.empty()
                : Optional.of(new Overview.Snapshot(index, row.getLong(13), age(row.getLong(14))));
        List<Overview.Server> servers = new ArrayList<>();
        do {
            String name = row.getString(15);
            if (name != null) {
                servers.add(new Overview.Server(name, row.getLong(16), age(row.getLong(17)), row.getString(18)));
            }
        } while (row.next());
        return new Overview(renewals != 0, head, servers, snapshot);
    }

    /** The clock of the database may have been set back. */
    private static Duration age(long millis) {
        return Duration.ofMillis(Math.max(0, millis));
    }

    /**
     * Appends entries, if the log ends where they begin. Those with origin {@link Entry#HOST} are taken away from the
     * recorded commands in the same transaction, if all of them are still there.
     *
     * @param database runs the transaction
     * @param entries at least one, without gaps
     * @param before the chain before the first entry
     * @param term the leadership to which at least one of the entries is bound; 0: none
     * @param self the number of this process
     * @return whether they were appended; if not, the log has other entries there, another leadership has begun, or
     *     recorded commands were removed
     */
    public boolean append(Database database, List<Entry> entries, byte[] before, long term, long self)
            throws SQLException {
        List<Entry> moved =
                entries.stream().filter(entry -> entry.origin() == Entry.HOST).toList();
        return dialect.announces()
                ? database.statement(connection -> appendAtOnce(connection, entries, moved, before, term, self))
                : database.transaction(connection -> appendInSteps(connection, entries, moved, before, term));
    }

    /**
     * PostgreSQL does all in one statement, because a way to the database and back takes as long as a small commit. The
     * form for one entry saves a tenth of the whole time.
     */
    private boolean appendAtOnce(
            Connection connection, List<Entry> entries, List<Entry> moved, byte[] before, long term, long self)
            throws SQLException {
        boolean others = this.others;
        boolean one = entries.size() == 1;
        boolean moves = !moved.isEmpty();
        // The rows are locked before the head moves, so that it moves only if all of them can be taken away.
        String kept = "kept AS (SELECT id FROM " + names.submission() + " WHERE id = ANY (?::bigint[]) FOR UPDATE), ";
        String taken = ", taken AS (DELETE FROM " + names.submission()
                + " WHERE id = ANY (?::bigint[]) AND EXISTS (SELECT 1 FROM moved))";
        try (PreparedStatement append = prepare(
                connection,
                "WITH " + (moves ? kept : "") + "moved AS (" + MOVE_HEAD.formatted(names.head())
                        + " AND (? = 0 OR term = ?)" + (moves ? " AND (SELECT count(*) FROM kept) = ?" : "")
                        + " RETURNING " + (others ? "pg_notify(?, ?)" : "id") + ")" + (moves ? taken : "")
                        + " INSERT INTO " + names.log() + " (idx, term, origin, number, content, chain) SELECT "
                        + (one
                                ? "?, ?, ?, ?, ?, ? FROM moved"
                                : "e.* FROM moved, unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],"
                                        + " ?::bytea[], ?::bytea[]) AS e"))) {
            int next = 1;
            if (moves) {
                append.setArray(next++, numbers(connection, moved, Entry::number));
            }
            next = moveHead(append, next, entries, before, term);
            if (moves) {
                append.setInt(next++, moved.size());
            }
            if (others) {
                append.setString(next++, names.channel());
                append.setString(next++, Long.toString(self));
            }
            if (moves) {
                append.setArray(next++, numbers(connection, moved, Entry::number));
            }
            if (one) {
                entry(append, next, entries.get(0));
            } else {
                append.setArray(next++, numbers(connection, entries, Entry::index));
                append.setArray(next++, numbers(connection, entries, Entry::term));
                append.setArray(next++, numbers(connection, entries, Entry::origin));
                append.setArray(next++, numbers(connection, entries, Entry::number));
                append.setArray(next++, bytes(connection, entries, Entry::content));
                append.setArray(next, bytes(connection, entries, Entry::chain));
            }
            return append.executeUpdate() == entries.size();
        }
    }

    private static void entry(PreparedStatement insert, int first, Entry entry) throws SQLException {
        insert.setLong(first, entry.index());
        insert.setLong(first + 1, entry.term());
        insert.setLong(first + 2, entry.origin());
        insert.setLong(first + 3, entry.number());
        insert.setBytes(first + 4, entry.content());
        insert.setBytes(first + 5, entry.chain());
    }

    private static Array numbers(Connection connection, List<Entry> entries, ToLongFunction<Entry> column)
            throws SQLException {
        // The driver sends only arrays of the very type without making text of them.
        return connection.createArrayOf(
                "bigint", entries.stream().mapToLong(column).boxed().toArray(Long[]::new));
    }

    private static Array bytes(Connection connection, List<Entry> entries, Function<Entry, byte[]> column)
            throws SQLException {
        return connection.createArrayOf("bytea", entries.stream().map(column).toArray(byte[][]::new));
    }

    private boolean appendInSteps(
            Connection connection, List<Entry> entries, List<Entry> moved, byte[] before, long term)
            throws SQLException {
        try (PreparedStatement update =
                prepare(connection, MOVE_HEAD.formatted(names.head()) + " AND (? = 0 OR term = ?)")) {
            int unused = moveHead(update, 1, entries, before, term);
            if (update.executeUpdate() == 0) {
                return false;
            }
        }
        for (Entry entry : moved) {
            if (update(connection, "DELETE FROM " + names.submission() + " WHERE id = ?", entry.number()) == 0) {
                throw new SQLTransactionRollbackException(
                        "the recorded command " + entry.number() + " was removed meanwhile", REMOVED_MEANWHILE);
            }
        }
        try (PreparedStatement insert = prepare(
                connection,
                "INSERT INTO " + names.log()
                        + " (idx, term, origin, number, content, chain) VALUES (?, ?, ?, ?, ?, ?)")) {
            for (Entry entry : entries) {
                entry(insert, 1, entry);
                insert.addBatch();
            }
            int[] unused = insert.executeBatch();
        }
        return true;
    }

    /** Sets the parameters from a position on, and returns the next position. */
    private static int moveHead(
            PreparedStatement statement, int position, List<Entry> entries, byte[] before, long term)
            throws SQLException {
        Entry last = entries.get(entries.size() - 1);
        statement.setLong(position, last.index());
        statement.setBytes(position + 1, last.chain());
        statement.setLong(position + 2, entries.get(0).index() - 1);
        statement.setBytes(position + 3, before);
        statement.setLong(position + 4, term);
        statement.setLong(position + 5, term);
        return position + 6;
    }

    /** Reads the entries after an index, as far as they are committed. */
    public void entriesAfter(Connection connection, long index, EntryReader reader) throws SQLException {
        try (PreparedStatement select = prepare(
                connection,
                "SELECT idx, term, origin, number, content, chain FROM " + names.log()
                        + " WHERE idx > ? ORDER BY idx")) {
            select.setLong(1, index);
            select.setFetchSize(FETCH);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    reader.read(new Entry(
                            row.getLong(1),
                            row.getLong(2),
                            row.getLong(3),
                            row.getLong(4),
                            row.getBytes(5),
                            row.getBytes(6)));
                }
            }
        }
    }

    /** Returns the digest of the entry at an index and all before it; empty: the log has no entry there. */
    public Optional<byte[]> chainAt(Connection connection, long index) throws SQLException {
        try (PreparedStatement select = prepare(connection, "SELECT chain FROM " + names.log() + " WHERE idx = ?")) {
            select.setLong(1, index);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getBytes(1)) : Optional.empty();
            }
        }
    }

    private boolean renew(Connection connection, long term, long holder) throws SQLException {
        return update(connection, RENEW.formatted(names.lease()), term, holder) == 1;
    }

    /**
     * Takes the lease, if it is still as it was seen. Entries that are bound to a former leadership are refused from now
     * on; those of transactions that are being committed are waited for.
     *
     * @return whether the process leads now, in the term after that of {@code seen}
     */
    public boolean take(Connection connection, Head.Lease seen, long holder, String leader) throws SQLException {
        int taken = update(
                connection,
                "UPDATE " + names.lease() + " SET term = term + 1, renewals = renewals + 1, holder = ?, leader = ?,"
                        + " leader_since = CURRENT_TIMESTAMP WHERE id = 1 AND term = ? AND renewals = ?",
                holder,
                leader,
                seen.term(),
                seen.renewals());
        return taken == 1
                && update(connection, "UPDATE " + names.head() + " SET term = ? WHERE id = 1", seen.term() + 1) == 1;
    }

    /** Gives the lease back, if the process has it. */
    public void release(Connection connection, long term, long holder) throws SQLException {
        int unused = update(
                connection,
                "UPDATE " + names.lease() + " SET renewals = renewals + 1, holder = 0, leader = NULL,"
                        + " leader_since = NULL WHERE id = 1 AND term = ? AND holder = ?",
                term,
                holder);
        dialect.announce(connection, names);
    }

    /** Stores the identity of the database that the leader has found; empty: the next leader finds another one. */
    public void identify(Connection connection, String identity) throws SQLException {
        int unused = update(connection, "UPDATE " + names.head() + " SET identity = ? WHERE id = 1", identity);
    }

    /** Returns the identity of the database; it changes when another one takes its place. */
    public String identity(Connection connection) throws SQLException {
        return dialect.identity(connection, names);
    }

    /** Returns the sessions that may hold the head of the log or the lease, each in words for an operator. */
    public List<String> holders(Connection connection) throws SQLException {
        return dialect.holders(connection, names);
    }

    /**
     * How far a server has applied the log.
     *
     * @param server its name
     * @param incarnation the random number of its process
     * @param applied the index of the last entry in its state
     * @param version its version of csi4j
     */
    public record Progress(String server, long incarnation, long applied, String version) {
        private List<Object> parameters() {
            return List.of(incarnation, applied, version, server);
        }
    }

    /** Stores that a server is here, and how far it has applied the log. */
    public void seen(Database database, Progress self) throws SQLException {
        database.transaction(connection -> {
            Object[] parameters = self.parameters().toArray();
            int known =
                    update(connection, "UPDATE " + names.server() + " SET " + PROGRESS + " WHERE name = ?", parameters);
            if (known == 0) {
                int unused = update(
                        connection,
                        "INSERT INTO " + names.server() + " (incarnation, applied_index, version, seen_at, name)"
                                + " VALUES (?, ?, ?, CURRENT_TIMESTAMP, ?)",
                        parameters);
            }
            return self;
        });
    }

    /** Stores a part of a snapshot; {@link #complete} ends the same transaction. */
    public void writeChunk(Connection connection, long index, int chunk, byte[] content) throws SQLException {
        int unused = update(
                connection,
                "INSERT INTO " + names.snapshotChunk() + " (idx, chunk, content) VALUES (?, ?, ?)",
                index,
                chunk,
                content);
    }

    /** Makes a snapshot the latest one, and removes all others with their parts. */
    public void complete(Connection connection, StoredSnapshot snapshot) throws SQLException {
        int unusedOthers = update(connection, "DELETE FROM " + names.snapshot() + " WHERE idx < ?", snapshot.index());
        int unusedParts =
                update(connection, "DELETE FROM " + names.snapshotChunk() + " WHERE idx < ?", snapshot.index());
        int unused = update(
                connection,
                "INSERT INTO " + names.snapshot() + " (idx, chain, bytes, chunks, digest, completed_at)"
                        + " VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP)",
                snapshot.index(),
                snapshot.chain(),
                snapshot.bytes(),
                snapshot.chunks(),
                snapshot.digest());
    }

    /** Returns the latest complete snapshot. */
    public Optional<StoredSnapshot> latestSnapshot(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(
                        connection,
                        "SELECT idx, chain, bytes, chunks, digest FROM " + names.snapshot()
                                + " WHERE completed_at IS NOT NULL ORDER BY idx DESC");
                ResultSet row = select.executeQuery()) {
            return row.next()
                    ? Optional.of(new StoredSnapshot(
                            row.getLong(1), row.getBytes(2), row.getLong(3), row.getInt(4), row.getBytes(5)))
                    : Optional.empty();
        }
    }

    /** Reads the parts of a snapshot in their order. */
    public void chunks(Connection connection, long index, ChunkReader reader) throws SQLException {
        try (PreparedStatement select =
                prepare(connection, "SELECT content FROM " + names.snapshotChunk() + " WHERE idx = ? ORDER BY chunk")) {
            select.setLong(1, index);
            select.setFetchSize(2);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    reader.read(row.getBytes(1));
                }
            }
        }
    }

    /** Raises the lowest index that servers may read from the log. */
    public void cutBefore(Connection connection, long index) throws SQLException {
        int unused = update(
                connection,
                "UPDATE " + names.head() + " SET first_index = ? WHERE id = 1 AND first_index < ?",
                index,
                index);
    }

    /**
     * Removes entries below an index, the oldest ones first.
     *
     * @return how many were removed, at most {@code most}
     */
    public int removeBefore(Connection connection, long index, int most) throws SQLException {
        return update(
                connection,
                "DELETE FROM " + names.log() + " WHERE idx < ? AND idx < (SELECT MIN(idx) FROM " + names.log()
                        + ") + ?",
                index,
                most);
    }

    private int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement update = prepare(connection, sql)) {
            for (int i = 0; i < parameters.length; i++) {
                update.setObject(i + 1, parameters[i]);
            }
            return update.executeUpdate();
        }
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setQueryTimeout(seconds);
        return statement;
    }
}
