package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A planned call to a controller of the volume's plugin. */
public non-sealed interface ControllerStep<R> extends CallStep<R> {
    @Override
    default Optional<NodeId> nodeId() {
        return Optional.empty();
    }

    /** Builds the request, and returns the function that sends it. */
    Function<ControllerService, CompletableFuture<R>> request(Volume volume, Secrets secrets);
}
