package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A planned request to the agent of a node. */
public non-sealed interface NodeStep<R> extends CallStep<R> {
    /** Returns the node of the request. */
    NodeId node();

    @Override
    default Optional<NodeId> nodeId() {
        return Optional.of(node());
    }

    /** Returns whether the request contains secrets for a call to the plugin. */
    boolean takesSecrets();

    /** Builds the request, and returns the function that sends it. */
    Function<NodeGateway, CompletableFuture<R>> request(Volume volume, Secrets secrets);
}
