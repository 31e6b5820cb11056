package io.csi4j.core.lifecycle.internal.change;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.step.ModifyStep;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request to modify mutable parameters of a volume (R74). The new parameters become part of the specification when the
 * plugin has accepted them; after a refusal the old ones are still valid.
 */
public record ModifyRequest(VolumeKey key, Map<String, String> parameters) implements ChangeRequest<Volume> {
    public ModifyRequest {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }

    @Override
    public String noun() {
        return "change";
    }

    @Override
    public String verb() {
        return "change";
    }

    @Override
    public boolean include(CallTarget target, Volume volume) {
        return target instanceof CallTarget.OfModification && requested(volume).isPresent();
    }

    private Optional<Modification> requested(Volume volume) {
        return volume.modification().filter(known -> known.changes().entrySet().containsAll(parameters.entrySet()));
    }

    @Override
    public Optional<Volume> check(StateReader state) {
        Volume volume = Operations.changeable(Operations.volume(state, key));
        PluginOffer.of(state, volume.pluginId())
                .needs(ControllerCapability.MODIFY_VOLUME, "changing volumes")
                .check("change of volume " + key);
        CsiLimits.requireUnreserved("change of volume " + key, "mutableParameters", parameters);
        // The request is built before the change is stored, because an invalid request could never be fulfilled.
        var unused = ModifyStep.request(volume, parameters, Secrets.empty());
        return Optional.of(volume);
    }

    /** Returns the command that stores the request. Fails if another volume has the key by then. */
    @Override
    public Command intent(StateReader state, Optional<Volume> asked, Instant now) {
        var unused = Operations.same(state, asked.orElseThrow(), "changed");
        return new ChangeCommand.BeginModification(key, parameters, now);
    }

    @Override
    public Optional<Volume> result(StateReader state, Volume asked) {
        Volume volume = Operations.same(state, asked, "changed");
        if (isFulfilled(volume)) {
            return Optional.of(volume);
        }
        Modification change = requested(volume)
                .orElseThrow(() -> new RefusedException(
                        new CsiException("another change of the same parameters took the place of this one")));
        ExpandRequest.failIfRefused(change.retry());
        ExpandRequest.failIfLost(volume);
        return Optional.empty();
    }

    private boolean isFulfilled(Volume volume) {
        return volume.spec().mutableParameters().entrySet().containsAll(parameters.entrySet())
                && volume.modification()
                        .filter(change -> !Collections.disjoint(change.changes().keySet(), parameters.keySet()))
                        .isEmpty();
    }
}
