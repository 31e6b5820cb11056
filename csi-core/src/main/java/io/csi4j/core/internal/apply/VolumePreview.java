package io.csi4j.core.internal.apply;

import io.csi4j.core.command.Command;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * Computes how commands would change a volume, by the rules of {@link CommandApplication}, without changing the state.
 * The commands may still be rejected later, because the state may change in between. Not safe for use by several
 * threads.
 */
public final class VolumePreview {
    private final OneVolumePreview state;
    private final long index;

    private VolumePreview(StateReader state, Volume volume) {
        this.state = new OneVolumePreview(state, volume);
        this.index = state.index() + 1;
    }

    /**
     * Creates a preview that begins with the volume as it is.
     *
     * @param state a snapshot
     * @param volume the volume of that snapshot
     */
    public static VolumePreview of(StateReader state, Volume volume) {
        return new VolumePreview(state, volume);
    }

    /**
     * Applies a command to the volume, after the commands that were applied before. Effects on other rows are ignored.
     *
     * @return false if the command would be rejected; then the preview does not change
     */
    public boolean apply(Command command) {
        Optional<Volume> before = state.volume();
        boolean accepted = CommandApplication.apply(state, index, command).accepted();
        if (!accepted) {
            state.reset(before);
        }
        return accepted;
    }

    /** Returns the volume after the applied commands; empty if a command removed it. */
    public Optional<Volume> volume() {
        return state.volume();
    }
}
