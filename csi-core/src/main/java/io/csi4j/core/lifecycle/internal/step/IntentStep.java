package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;

/** A call to a controller about the volume itself, for an intent in the volume's row. */
abstract class IntentStep<R> implements ControllerStep<R> {
    private final Operations operations;
    private final Volume planned;
    private final VolumePhase phase;

    /**
     * Creates a step.
     *
     * @param planned the volume for which the call was planned
     * @param phase the phase that the volume keeps while the intent stands
     */
    IntentStep(Operations operations, Volume planned, VolumePhase phase) {
        this.operations = operations;
        this.planned = planned;
        this.phase = phase;
    }

    final Operations operations() {
        return operations;
    }

    @Override
    public final VolumeKey key() {
        return planned.key();
    }

    @Override
    public final Optional<Volume> current(StateReader state) {
        return state.volume(key())
                .filter(now -> now.createIndex() == planned.createIndex() && now.phase() == phase)
                .filter(now -> stands(state, now));
    }

    /** Returns whether the volume, which has the phase of the intent, still has the rest of it. */
    abstract boolean stands(StateReader state, Volume now);
}
