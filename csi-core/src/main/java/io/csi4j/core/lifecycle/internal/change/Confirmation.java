package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks a plugin about a volume, before the volume is registered. */
public interface Confirmation {
    /**
     * Asks a controller whether the plugin has a volume that matches its specification. The future fails with NOT_FOUND
     * if the plugin does not have the volume.
     */
    CompletableFuture<Void> of(Caller caller, Volume volume, int attempt);

    /**
     * Asks an instance on one of the nodes which driver it is, for a plugin without a controller service.
     *
     * @param nodes the nodes with an instance that can answer; at least one
     * @param attempt the number of the attempt, from 1
     * @return the name of the driver that answered; empty if it gave none. Fails with a {@link
     *     io.csi4j.core.call.CsiRequestException} if it is not the driver of the plugin's volumes
     */
    CompletableFuture<Optional<String>> driver(Volume volume, List<NodeId> nodes, int attempt);
}
