package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.internal.call.OnlyRow;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A request to delete a volume at the storage provider. The state rejects the intent while the volume is in use. The row
 * disappears only after the plugin has confirmed the deletion.
 *
 * @param evenRetained whether a volume is deleted that was retained when its workload ended
 */
public record DeleteRequest(VolumeKey key, boolean evenRetained) implements ChangeRequest<Boolean> {
    /** Creates a request that refuses a retained volume. */
    public DeleteRequest(VolumeKey key) {
        this(key, false);
    }

    @Override
    public String noun() {
        return "deletion";
    }

    @Override
    public String verb() {
        return "delete";
    }

    @Override
    public boolean include(CallTarget target, Volume volume) {
        return target instanceof CallTarget.OfVolume call && call.phase() == VolumePhase.DELETING;
    }

    @Override
    public Optional<Volume> check(StateReader state) {
        Volume volume = Operations.volume(state, key);
        PluginOffer.of(state, volume.pluginId())
                .needs(ControllerCapability.CREATE_DELETE_VOLUME, "deleting volumes")
                .check("deletion of volume " + key);
        if (!evenRetained && volume.phase() == VolumePhase.AVAILABLE) {
            volume.retainedSince().ifPresent(since -> {
                throw new CsiRequestException(
                        "deletion of volume " + key,
                        List.of(new Problem(
                                "key",
                                "names a volume that is retained since " + since + ", when its workload ended",
                                "delete it explicitly, with deleteRetained (csi volume delete --even-retained)")));
            });
        }
        // The deletion would take the volume of the storage provider away from another row that refers to it.
        OnlyRow.check(state, volume);
        return Optional.of(volume);
    }

    /**
     * Returns the command that stores the intent to delete this volume. If the volume is being created, and it is
     * certain that no call has made it, the command removes the volume at once. It is not certain of a volume of a restored
     * state: a call may have made it since the backup. The command contains the volume's modify
     * index, so the state rejects it if another volume has the key by then.
     */
    @Override
    public Command intent(StateReader state, Optional<Volume> asked, Instant now) {
        Volume volume = Operations.same(state, asked.orElseThrow(), "deleted");
        boolean nothingMade = volume.phase() == VolumePhase.CREATING
                && volume.externalVolumeId().isEmpty()
                && volume.retry().unresolved().isEmpty()
                && Verifications.missing(state, volume).isEmpty();
        return nothingMade
                ? new VolumeCommand.DeregisterVolume(key, true, volume.modifyIndex(), now)
                : new VolumeCommand.SetVolumePhase(key, VolumePhase.DELETING, volume.modifyIndex(), now);
    }

    /**
     * Returns true if the volume is deleted. If another volume has the key now, the volume of the request counts as
     * deleted.
     */
    @Override
    public Optional<Boolean> result(StateReader state, Volume asked) {
        Optional<Volume> volume = state.volume(key).filter(now -> now.createIndex() == asked.createIndex());
        if (volume.filter(now -> now.phase() == VolumePhase.AVAILABLE).isPresent()) {
            throw new RefusedException(new CsiException("the deletion of volume " + key + " was withdrawn"));
        }
        return volume.isEmpty() ? Optional.of(true) : Optional.empty();
    }
}
