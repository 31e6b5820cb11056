package io.csi4j.replication.jdbc;

import static io.csi4j.postgres.Conditions.await;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.replication.jdbc.TestServers.Server;
import io.csi4j.state.CommandCodec;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A host that records commands together with rows of a table of its own. */
final class HostTransactions {
    static final Namespace NAMESPACE = Namespace.of("default");
    static final NodeId NODE = NodeId.of("node-1");
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private HostTransactions() {}

    /** The statements of a transaction. */
    interface Work {
        void run(Connection connection, JdbcTransaction transaction) throws SQLException;
    }

    static void createTable(Connection connection) throws SQLException {
        execute(connection, "CREATE TABLE job (id varchar(200) PRIMARY KEY)");
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a transaction and commits it. */
    static void commit(JdbcCommandLog log, Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        work.run(connection, log.in(connection));
        connection.commit();
    }

    /** Inserts a row of the host, and places the allocation with the same id. */
    static void place(Connection connection, JdbcTransaction transaction, String id) throws SQLException {
        execute(connection, "INSERT INTO job VALUES ('" + id + "')");
        transaction.allocationPlaced(AllocationId.of(id), NAMESPACE, NODE);
    }

    static List<ClaimRequest> writing(String volume) {
        return List.of(ClaimRequest.writing(VolumeKey.of("default", volume), WRITER));
    }

    static boolean has(JdbcCommandLog log, String id) {
        return log.state().snapshot().allocation(AllocationId.of(id)).isPresent();
    }

    static AllocationStatus status(JdbcCommandLog log, String id) {
        return log.state()
                .snapshot()
                .allocation(AllocationId.of(id))
                .orElseThrow()
                .status();
    }

    static void awaitAllocation(Server server, String id) {
        await("the state of " + server.name + " has " + id, () -> has(server.log, id));
    }

    /** Returns the ids of the allocations that the entries of the log change, in the order of the log. */
    static List<String> logged(TestServers servers) {
        CommandCodec codec = CommandCodec.of(TestServers.READABLE);
        List<String> ids = new ArrayList<>();
        for (String content :
                servers.values("SELECT encode(content, 'hex') FROM csi4j_log WHERE origin = 0 ORDER BY idx")) {
            if (codec.decodeCommand(HexFormat.of().parseHex(content))
                    instanceof AllocationCommand.UpsertAllocation allocation) {
                ids.add(allocation.allocationId().value());
            }
        }
        return ids;
    }
}
