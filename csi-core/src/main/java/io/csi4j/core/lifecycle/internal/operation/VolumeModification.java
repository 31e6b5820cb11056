package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PendingOperation;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.call.RequestFactory;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Takes requests to modify mutable parameters of volumes (R74). The caller stores the requested change, and the volume's
 * worker calls the plugin. The new parameters become part of the specification when the plugin has accepted them; after
 * a refusal the old ones are still valid.
 */
public final class VolumeModification {
    private final Operations operations;

    public VolumeModification(Operations operations) {
        this.operations = operations;
    }

    public CompletableFuture<Volume> modify(Caller caller, VolumeKey key, Map<String, String> changes) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        Map<String, String> wanted = new LinkedHashMap<>(changes);
        Volume volume = operations.available(key);
        PluginOffer.of(operations.state(), volume.pluginId())
                .needs(ControllerCapability.MODIFY_VOLUME, "changing volumes")
                .check("change of volume " + key);
        // The request is built before the change is stored, because an invalid request could never be fulfilled.
        var unused = RequestFactory.modify(volume, wanted, Secrets.empty());
        PendingOperation<Volume> change = operations
                .pending()
                .begin(caller, key, now -> stillRequested(now, wanted).isPresent());
        CompletableFuture<Volume> work = operations
                .retryLoop()
                .untilDone(
                        "intent to change volume " + key,
                        RetryLoop.Stored.UNCERTAIN,
                        n -> operations.submit(new ChangeCommand.BeginModification(key, wanted, operations.now())))
                .thenCompose(
                        begun -> operations.pending().await(change, state -> modifiedVolume(state, volume, wanted)));
        return change.limited("change of volume " + key, work).whenComplete((changed, failure) -> {
            if (failure != null) {
                change.abandon(failure);
            }
        });
    }

    private static Optional<Modification> stillRequested(Volume volume, Map<String, String> wanted) {
        return volume.modification().filter(known -> known.changes().entrySet().containsAll(wanted.entrySet()));
    }

    /** Returns the volume if its plugin has accepted the parameters; empty while the change is in progress. */
    private static Optional<Volume> modifiedVolume(StateReader state, Volume asked, Map<String, String> wanted) {
        Volume volume = Operations.same(state, asked, "changed");
        if (isFulfilled(volume, wanted)) {
            return Optional.of(volume);
        }
        Modification change = stillRequested(volume, wanted)
                .orElseThrow(() -> new RefusedException(
                        new CsiException("another change of the same parameters took the place of this one")));
        VolumeExpander.failIfRefused(change.retry());
        return Optional.empty();
    }

    private static boolean isFulfilled(Volume volume, Map<String, String> wanted) {
        return volume.spec().mutableParameters().entrySet().containsAll(wanted.entrySet())
                && volume.modification()
                        .filter(change -> !Collections.disjoint(change.changes().keySet(), wanted.keySet()))
                        .isEmpty();
    }
}
