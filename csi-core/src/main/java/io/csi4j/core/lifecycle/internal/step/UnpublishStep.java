package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Detaches a volume from a node by its controller (R66). */
final class UnpublishStep extends AttachmentStep<Void> {
    UnpublishStep(Operations operations, StepEvents events, VolumeKey key, Attachment intent) {
        super(operations, events, key, intent);
    }

    @Override
    public Rpc rpc() {
        return Rpc.CONTROLLER_UNPUBLISH_VOLUME;
    }

    @Override
    public Function<ControllerService, CompletableFuture<Void>> request(Volume volume, Secrets secrets) {
        var request = request(volume, intent(), secrets);
        return service -> service.controllerUnpublishVolume(request);
    }

    /** Builds the request, always for one node (R66). */
    static ControllerUnpublishVolumeRequest request(Volume volume, Attachment attachment, Secrets secrets) {
        return ControllerUnpublishVolumeRequest.builder(volume.remoteId(), externalNodeId(volume, attachment))
                .secrets(secrets)
                .build();
    }

    /**
     * Returns what the failure means. The volume may be one whose deletion was under way, and has succeeded, when its
     * attachment became known. The plugin then answers NOT_FOUND (R68), and DeleteVolume says whether the volume is gone.
     * The storage provider does not have a lost volume, so it is attached nowhere.
     */
    @Override
    public CallEnd failed(StateReader state, Volume volume, Throwable failure) {
        boolean gone = volume.phase() == VolumePhase.DELETING || volume.isLost();
        return gone && Failures.code(failure) == StatusCode.NOT_FOUND
                ? done(state, volume, null)
                : super.failed(state, volume, failure);
    }

    @Override
    public CallEnd done(StateReader state, Volume volume, @Nullable Void answer) {
        events().detached(new PluginOnNode(volume.pluginId(), intent().nodeId()));
        return CallEnd.doneAndFollowed(List.of(new AttachmentCommand.RemoveAttachment(
                key(), intent().nodeId(), intent().createIndex(), operations().now())));
    }
}
