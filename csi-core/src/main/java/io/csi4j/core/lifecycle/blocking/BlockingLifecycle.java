package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.util.Objects;

/**
 * The operations of a {@link VolumeLifecycle} for programs without futures: each waits until its future completes, and
 * returns its value or throws what the future failed with, a {@link io.csi4j.core.call.CsiException} without wrapper. Safe
 * for use by many threads. It owns nothing: the host closes the engine.
 *
 * <p>An operation of a thread that is interrupted throws an {@link InterruptedOperationException} and leaves the interrupt
 * flag set. A claim is cancelled by that; every other operation continues. An operation of the engine ends within {@link
 * io.csi4j.core.lifecycle.LifecycleOptions#operationTimeout()}, but a claim waits for its turn as long as it takes.
 */
public final class BlockingLifecycle {
    private final VolumeLifecycle lifecycle;

    private BlockingLifecycle(VolumeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /**
     * The operations of an engine, on behalf of its caller.
     *
     * @param lifecycle the engine, possibly {@linkplain VolumeLifecycle#as on behalf of} a principal
     * @return operations that wait
     */
    public static BlockingLifecycle of(VolumeLifecycle lifecycle) {
        return new BlockingLifecycle(Objects.requireNonNull(lifecycle, "lifecycle"));
    }

    /**
     * Claims of allocations.
     *
     * @return the view of the caller of {@link #of}
     */
    public BlockingClaims claims() {
        return new BlockingClaims(lifecycle.claims());
    }

    /**
     * Volumes.
     *
     * @return the view of the caller of {@link #of}
     */
    public BlockingVolumes volumes() {
        return new BlockingVolumes(lifecycle.volumes());
    }

    /**
     * Snapshots and group snapshots.
     *
     * @return the view of the caller of {@link #of}
     */
    public BlockingSnapshots snapshots() {
        return new BlockingSnapshots(lifecycle.snapshots());
    }

    /**
     * Plugins, repair, and decisions of an operator.
     *
     * @return the view of the caller of {@link #of}
     */
    public BlockingOperator operator() {
        return new BlockingOperator(lifecycle.operator());
    }

    /**
     * Reports of the host about its cluster.
     *
     * @return the view of the caller of {@link #of}
     */
    public BlockingCluster cluster() {
        return new BlockingCluster(lifecycle.cluster());
    }
}
