package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Prepares a detachment that an operator requests for a node on which the state has neither a claim nor an attachment
 * of the volume. The storage provider may still have the volume attached there. This class only stores the intent to
 * detach. The leader then makes the call, and admits no claim of the volume on that node until the provider has
 * confirmed the detachment.
 */
final class UnrecordedDetachment {
    private final Operations operations;

    UnrecordedDetachment(Operations operations) {
        this.operations = operations;
    }

    /**
     * Stores the intent to detach if the storage provider has to be asked.
     *
     * @return the reason why the provider cannot be asked; empty if the intent is stored, if the state has an
     *     attachment or a claim for the node, or if the plugin attaches nothing
     * @throws RejectedException if the state does not have the volume or the node
     */
    CompletableFuture<Optional<String>> intend(VolumeKey key, NodeId nodeId) {
        return operations
                .retryLoop()
                .untilDone(
                        "detachment of volume " + key + " from node " + nodeId,
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> once(key, nodeId));
    }

    private CompletableFuture<Optional<String>> once(VolumeKey key, NodeId nodeId) {
        StateReader state = operations.state();
        Volume volume = operations.volume(key);
        if (volume.isOn(nodeId)) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (state.node(nodeId).isEmpty()) {
            throw new RejectedException(new Rejection.NodeNotFound(nodeId));
        }
        PlacementFacts facts = Placement.facts(state, volume, nodeId);
        return switch (facts.controllerNeed(volume)) {
            case NOT_REQUIRED -> CompletableFuture.completedFuture(Optional.empty());
            case UNKNOWN ->
                notAsked("plugin " + volume.pluginId() + " has not announced whether its controller attaches volumes");
            case REQUIRED ->
                facts.nodeInfo()
                        .map(NodeInfo::externalNodeId)
                        .map(id -> store(volume, nodeId, id))
                        .orElseGet(() -> notAsked("the id of node " + nodeId + " at the provider is not known, because"
                                + " no node service of plugin " + volume.pluginId() + " has reported it"));
        };
    }

    private static CompletableFuture<Optional<String>> notAsked(String cause) {
        return CompletableFuture.completedFuture(Optional.of(cause));
    }

    private CompletableFuture<Optional<String>> store(Volume volume, NodeId nodeId, ExternalNodeId id) {
        if (volume.phase() == VolumePhase.CREATING || volume.externalVolumeId().isEmpty()) {
            return notAsked("the volume is " + volume.phase() + ", and its id at the provider is not known yet");
        }
        return operations
                .submit(new AttachmentCommand.RecordOrphan(
                        volume.key(), nodeId, id, volume.modifyIndex(), operations.now()))
                .thenApply(stored -> Optional.<String>empty())
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        changed(Futures.unwrap(failure))
                                ? new OvertakenException(volume.key())
                                : Futures.unwrap(failure)));
    }

    /**
     * Returns whether a command was rejected because the volume changed after it was read. The next attempt reads the
     * volume again.
     */
    private static boolean changed(Throwable failure) {
        return failure instanceof RejectedException rejected
                && (rejected.reason() instanceof Rejection.VolumeChanged
                        || rejected.reason() instanceof Rejection.WrongPhase
                        || rejected.reason() instanceof Rejection.AttachmentInUse);
    }
}
