package io.csi4j.core.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * What a volume will be once commands about it are applied, by the same rules that will apply them. Nothing is
 * stored, and whether they will be accepted then is another matter: the state may have changed by that time.
 *
 * <p>Not safe for use by several threads.
 */
public final class VolumeAhead {
    private final OneVolumeAhead state;
    private final long index;

    private VolumeAhead(StateReader state, Volume volume) {
        this.state = new OneVolumeAhead(state, volume);
        this.index = state.index() + 1;
    }

    /**
     * A volume before any command.
     *
     * @param state a snapshot
     * @param volume the volume of that snapshot
     * @return a new preview
     */
    public static VolumeAhead of(StateReader state, Volume volume) {
        return new VolumeAhead(state, volume);
    }

    /**
     * Applies a command about the volume, on top of those before.
     *
     * @param command the command; what it would do to other rows is not shown
     * @return false if it would be rejected: then nothing is different
     */
    public boolean apply(Command command) {
        Optional<Volume> before = state.volume();
        boolean accepted = CommandApplication.apply(state, index, command).accepted();
        if (!accepted) {
            state.reset(before);
        }
        return accepted;
    }

    /**
     * The volume after all that was applied.
     *
     * @return empty: it would be gone
     */
    public Optional<Volume> volume() {
        return state.volume();
    }
}
