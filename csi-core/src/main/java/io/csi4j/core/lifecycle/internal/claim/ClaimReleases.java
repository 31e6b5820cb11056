package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Leftover;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Stores the ends of claims: releases by the host, reports of nodes, and statements of operators. Thread-safe. */
public final class ClaimReleases {
    /** An index that is never the index of a claim or of an attachment. A command with this index changes nothing. */
    private static final long NOTHING = Long.MAX_VALUE;

    private final Operations operations;
    private final Consumer<VolumeKey> wake;

    /**
     * Creates the object.
     *
     * @param wake requests a plan of a volume
     */
    ClaimReleases(Operations operations, Consumer<VolumeKey> wake) {
        this.operations = operations;
        this.wake = wake;
    }

    /**
     * Releases a claim. The future completes when the release is stored; the workers unmount and unpublish the volume
     * afterwards.
     */
    public CompletableFuture<Void> release(Caller caller, VolumeKey key, AllocationId allocationId) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allowMount(caller, key.namespace());
            return checkpoint(key, allocationId, false);
        });
    }

    /** Releases a claim only if it still has the given taken index. */
    public CompletableFuture<Void> release(Caller caller, VolumeKey key, AllocationId allocationId, long takenIndex) {
        if (takenIndex < 1) {
            throw new IllegalArgumentException(
                    "takenIndex: " + takenIndex + " is no index of a claim; use that of the claim in the grant");
        }
        return operations.starter(caller).run(() -> {
            operations.permissions().allowMount(caller, key.namespace());
            return checkpoint(key, allocationId, takenIndex, false);
        });
    }

    /**
     * Records a node's report that it has unmounted a volume for an allocation. The engine trusts the report and does
     * not ask the node again, so the caller needs the permission NODE_REPORT. The host has to ensure that the report
     * comes from that node.
     */
    public CompletableFuture<Void> nodeReleased(
            Caller caller, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.NODE_REPORT));
            StateReader state = operations.state();
            Optional<VolumeKey> holder = mountedAs(state, key, nodeId, allocationId);
            if (holder.isPresent()) {
                return checkpoint(holder.get(), allocationId, true);
            }
            Optional<Leftover> leftover = leftBy(state, key, nodeId, allocationId);
            if (leftover.isPresent()) {
                return operations
                        .submit(new LeftoverCommand.RecordUnmounted(
                                leftover.get().key(), nodeId, allocationId, operations.now()))
                        .thenApply(accepted -> null);
            }
            // Fails if the state does not have the volume.
            operations.volume(key);
            return CompletableFuture.completedFuture(null);
        });
    }

    /**
     * Returns the volume whose claim stands for the mount that a node knows by a key: the volume with this key, or the
     * volume that has taken over the claim from a forgotten one with this key.
     */
    private static Optional<VolumeKey> mountedAs(
            StateReader state, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        for (VolumeKey claimed : state.volumesClaimedBy(allocationId)) {
            boolean same = state.volume(claimed)
                    .flatMap(volume -> volume.claims().get(allocationId))
                    .filter(claim -> claim.nodeId().equals(nodeId))
                    .filter(claim -> claim.formerVolume().orElse(claimed).equals(key))
                    .isPresent();
            if (same) {
                return Optional.of(claimed);
            }
        }
        return Optional.empty();
    }

    private static Optional<Leftover> leftBy(
            StateReader state, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        for (Leftover leftover : state.leftovers()) {
            boolean same = leftover.claims()
                    .get(allocationId)
                    .filter(claim -> claim.nodeId().equals(nodeId)
                            && claim.formerVolume().equals(Optional.of(key)))
                    .isPresent();
            if (same) {
                return Optional.of(leftover);
            }
        }
        return Optional.empty();
    }

    private CompletableFuture<Void> checkpoint(VolumeKey key, AllocationId allocationId, boolean detached) {
        long claim = takenIndex(key, allocationId);
        return checkpoint(key, allocationId, claim, detached).thenCompose(written -> {
            // Read the claim again. When the command was built, this server's state may have been older than the log,
            // and may have had an older claim. Now the state includes the command, and so everything before it.
            long latestClaim = takenIndex(key, allocationId);
            boolean another = latestClaim != claim && latestClaim != NOTHING && !detached;
            return another
                    ? checkpoint(key, allocationId, latestClaim, false)
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> checkpoint(VolumeKey key, AllocationId allocationId, long claim, boolean detached) {
        var releasing =
                new ClaimCommand.CheckpointClaim(key, allocationId, claim, ClaimState.UNPUBLISHING, operations.now());
        var done =
                new ClaimCommand.CheckpointClaim(key, allocationId, claim, ClaimState.NODE_DETACHED, operations.now());
        return operations
                .submit(detached ? new Batch(List.of(releasing, done), operations.now()) : releasing)
                .thenAccept(accepted -> wake.accept(key));
    }

    /**
     * Returns the taken index of the allocation's present claim on a volume; NOTHING if there is no claim. A command
     * contains this index to identify the claim, so that it does not change a newer claim of the allocation.
     */
    private long takenIndex(VolumeKey key, AllocationId allocationId) {
        return operations
                .state()
                .volume(key)
                .flatMap(volume -> volume.claims().get(allocationId))
                .map(Claim::takenIndex)
                .orElse(NOTHING);
    }

    /** Records an operator's statement that the volume is no longer mounted or staged on the claim's node. */
    public CompletableFuture<Outcome.Accepted> overrideClaim(
            Caller caller, VolumeKey key, AllocationId allocationId, String cause) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            String operator = caller.principal().getName();
            long claim = operations
                    .volume(key)
                    .claims()
                    .get(allocationId)
                    .map(Claim::createIndex)
                    .orElseThrow(() -> new RejectedException(new Rejection.ClaimNotFound(key, allocationId)));
            return operations
                    .submit(new ClaimCommand.OverrideClaim(key, allocationId, claim, operator, cause, operations.now()))
                    .whenComplete((accepted, failure) -> wake.accept(key));
        });
    }

    /** Records an operator's statement that the volume is detached from the node. */
    public CompletableFuture<Outcome.Accepted> overrideAttachment(
            Caller caller, VolumeKey key, NodeId nodeId, String cause) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            String operator = caller.principal().getName();
            long intent = operations
                    .volume(key)
                    .attachments()
                    .on(nodeId)
                    .map(Attachment::createIndex)
                    .orElseThrow(() -> new RejectedException(new Rejection.AttachmentNotFound(key, nodeId)));
            return operations
                    .submit(new AttachmentCommand.OverrideAttachment(
                            key, nodeId, intent, operator, cause, operations.now()))
                    .whenComplete((accepted, failure) -> wake.accept(key));
        });
    }
}
