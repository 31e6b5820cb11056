package io.csi4j.replication.jdbc;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.change.CreateRequest;
import io.csi4j.core.lifecycle.internal.change.DeleteRequest;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.jdbc.internal.HostCommands;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Records commands in a transaction of the host, together with the host's own rows: after the commit both are there, and
 * after a rollback or a crash before it neither is. It never commits or rolls back, and changes no setting of the
 * connection.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * insertWorkload(connection, web);
 * JdbcTransaction transaction = log.in(connection);
 * transaction.createVolume(data, spec);
 * transaction.allocationPlaced(web, namespace, node);
 * transaction.requestClaims(web, List.of(ClaimRequest.writing(data, capability)));
 * connection.commit();
 * }</pre>
 *
 * <p>A method checks its input, and inserts one row. If it throws an exception other than an {@link SQLException},
 * nothing was written, and the transaction can continue. An {@link SQLException} has the consequences of every failed
 * statement: PostgreSQL then takes nothing more in the transaction until the host rolls it back. If the answer to the
 * commit is lost, the host looks for a row of its own: the commands are there if the row is.
 *
 * <p>After the commit, the leader moves the commands to the log, at once on PostgreSQL and within a second elsewhere;
 * without a leader they wait for the next one. The state then accepts or rejects each, as if it had been submitted then. The
 * host has no future for that: {@link JdbcCommandLog#readRecorded} returns a state that shows the accepted ones, and the
 * leader logs each rejected one as a WARNING.
 *
 * <p><b>Order.</b> The commands of one transaction are applied in the order of the calls, each by itself: other commands
 * may come in between. If a transaction begins to record after another one has committed, its commands come after those
 * of that one. For two transactions that overlap, and for commands that are submitted to the log beside, there is no order.
 * The times in the commands are those of the host's clock, and nothing depends on them.
 *
 * <p>No permission is checked: a role that may insert into the table may record. Not thread-safe, as the connection.
 * PostgreSQL does not prepare such a transaction for a commit in two phases, because it notifies the servers.
 */
public final class JdbcTransaction {
    private final HostCommands host;
    private final Connection connection;

    JdbcTransaction(HostCommands host, Connection connection) {
        this.host = host;
        this.connection = connection;
    }

    /**
     * Records that an allocation was placed on a node. It has not started yet, and may claim volumes. Rejected later if
     * the allocation has ended or is known on another node.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @throws SQLException if the statement failed
     */
    public void allocationPlaced(AllocationId allocationId, Namespace namespace, NodeId nodeId) throws SQLException {
        allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING);
    }

    /**
     * Does the same for an allocation whose workload runs under an account, which never changes.
     *
     * @throws SQLException if the statement failed
     */
    public void allocationPlaced(AllocationId allocationId, Namespace namespace, NodeId nodeId, AccountName account)
            throws SQLException {
        Objects.requireNonNull(account, "account");
        allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.PENDING, Optional.of(account));
    }

    /**
     * Records that an allocation runs or is about to run, and may claim volumes. Rejected later if the allocation has
     * ended or is known on another node.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @throws SQLException if the statement failed
     */
    public void allocationStarted(AllocationId allocationId, Namespace namespace, NodeId nodeId) throws SQLException {
        allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.RUNNING);
    }

    /**
     * Does the same for an allocation whose workload runs under an account, which never changes.
     *
     * @throws SQLException if the statement failed
     */
    public void allocationStarted(AllocationId allocationId, Namespace namespace, NodeId nodeId, AccountName account)
            throws SQLException {
        Objects.requireNonNull(account, "account");
        allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.RUNNING, Optional.of(account));
    }

    /**
     * Records that an allocation of a plugin's deployment runs or is about to run. Rejected later if the allocation has
     * ended or is known on another node.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation; an allocation never moves to another node
     * @param deployment the plugin deployment that the allocation belongs to
     * @throws SQLException if the statement failed
     */
    public void allocationStarted(
            AllocationId allocationId, Namespace namespace, NodeId nodeId, DeploymentId deployment)
            throws SQLException {
        Objects.requireNonNull(deployment, "deployment");
        allocation(allocationId, namespace, nodeId, Optional.of(deployment), AllocationStatus.RUNNING);
    }

    /**
     * Records that an allocation is to stop, while its processes may still run. It keeps its claims. Rejected later if the
     * allocation has ended or is known on another node.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation
     * @throws SQLException if the statement failed
     */
    public void allocationStopping(AllocationId allocationId, Namespace namespace, NodeId nodeId) throws SQLException {
        allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.STOPPING);
    }

    /**
     * Records that an allocation has ended: all its processes have stopped. Its claims become releasable, and the engine
     * releases them. The state keeps the ended allocation until {@link #allocationForgotten}, so that a command which
     * starts it again is rejected. Namespace and node are needed here, because the state of this server may not show yet
     * what earlier transactions have recorded. Rejected later if the allocation is known on another node.
     *
     * @param namespace the namespace of the allocation's workload
     * @param nodeId the node of the allocation
     * @throws SQLException if the statement failed
     */
    public void allocationEnded(AllocationId allocationId, Namespace namespace, NodeId nodeId) throws SQLException {
        allocation(allocationId, namespace, nodeId, Optional.empty(), AllocationStatus.ENDED);
    }

    /**
     * Records that the state need not keep an ended allocation any more. Its id may then be used again.
     *
     * @throws SQLException if the statement failed
     */
    public void allocationForgotten(AllocationId allocationId) throws SQLException {
        Objects.requireNonNull(allocationId, "allocationId");
        record(new AllocationCommand.RemoveAllocation(allocationId, host.now()));
    }

    /**
     * Records a request for claims. The leader takes them as soon as they can be granted, in the order of all requests that
     * wait. {@link io.csi4j.core.lifecycle.VolumeClaims#claim} with the same requests waits for the grant. Rejected later
     * if the state does not have the allocation, or it has ended; a request that can never be granted is removed with a
     * warning.
     *
     * @param allocationId an allocation that this or an earlier transaction has placed or started
     * @param requests at least one request, and one for each mount, as for {@code claim}
     * @throws IllegalArgumentException if there is no request
     * @throws RejectedException if the requests contradict each other
     * @throws CommandTooLargeException if the encoded requests have more than 4 MB
     * @throws SQLException if the statement failed
     */
    public void requestClaims(AllocationId allocationId, List<ClaimRequest> requests) throws SQLException {
        List<ClaimRequest> merged = ClaimRequest.merged(ClaimRequest.checked(allocationId, requests));
        ClaimRequest.conflicts(merged).forEach((key, never) -> {
            throw new RejectedException(new Rejection.NotAdmitted(key, allocationId, never));
        });
        record(new ClaimCommand.RequestClaims(allocationId, merged, host.now()));
    }

    /**
     * Records that an allocation does not need its claims any more: its stored requests are removed, and all its claims are
     * released.
     *
     * @throws SQLException if the statement failed
     */
    public void withdrawClaims(AllocationId allocationId) throws SQLException {
        Objects.requireNonNull(allocationId, "allocationId");
        record(new ClaimCommand.WithdrawClaims(allocationId, host.now()));
    }

    private void allocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status)
            throws SQLException {
        allocation(allocationId, namespace, nodeId, deployment, status, Optional.empty());
    }

    private void allocation(
            AllocationId allocationId,
            Namespace namespace,
            NodeId nodeId,
            Optional<DeploymentId> deployment,
            AllocationStatus status,
            Optional<AccountName> account)
            throws SQLException {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(nodeId, "nodeId");
        record(new AllocationCommand.UpsertAllocation(
                allocationId, namespace, nodeId, deployment, status, account, host.now()));
    }

    /**
     * Records the intent to create a volume at the storage provider (R56), checked against the state of this server as
     * {@link io.csi4j.core.lifecycle.ManagedVolumes#create} checks it. A repeated creation with the same fields changes
     * nothing.
     *
     * @throws CsiRequestException if a field is wrong, or the plugin is not known to create such volumes; has all problems
     * @throws RejectedException if a volume with this key exists with other fields
     * @throws CommandTooLargeException if the encoded specification has more than 4 MB
     * @throws SQLException if the statement failed
     */
    public void createVolume(VolumeKey key, VolumeSpec spec) throws SQLException {
        CreateRequest request =
                new CreateRequest(Objects.requireNonNull(key, "key"), Objects.requireNonNull(spec, "spec"));
        StateReader state = host.state();
        record(request.intent(state, request.check(state), host.now()));
    }

    /**
     * Records the intent to delete a volume at the storage provider. Rejected later if the volume is in use by then; so
     * delete a volume after its claims are released, and record the deletion again while the state has the volume.
     *
     * @throws RejectedException if the state of this server does not have the volume, or has it in use
     * @throws CsiRequestException if the plugin is not known to delete volumes, or another volume of the state refers to the same one
     *     of the provider
     * @throws SQLException if the statement failed
     */
    public void deleteVolume(VolumeKey key) throws SQLException {
        DeleteRequest request = new DeleteRequest(Objects.requireNonNull(key, "key"));
        Volume volume = request.check(host.state()).orElseThrow();
        if (volume.inUse()) {
            List<NodeId> attachedOn = new ArrayList<>();
            volume.attachments().forEach(attachment -> attachedOn.add(attachment.nodeId()));
            throw new RejectedException(
                    new Rejection.VolumeInUse(key, volume.claims().holders(), attachedOn));
        }
        // Without an index: the row of the volume may change, for example by a report, before the command is applied.
        record(new VolumeCommand.SetVolumePhase(key, VolumePhase.DELETING, host.now()));
    }

    private void record(Command command) throws SQLException {
        host.record(connection, command);
    }
}
