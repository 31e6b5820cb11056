package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/** A call to a controller that attaches a volume to a node, or detaches it from one. */
abstract class AttachmentStep<R> implements ControllerStep<R> {
    private final Operations operations;
    private final StepEvents events;
    private final VolumeKey key;
    private final Attachment intent;

    AttachmentStep(Operations operations, StepEvents events, VolumeKey key, Attachment intent) {
        this.operations = operations;
        this.events = events;
        this.key = key;
        this.intent = intent;
    }

    final Operations operations() {
        return operations;
    }

    final StepEvents events() {
        return events;
    }

    final Attachment intent() {
        return intent;
    }

    @Override
    public final VolumeKey key() {
        return key;
    }

    @Override
    public final CallTarget target(Volume volume) {
        return target();
    }

    private CallTarget target() {
        return new CallTarget.OfAttachment(intent.nodeId(), intent.createIndex());
    }

    @Override
    public final Optional<NodeId> nodeId() {
        return Optional.of(intent.nodeId());
    }

    @Override
    public final Optional<Volume> current(StateReader state) {
        return state.volume(key).filter(volume -> isCurrent(volume));
    }

    private boolean isCurrent(Volume volume) {
        return volume.attachments()
                        .same(intent)
                        .filter(now -> now.state() == intent.state()
                                && now.externalNodeId().equals(intent.externalNodeId()))
                        .isPresent()
                && (intent.state() != AttachmentState.UNPUBLISHING
                        || volume.claims().on(intent.nodeId()).notNodeDetached() == 0);
    }

    /**
     * Returns the node's external id from the attachment. In rows of older formats, the attachment has no such id, and
     * a claim on the node has it.
     *
     * @throws CsiException if the id is not known; an empty id would mean all nodes
     */
    static ExternalNodeId externalNodeId(Volume volume, Attachment attachment) {
        if (attachment.externalNodeId().isPresent()) {
            return attachment.externalNodeId().get();
        }
        for (Claim claim : volume.claims().on(attachment.nodeId())) {
            if (claim.externalNodeId().isPresent()) {
                return claim.externalNodeId().get();
            }
        }
        throw new CsiException("volume " + volume.key() + " on node " + attachment.nodeId()
                + ": the provider's id of the node was never recorded, so nothing can be sent; detach it at the"
                + " provider and override the stored attachment");
    }

    @Override
    public final int attempt(Volume volume) {
        return intent.retry().attempts() + 1;
    }

    @Override
    public final boolean outlivesTerm() {
        return false;
    }

    /**
     * Returns what the failure means. NOT_FOUND may be about the volume or about the node, so the engine asks about a volume
     * of a restored state that is not verified.
     */
    @Override
    public CallEnd failed(StateReader state, Volume volume, Throwable failure) {
        if (failure instanceof OvertakenException) {
            return CallEnd.nothing();
        }
        CallEnd failed = CallEnd.failed(error(failure), failure);
        return Failures.code(failure) == StatusCode.NOT_FOUND
                        && state.volume(key)
                                .filter(now -> Verifications.mayAsk(state, now))
                                .isPresent()
                ? failed.and(new VolumeCommand.MarkForGc(key, operations.now()))
                : failed;
    }

    final Command error(Throwable failure) {
        return new CallCommand.RecordCallError(
                key, target(), operations.retryLoop().failedAttempt(failure, intent.retry(), 0), operations.now());
    }
}
