package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Shows and ends what removed volumes may have left: uses on nodes, and volumes at the provider that a withdrawn
 * creation may have made.
 */
public final class LeftoverOperations {
    private final Operations operations;

    public LeftoverOperations(Operations operations) {
        this.operations = operations;
    }

    public List<Leftover> list(Caller caller) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        List<Leftover> all = new ArrayList<>();
        operations.state().leftovers().forEach(all::add);
        return all;
    }

    /** Records the statement of an operator that no node has the volume mounted or attached any more. */
    public CompletableFuture<Void> override(Caller caller, Leftover.Key key, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        Leftover seen = operations
                .state()
                .leftover(key)
                .orElseThrow(() -> new CsiRequestException(
                        "override of a leftover",
                        List.of(new Problem(
                                "key",
                                "names volume " + key.externalVolumeId() + " of plugin " + key.pluginId()
                                        + ", of which nothing is left",
                                "look at the claims of the volume: it may have taken the leftover over"))));
        var command = new LeftoverCommand.OverrideLeftover(
                key, seen.createIndex(), caller.principal().getName(), reason, operations.now());
        return operations
                .retryLoop()
                .untilDone(
                        "override of the leftover of volume " + key.externalVolumeId() + " of plugin " + key.pluginId(),
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations.submit(command))
                .thenApply(accepted -> null);
    }

    public List<WithdrawnCreation> withdrawnCreations(Caller caller) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        List<WithdrawnCreation> all = new ArrayList<>();
        operations.state().withdrawnCreations().forEach(all::add);
        return all;
    }

    /** Records the statement of an operator that the provider has no volume of a withdrawn creation. */
    public CompletableFuture<Void> forgetWithdrawnCreation(Caller caller, WithdrawnCreation.Key key, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        WithdrawnCreation seen = operations
                .state()
                .withdrawnCreation(key)
                .orElseThrow(() -> new CsiRequestException(
                        "removal of a withdrawn creation",
                        List.of(new Problem(
                                "key",
                                "is name " + key.name() + " of plugin " + key.pluginId()
                                        + ", and no withdrawn creation has it",
                                "list the withdrawn creations"))));
        var command = new WithdrawnCreationCommand.ForgetWithdrawnCreation(
                key, seen.createIndex(), caller.principal().getName(), reason, operations.now());
        return operations
                .retryLoop()
                .untilDone(
                        "removal of the withdrawn creation " + key.name() + " of plugin " + key.pluginId(),
                        RetryLoop.Stored.UNCERTAIN,
                        attempt -> operations.submit(command))
                .thenApply(accepted -> null);
    }
}
