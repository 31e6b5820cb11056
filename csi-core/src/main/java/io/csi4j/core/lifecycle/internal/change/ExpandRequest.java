package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/**
 * A request to expand a volume by its controller (R82). The new size is stored at once. Afterwards each claim's node
 * expands the volume independently (R83, R94).
 */
public record ExpandRequest(VolumeKey key, CapacityRange range) implements ChangeRequest<Volume> {
    @Override
    public String noun() {
        return "expansion";
    }

    @Override
    public String verb() {
        return "expand";
    }

    @Override
    public boolean include(CallTarget target, Volume volume) {
        return target instanceof CallTarget.OfExpansion call && call.range().equals(range);
    }

    @Override
    public Optional<Volume> check(StateReader state) {
        Volume volume = Operations.changeable(Operations.volume(state, key));
        if (isDue(volume)) {
            checkPluginExpands(state, volume);
        }
        return Optional.of(volume);
    }

    /**
     * Returns whether a call is needed: the volume is too small, a node may still have to expand it, or an earlier
     * expansion to another size is not settled, which the answer settles.
     */
    private boolean isDue(Volume volume) {
        boolean repeat = volume.spec().capacityRange().equals(Optional.of(range))
                && !volume.claims().isEmpty();
        return range.requiredBytes() > volume.facts().capacityBytes()
                || !volume.unsettledTargets().isEmpty()
                || (repeat && range.requiredBytes() > 0);
    }

    /** Checks that the plugin expands volumes, by its controller or on the node (R42). */
    private static void checkPluginExpands(StateReader state, Volume volume) {
        PluginOffer offer = PluginOffer.of(state, volume.pluginId());
        boolean byNode = offer.knownWithout(ControllerCapability.EXPAND_VOLUME) && offer.nodeExpands();
        if (!byNode) {
            offer.needs(ControllerCapability.EXPAND_VOLUME, "expanding volumes");
        }
        if (PluginOffer.blocksExpansion(state, volume)) {
            offer.refuse(
                    "is " + volume.pluginId() + ", which expands volumes only while they are not in use (R82)",
                    "end the allocations that use the volume first, which releases their claims");
        }
        offer.check("expansion of volume " + volume.key());
    }

    /**
     * Returns the command that stores the request, or only the range if the volume's size fulfils it already. Fails if
     * another volume has the key by then.
     */
    @Override
    public Command intent(StateReader state, Optional<Volume> asked, Instant now) {
        Volume volume = Operations.same(state, asked.orElseThrow(), "expanded");
        if (isDue(asked.get())) {
            return new ChangeCommand.BeginExpansion(key, range, now);
        }
        return new VolumeCommand.UpdateVolume(
                key, volume.spec().toBuilder().capacityRange(range).build(), volume.modifyIndex(), now);
    }

    /** Returns the volume if its controller has expanded it enough. */
    @Override
    public Optional<Volume> result(StateReader state, Volume asked) {
        Volume volume = Operations.same(state, asked, "expanded");
        if (!isDue(asked)) {
            return Optional.of(volume);
        }
        Optional<Expansion> expansion = volume.expansion().filter(known -> known.stage() == Expansion.Stage.CONTROLLER);
        if (expansion.isEmpty()) {
            return Optional.of(ifFulfilled(volume));
        }
        if (isReplacedAndFulfilled(volume, expansion.get())) {
            return Optional.of(volume);
        }
        failIfRefused(expansion.get().retry());
        failIfLost(volume);
        try {
            checkPluginExpands(state, volume);
        } catch (CsiRequestException e) {
            // The volume was claimed in the meantime, or its plugin has changed. The stored request to expand stays.
            throw new UnfinishedException("expansion of volume " + key + " waits: " + e.getMessage(), e);
        }
        return Optional.empty();
    }

    /**
     * Checks the size of a volume after the last call to its controller to expand it. Returns the volume if it fulfils
     * the requested range.
     *
     * @throws RefusedException if the volume does not fulfil the range, because the expansion was withdrawn, or
     *     replaced by an expansion to another size
     */
    private Volume ifFulfilled(Volume volume) {
        boolean fulfilled = volume.facts().capacityBytes() >= range.requiredBytes()
                || volume.spec().capacityRange().equals(Optional.of(range));
        if (!fulfilled) {
            throw new RefusedException(
                    new CsiException("this request was withdrawn, or replaced by one for another size"));
        }
        return volume;
    }

    /**
     * Returns true if a newer expansion replaced the requested one and the volume already has the requested size.
     * Returns false if the current expansion is the requested one.
     *
     * @throws UnfinishedException if a newer expansion replaced the requested one and the volume does not have the
     *     requested size yet
     */
    private boolean isReplacedAndFulfilled(Volume volume, Expansion change) {
        if (change.range().equals(range)) {
            return false;
        }
        if (volume.facts().capacityBytes() >= range.requiredBytes()) {
            return true;
        }
        throw new UnfinishedException(
                "expansion of volume " + key + " waits for a newer one",
                new CsiException("another size was asked for meanwhile"));
    }

    /**
     * Fails if the volume was lost meanwhile. The request stays in the state, and continues if the volume is found.
     *
     * @throws UnfinishedException if the volume is lost
     */
    static void failIfLost(Volume volume) {
        Verifications.lost(volume).ifPresent(reason -> {
            throw new UnfinishedException(
                    "change of volume " + volume.key() + " waits: " + reason.message(), new RejectedException(reason));
        });
    }

    /**
     * Fails if the plugin has refused a change; a refused change is not retried.
     *
     * @throws RefusedException if the change was refused
     */
    static void failIfRefused(Retry retry) {
        if (retry.refused()) {
            throw new RefusedException(new CsiException(retry.lastError().orElse("it was refused")));
        }
    }
}
