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
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.Access;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Claims on volumes: what an allocation needs before it starts and gives back when it ends, and where claims stand. The
 * rules of {@link VolumeLifecycle} hold for every operation.
 */
public final class VolumeClaims {
    private final LifecycleEngine engine;
    private final Operations operations;
    private final Caller caller;

    VolumeClaims(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.operations = engine.operations();
        this.caller = caller;
    }

    /**
     * What the caller lacks to submit a workload, for a scheduler to ask before it accepts one (S24): the right to mount
     * in the workload's namespace and to read plugins if it requests volumes, and to deploy plugins if it runs any.
     * Nothing is read or written, and it is told whether this engine leads or not. Whoever claims for its allocations
     * later is asked for again.
     *
     * @param namespace the workload's namespace
     * @param requests the volumes it requests; possibly none
     * @param deploys the plugins that it runs; most often none
     * @return all that is missing, at once; empty: it may be submitted
     */
    public CompletableFuture<List<Access>> missingAuthority(
            Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(requests, "requests");
        Objects.requireNonNull(deploys, "deploys");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.claims().missing(caller, namespace, requests, deploys)));
    }

    /**
     * Claims all volumes an allocation needs, or none of them, and waits until they are published to its
     * node. What cannot be taken now waits in order (N6); the same request again goes on where the first is.
     *
     * @param allocationId the allocation, which the state knows
     * @param requests at least one; several of one volume become one claim, which writes if one of them does. Each
     *     volume is of the allocation's namespace, or {@linkplain VolumeSpec#sharedWith() shared} with it
     * @return all the node needs. Cancel it to leave the queue, and to release what the request took. Fails
     *     with a {@link RejectedException} for what no waiting cures, a {@link
     *     io.csi4j.core.call.CsiCallException} if the plugin refuses for good (then it is released), a {@link
     *     NotLeadingException} if another engine leads
     * @throws IllegalArgumentException if no volume is named
     */
    public CompletableFuture<ClaimGrant> claim(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
        return engine.claims().claim(caller, allocationId, requests);
    }

    /**
     * Has a claim released: the allocation needs the volume no more. Its end says so too, without this call. If it fails
     * because the log did not answer, it may come through later: repeat it until it is answered before the allocation
     * claims the volume again.
     *
     * @param key the volume
     * @param allocationId the allocation
     * @return completes once that is on record; the rest goes on in the background, see {@link #status}
     */
    public CompletableFuture<Void> release(VolumeKey key, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().release(caller, key, allocationId);
    }

    /**
     * Has a claim released as it was granted, and not one that the allocation took or asked for again since. For who
     * gives a grant back while another request of the same allocation may be under way.
     *
     * @param key the volume
     * @param allocationId the allocation
     * @param takenIndex the {@link io.csi4j.core.volume.Claim#takenIndex()} of the claim in the {@link VolumeGrant}
     * @return completes once that is on record, or the claim is another one; the rest goes on in the background, see
     *     {@link #status}
     * @throws IllegalArgumentException if the index is less than 1
     */
    public CompletableFuture<Void> release(VolumeKey key, AllocationId allocationId, long takenIndex) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().release(caller, key, allocationId, takenIndex);
    }

    /**
     * A node's own report that it has unmounted a volume for an allocation. It is believed, and the node is not asked
     * again, so it needs {@link io.csi4j.core.spi.Permission#NODE_REPORT}, which is for agents and for who speaks for
     * them; the host has to see to it that an agent speaks for its own node alone.
     *
     * @param key the volume
     * @param nodeId the node that reports
     * @param allocationId the allocation
     * @return completes once that is on record; does nothing if the claim is on another node, or is no more
     */
    public CompletableFuture<Void> nodeReleased(VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(allocationId, "allocationId");
        return engine.claims().nodeReleased(caller, key, nodeId, allocationId);
    }

    /**
     * Where a volume stands: holders, those who wait, what remains to be done and why it is not yet. It shows what
     * {@link ManagedVolumes#get} shows of the volume, and no mount flags of those who wait.
     *
     * @param key the volume
     * @return empty: there is none
     */
    public CompletableFuture<Optional<VolumeStatus>> status(VolumeKey key) {
        Objects.requireNonNull(key, "key");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.claims().status(caller, key)));
    }

    /**
     * All claims that wait, over all volumes that the caller may read.
     *
     * @return in the order they came, each with the volume, who holds it, the reason and since when; of a claim on several
     *     volumes, those that the caller may read. Empty on an engine that does not lead
     */
    public CompletableFuture<List<WaitingClaim>> waiting() {
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.claimViews().waiting(caller)));
    }

    /**
     * The claims of one allocation, over all volumes that the caller may read.
     *
     * @param allocationId the allocation
     * @return the claims it has, and those that wait; both are empty for one that claims nothing
     */
    public CompletableFuture<AllocationClaims> status(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return operations.run(
                () -> CompletableFuture.completedFuture(engine.claimViews().of(caller, allocationId)));
    }
}
