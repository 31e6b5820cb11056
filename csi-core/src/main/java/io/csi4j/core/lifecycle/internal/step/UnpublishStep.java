package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Volume;
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

    @Override
    public CallEnd done(StateReader state, Volume volume, @Nullable Void answer) {
        events().detached(new PluginOnNode(volume.pluginId(), intent().nodeId()));
        return CallEnd.doneAndFollowed(List.of(new AttachmentCommand.RemoveAttachment(
                key(), intent().nodeId(), intent().createIndex(), operations().now())));
    }
}
