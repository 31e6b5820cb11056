package io.csi4j.core.lifecycle;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.OperationStarter;
import io.csi4j.core.spi.Access;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The claims on volumes: an allocation claims its volumes before it starts and releases them when it ends. {@link
 * VolumeLifecycle} describes the rules for all operations, for example about permissions and failures.
 */
public final class VolumeClaims {
    private final LifecycleEngine engine;
    private final OperationStarter operations;
    private final Caller caller;

    VolumeClaims(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations().starter(caller);
        this.caller = caller;
    }

    /**
     * Returns the permissions that the caller needs for submitting a workload but does not have. A scheduler checks
     * them before it accepts the workload. A workload that requests volumes needs the permission to mount in its
     * namespace and the permission to read plugins. A workload that runs plugins needs the permission to deploy them.
     * Works on any engine, leading or not, and does not read the state. A later claim checks its own caller again.
     *
     * @param namespace the namespace of the workload
     * @param requests the volumes that the workload requests; may be empty
     * @param deploys the plugins that the workload runs; usually empty
     * @return all missing permissions; empty if the workload may be submitted
     */
    public CompletableFuture<List<Access>> missingAuthority(
            Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(requests, "requests");
        Objects.requireNonNull(deploys, "deploys");
        return operations.run(() -> CompletableFuture.completedFuture(
                engine.operations().permissions().missing(caller, namespace, requests, deploys)));
    }

    /**
     * Claims all volumes of an allocation, or none of them, and waits until they are published to the allocation's
     * node. Requests that cannot be granted now wait in order of arrival. Another call with the same request joins the
     * request that already waits.
     *
     * @param allocationId the allocation; the state must have it
     * @param requests at least one request, and one for each mount. All mounts of a volume become one claim, and have one
     *     grant; see {@link ClaimRequest#merged}. Each volume is in the allocation's namespace, or is {@linkplain
     *     VolumeSpec#sharedWith() shared} with it
     * @return all data that the node needs. Cancelling the future removes the request from the queue and releases its
     *     claims. Fails with a {@link RejectedException} if waiting cannot help, with a
     *     {@link io.csi4j.core.call.CsiCallException} if the plugin refuses permanently (the claims are then released),
     *     and with a {@link NotLeadingException} if another engine leads
     * @throws IllegalArgumentException if there is no request
     */
    public CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
        return engine.claims().claim(caller, allocationId, requests);
    }

    /**
     * Stores a request for claims. The leader takes them as soon as they can be granted, in the order of all requests that
     * wait, also if the server that stored the request has failed or another server leads. {@link #claim} with the same
     * requests waits for the grant. A request that can never be granted is removed, with a warning in the log. The end
     * of the allocation removes its requests.
     *
     * @param allocationId the allocation; the state must have it
     * @param requests at least one request, and one for each mount, as for {@link #claim}
     * @return completes when the request is stored; has no effect if the same request is stored already. Fails with a
     *     {@link RejectedException} if the state does not have the allocation, if it has ended, or if the requests
     *     contradict each other
     * @throws IllegalArgumentException if there is no request
     */
    public CompletableFuture<Void> request(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
        return engine.claims().request(caller, allocationId, requests);
    }

    /**
     * Removes all {@linkplain #request stored requests} of an allocation, and releases all its claims, because the
     * allocation does not start. A {@link #claim} that still waits is not cancelled.
     *
     * @return completes when that is stored; has no effect if the allocation has neither requests nor claims
     */
    public CompletableFuture<Void> withdraw(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().withdraw(caller, allocationId);
    }

    /**
     * Releases a claim because the allocation no longer needs the volume. The end of an allocation releases its claims
     * without this call. If this call fails because the log did not answer, the release may still happen later: repeat
     * the call until it succeeds before the allocation claims the volume again.
     *
     * @return completes when the release is stored; the engine then unmounts and unpublishes, see {@link #status}
     */
    public CompletableFuture<Void> release(VolumeKey key, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().releases().release(caller, key, allocationId);
    }

    /**
     * Releases a claim only if it has the given taken index, so that a newer claim of the same allocation on the same
     * volume stays. Use it to return a grant while another request of the allocation may be in flight.
     *
     * @param takenIndex the {@link io.csi4j.core.volume.Claim#takenIndex()} of the claim in the {@link VolumeGrant}
     * @return completes when the release is stored, or when the state has no claim with this index; the engine then
     *     unmounts and unpublishes, see {@link #status}
     * @throws IllegalArgumentException if the index is less than 1
     */
    public CompletableFuture<Void> release(VolumeKey key, AllocationId allocationId, long takenIndex) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().releases().release(caller, key, allocationId, takenIndex);
    }

    /**
     * Records a node's report that it has unmounted a volume for an allocation. The engine trusts the report and does
     * not ask the node again, so the caller needs {@link io.csi4j.core.spi.Permission#NODE_REPORT}, a permission for
     * agents. The host has to ensure that each agent reports for its own node only.
     *
     * @param nodeId the node that reports
     * @return completes when the report is stored; has no effect if the claim is on another node or was removed
     */
    public CompletableFuture<Void> nodeReleased(VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().releases().nodeReleased(caller, key, nodeId, allocationId);
    }

    /**
     * Returns the status of a volume: its claims, the waiting claims, and the remaining work with the reason for each
     * wait. The volume has the same fields as in {@link ManagedVolumes#get}. The mount flags of waiting claims are left
     * out. The leader asks the nodes of the volume again, and waits for up to 2 seconds, if the state is newer than their
     * last reports, or if they have unfinished work.
     *
     * @return empty if the state does not have the volume
     */
    public CompletableFuture<Optional<VolumeStatus>> status(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(() -> engine.claims()
                .status(caller, key)
                .map(this::reported)
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    /** Adds the reports of the nodes. While these are asked, the state may change, so it is read again. */
    private CompletableFuture<Optional<VolumeStatus>> reported(VolumeStatus status) {
        VolumeKey key = status.view().volume().key();
        CompletableFuture<List<VolumeStatus.OnNode>> reported =
                engine.nodeReports().fresh(status.view().volume());
        return reported.isDone()
                ? reported.thenApply(all -> Optional.of(status.onNodes(all)))
                : reported.thenApply(all -> engine.claims().status(caller, key).map(now -> now.onNodes(all)));
    }

    /**
     * Returns a page of the waiting claims on volumes that the caller may read.
     *
     * @return the waiting claims in the order of their arrival, oldest first, each with the volume, the reason for waiting and the time of its
     *     request. A request for several volumes is returned with only those volumes that the caller may read. Empty on
     *     an engine that does not lead
     */
    public CompletableFuture<ListPage<WaitingClaim, Long>> waiting(WaitingQuery query) {
        Objects.requireNonNull(query, "query");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.claimViews().waiting(caller, query)));
    }

    /**
     * Returns the claims of one allocation, over all volumes that the caller may read.
     *
     * @return the granted claims and the waiting claims; both lists are empty if the allocation claims nothing
     */
    public CompletableFuture<AllocationClaims> status(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.claimViews().of(caller, allocationId)));
    }
}
