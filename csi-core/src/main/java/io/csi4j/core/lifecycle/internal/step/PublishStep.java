package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Attaches a volume to a node by its controller (R61). */
public final class PublishStep extends AttachmentStep<ControllerPublishVolumeResponse> {
    PublishStep(Operations operations, StepEvents events, VolumeKey key, Attachment intent) {
        super(operations, events, key, intent);
    }

    @Override
    public Rpc rpc() {
        return Rpc.CONTROLLER_PUBLISH_VOLUME;
    }

    @Override
    public Function<ControllerService, CompletableFuture<ControllerPublishVolumeResponse>> request(
            Volume volume, Secrets secrets) {
        var request = request(volume, intent(), secrets);
        return service -> service.controllerPublishVolume(request);
    }

    /**
     * Builds the request from the stored attachment. The attachment has the read-only flag, which depends on the
     * plugin's capability PUBLISH_READONLY (R42).
     *
     * @throws io.csi4j.core.call.CsiException if the storage provider's id of the node is not known
     */
    public static ControllerPublishVolumeRequest request(Volume volume, Attachment attachment, Secrets secrets) {
        return ControllerPublishVolumeRequest.builder(
                        volume.remoteId(),
                        externalNodeId(volume, attachment),
                        attachment
                                .capability()
                                .toVolumeCapability(attachment.mountOptions().withoutGroup()))
                .readonly(attachment.readonly())
                .secrets(secrets)
                .volumeContext(volume.volumeContext())
                .build();
    }

    @Override
    public CallEnd done(StateReader state, Volume volume, ControllerPublishVolumeResponse answer) {
        return CallEnd.done(new AttachmentCommand.RecordPublished(
                key(),
                intent().nodeId(),
                intent().createIndex(),
                answer.publishContext(),
                operations().now()));
    }

    @Override
    public CallEnd failed(StateReader state, Volume sent, Throwable failure) {
        Optional<Volume> volume = state.volume(key());
        volume.ifPresent(
                known -> events().publishFailed(new PluginOnNode(known.pluginId(), intent().nodeId()), key(), failure));
        if (volume.isEmpty() || failure instanceof OvertakenException || !RetryLoop.isPermanent(failure)) {
            return super.failed(state, sent, failure);
        }
        // This transaction releases all claims on the node. It cannot release a granted claim, because the state
        // rejects
        // it if the attachment is PUBLISHED. Afterwards the engine unpublishes the volume, because the failed call may
        // have attached it.
        List<Command> facts = new ArrayList<>(List.of(error(failure)));
        for (Claim claim : volume.get().claims().on(intent().nodeId())) {
            if (claim.state() == ClaimState.TAKEN) {
                facts.add(new ClaimCommand.CheckpointClaim(
                        key(),
                        claim.allocationId(),
                        claim.takenIndex(),
                        ClaimState.UNPUBLISHING,
                        operations().now()));
            }
        }
        return CallEnd.refused(facts, failure);
    }
}
