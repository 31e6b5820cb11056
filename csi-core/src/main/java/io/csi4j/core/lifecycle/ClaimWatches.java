package io.csi4j.core.lifecycle;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Volume;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Watches all that may let a waiting claim go on. */
final class ClaimWatches {
    private ClaimWatches() {}

    /**
     * Begins, unless it is watched already or needs it no more.
     *
     * @param state what is watched
     * @param claim who waits; holds the watches
     * @param seen what it was decided with
     * @param look has it looked at again
     */
    static void begin(ObservableState state, PendingClaim claim, StateReader seen, Runnable look) {
        if (!claim.watches.isEmpty() || claim.result.isDone()) {
            return;
        }
        for (StateScope scope : scopes(claim, seen)) {
            claim.watches.add(state.subscribe(scope, seen.index(), index -> look.run()));
        }
    }

    private static Set<StateScope> scopes(PendingClaim claim, StateReader seen) {
        Set<StateScope> scopes = new LinkedHashSet<>();
        scopes.add(StateScope.allocation(claim.allocationId));
        Set<PluginId> plugins = new LinkedHashSet<>();
        for (ClaimRequest request : claim.requests) {
            scopes.add(StateScope.volume(request.volume()));
            seen.volume(request.volume()).map(Volume::pluginId).ifPresent(plugins::add);
        }
        plugins.forEach(plugin -> scopes.add(StateScope.plugin(plugin)));
        Optional<Allocation> allocation = seen.allocation(claim.allocationId);
        allocation.ifPresent(placed -> {
            scopes.add(StateScope.node(placed.nodeId()));
            scopes.add(StateScope.volumesOn(placed.nodeId()));
        });
        return scopes;
    }
}
