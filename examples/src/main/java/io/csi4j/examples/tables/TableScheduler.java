package io.csi4j.examples.tables;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.replication.jdbc.JdbcCommandLog;
import io.csi4j.replication.jdbc.JdbcTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;

/**
 * A small scheduler whose whole state is five tables. The tables, the allocations and their claims never contradict each
 * other, because one transaction changes them. {@link #step} reads from the tables what is to be done, so a scheduler that
 * was killed continues where it ended. One thread uses it.
 */
public final class TableScheduler {
    /** The tables of the scheduler. */
    public static final List<String> TABLES = List.of(
            "CREATE TABLE node (id varchar(100) PRIMARY KEY)",
            "CREATE TABLE job (id varchar(100) PRIMARY KEY, wanted boolean NOT NULL)",
            "CREATE TABLE job_volume (job varchar(100) REFERENCES job, volume varchar(100), PRIMARY KEY (job, volume))",
            "CREATE TABLE placement (id varchar(40) PRIMARY KEY, job varchar(100) NOT NULL REFERENCES job,"
                    + " node varchar(100) NOT NULL REFERENCES node, state varchar(10) NOT NULL)",
            "CREATE TABLE event (at timestamp with time zone, job varchar(100), text varchar(2000))");

    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final DataSource database;
    private final JdbcCommandLog log;
    private final VolumeLifecycle volumes;
    private final Map<String, CompletableFuture<ClaimGrant>> claims = new HashMap<>();

    /**
     * Creates a scheduler that does nothing yet.
     *
     * @param database the database in which the log is
     * @param log the log of this server
     * @param volumes the engine of this server
     */
    public TableScheduler(DataSource database, JdbcCommandLog log, VolumeLifecycle volumes) {
        this.database = database;
        this.log = log;
        this.volumes = volumes;
    }

    /** A row of the table. */
    private record Placement(String id, String job, String node, String state, boolean wanted) {
        AllocationId allocation() {
            return AllocationId.of(id);
        }

        NodeId nodeId() {
            return NodeId.of(node);
        }
    }

    // DOC
    /** Does all that is to be done now. Call it on the leading server, again and again. */
    public void step() throws SQLException {
        List<Placement> placements = placements();
        // The rows above were committed before, so this state shows what became of their commands.
        StateReader state = log.readRecorded().join();
        for (Placement placement : placements) {
            switch (placement.state()) {
                case "PLACED" -> follow(state, placement);
                case "RUNNING" -> endIfUnwanted(placement);
                default -> forget(state, placement);
            }
        }
        for (String job : values("SELECT id FROM job WHERE wanted AND id NOT IN (SELECT job FROM placement)")) {
            for (String node : values("SELECT id FROM node ORDER BY"
                    + " (SELECT count(*) FROM placement WHERE placement.node = node.id), id LIMIT 1")) {
                place(job, node);
            }
        }
    }

    /** Places a job: its row, the allocation and the claims are there together, or none of them is. */
    private void place(String job, String node) throws SQLException {
        String id = UUID.randomUUID().toString();
        List<ClaimRequest> requests = requests(job);
        inTransaction(connection -> {
            update(connection, "INSERT INTO placement VALUES (?, ?, ?, 'PLACED')", id, job, node);
            event(connection, job, "placed on " + node);
            JdbcTransaction csi = log.in(connection);
            csi.allocationPlaced(AllocationId.of(id), NAMESPACE, NodeId.of(node));
            csi.requestClaims(AllocationId.of(id), requests);
        });
    }

    /** Follows the claims of a placement, from the transaction that has requested them to their grant or refusal. */
    private void follow(StateReader state, Placement placement) throws SQLException {
        String id = placement.id();
        if (state.allocation(placement.allocation()).isEmpty()) {
            end(placement, "the allocation was rejected");
        } else if (!placement.wanted()) {
            end(placement, "not wanted any more");
        } else if (!claims.containsKey(id)) {
            claims.put(id, volumes.claims().claim(placement.allocation(), requests(placement.job())));
        } else if (claims.get(id).isCompletedExceptionally()) {
            Throwable reason =
                    claims.remove(id).handle((grant, failure) -> failure).join();
            if (reason instanceof RejectedException || reason instanceof CsiCallException) {
                end(placement, "the claims were refused: " + reason.getMessage());
            }
        } else if (claims.get(id).isDone()) {
            start(placement);
        }
    }

    private void start(Placement placement) throws SQLException {
        inTransaction(connection -> {
            update(connection, "UPDATE placement SET state = 'RUNNING' WHERE id = ?", placement.id());
            event(connection, placement.job(), "started");
            log.in(connection).allocationStarted(placement.allocation(), NAMESPACE, placement.nodeId());
        });
    }

    /** Ends a placement whose processes have stopped; csi4j releases its claims. */
    private void end(Placement placement, String reason) throws SQLException {
        inTransaction(connection -> {
            update(connection, "UPDATE job SET wanted = false WHERE id = ?", placement.job());
            update(connection, "UPDATE placement SET state = 'ENDED' WHERE id = ?", placement.id());
            event(connection, placement.job(), "ended: " + reason);
            log.in(connection).allocationEnded(placement.allocation(), NAMESPACE, placement.nodeId());
        });
        claims.remove(placement.id());
    }

    /** Removes a placement when its volumes are free for others. */
    private void forget(StateReader state, Placement placement) throws SQLException {
        if (!state.volumesClaimedBy(placement.allocation()).iterator().hasNext()) {
            inTransaction(connection -> {
                update(connection, "DELETE FROM placement WHERE id = ?", placement.id());
                log.in(connection).allocationForgotten(placement.allocation());
            });
        }
    }
    // DOC

    private void endIfUnwanted(Placement placement) throws SQLException {
        if (!placement.wanted()) {
            end(placement, "not wanted any more");
        }
    }

    /** The statements of a transaction. */
    private interface Work {
        void run(Connection connection) throws SQLException;
    }

    private void inTransaction(Work work) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                work.run(connection);
                connection.commit();
            } catch (SQLException | RuntimeException failure) {
                connection.rollback();
                throw failure;
            }
        }
    }

    private static void update(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }

    private static void event(Connection connection, String job, String text) throws SQLException {
        update(connection, "INSERT INTO event VALUES (CURRENT_TIMESTAMP, ?, ?)", job, text);
    }

    private List<ClaimRequest> requests(String job) throws SQLException {
        return values("SELECT volume FROM job_volume WHERE job = ? ORDER BY volume", job).stream()
                .map(volume -> ClaimRequest.writing(VolumeKey.of(NAMESPACE.value(), volume), WRITER))
                .toList();
    }

    private List<String> values(String sql, String... parameters) throws SQLException {
        return rows(sql, row -> row.getString(1), parameters);
    }

    private List<Placement> placements() throws SQLException {
        return rows(
                "SELECT placement.id, job, node, state, wanted FROM placement JOIN job ON job.id = placement.job ORDER BY 1",
                row -> new Placement(
                        row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getBoolean(5)));
    }

    /** Reads a row. */
    private interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> rows(String sql, RowReader<T> reader, String... parameters) throws SQLException {
        List<T> rows = new ArrayList<>();
        inTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setString(i + 1, parameters[i]);
                }
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        rows.add(reader.read(row));
                    }
                }
            }
        });
        return rows;
    }
}
