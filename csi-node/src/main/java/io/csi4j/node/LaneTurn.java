package io.csi4j.node;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A turn of a lane, for a call that had to wait for something else first. */
@FunctionalInterface
interface LaneTurn {
    /** Does it in a turn of the lane, unless that was closed meanwhile: then it fails, and nothing is done. */
    CompletableFuture<?> unlessClosed(Supplier<CompletableFuture<?>> work);
}
