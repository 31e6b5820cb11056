package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.Volume;
import java.util.concurrent.CompletableFuture;

/** Asks the plugin whether it has a volume that matches its specification. */
@FunctionalInterface
public interface Confirmation {
    /** Asks the plugin. The future fails with NOT_FOUND if the plugin does not have the volume. */
    CompletableFuture<Void> of(Caller caller, Volume volume, int attempt);
}
