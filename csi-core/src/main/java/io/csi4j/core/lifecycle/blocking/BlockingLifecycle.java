package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.util.Objects;

/**
 * The operations of a {@link VolumeLifecycle} for programs without futures: each method waits until the future of the
 * operation completes. It then returns the future's value, or throws the {@link io.csi4j.core.call.CsiException} with
 * which the future failed. Thread-safe. The host closes the engine itself; this object needs no closing.
 *
 * <p>If the waiting thread is interrupted, the method throws an {@link InterruptedOperationException} and leaves the
 * interrupt flag set. An interrupted claim is cancelled; every other operation continues. An operation of the engine
 * ends within {@link io.csi4j.core.lifecycle.LifecycleOptions#operationTimeout()}, but a claim waits without a time
 * limit.
 */
public final class BlockingLifecycle {
    private final CallerOperations lifecycle;

    private BlockingLifecycle(CallerOperations lifecycle) {
        this.lifecycle = lifecycle;
    }

    /**
     * Returns blocking operations on an engine, on behalf of the host, or of another {@linkplain VolumeLifecycle#as
     * caller}.
     */
    public static BlockingLifecycle of(CallerOperations lifecycle) {
        return new BlockingLifecycle(Objects.requireNonNull(lifecycle, "lifecycle"));
    }

    /** Returns the operations on claims of allocations. */
    public BlockingClaims claims() {
        return new BlockingClaims(lifecycle.claims());
    }

    /** Returns the operations on volumes. */
    public BlockingVolumes volumes() {
        return new BlockingVolumes(lifecycle.volumes());
    }

    /** Returns the operations on snapshots and group snapshots. */
    public BlockingSnapshots snapshots() {
        return new BlockingSnapshots(lifecycle.snapshots());
    }

    /** Returns the operations for operators: plugins, repair, and overrides. */
    public BlockingOperator operator() {
        return new BlockingOperator(lifecycle.operator());
    }

    /** Returns the operations with which the host reports about its cluster. */
    public BlockingCluster cluster() {
        return new BlockingCluster(lifecycle.cluster());
    }
}
