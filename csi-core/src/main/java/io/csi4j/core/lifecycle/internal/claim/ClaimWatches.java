package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Watches the parts of the state that may let one waiting claim continue. Used only in the serial execution of the
 * claim queue.
 */
final class ClaimWatches {
    private final Map<StateScope, Subscription> watches = new LinkedHashMap<>();

    /**
     * Watches the changes of the state that may end the current wait of a claim. Ends all watches for other changes.
     *
     * @param state the state to watch
     * @param claim the waiting request
     * @param decidedOn the snapshot of the state from which the queue decided that the request waits
     * @param onChange retries the request
     */
    void watch(ObservableState state, PendingClaim claim, StateReader decidedOn, Runnable onChange) {
        if (claim.result.outcome().isDone()) {
            return;
        }
        Set<StateScope> scopes = scopes(claim, decidedOn);
        watches.entrySet().removeIf(watch -> {
            boolean ended = !scopes.contains(watch.getKey());
            if (ended) {
                watch.getValue().close();
            }
            return ended;
        });
        for (StateScope scope : scopes) {
            watches.computeIfAbsent(scope, one -> state.subscribe(one, decidedOn.index(), index -> onChange.run()));
        }
    }

    void close() {
        watches.values().forEach(Subscription::close);
        watches.clear();
    }

    private static Set<StateScope> scopes(PendingClaim claim, StateReader decidedOn) {
        Set<StateScope> scopes = new LinkedHashSet<>();
        scopes.add(StateScope.allocation(claim.allocationId));
        if (claim.isHeldBack()) {
            // A request that waits behind an earlier request does not watch its volumes: the queue retries it when the
            // earlier request no longer holds it back.
            return scopes;
        }
        Set<PluginId> plugins = new LinkedHashSet<>();
        for (ClaimRequest request : claim.requests) {
            scopes.add(StateScope.volume(request.volume()));
            decidedOn
                    .volume(request.volume())
                    .map(Volume::pluginId)
                    .or(() -> request.template()
                            .flatMap(template -> decidedOn.volumeClass(template.className()))
                            .map(VolumeClass::pluginId))
                    .ifPresent(plugins::add);
        }
        plugins.forEach(plugin -> scopes.add(StateScope.plugin(plugin)));
        Optional<Allocation> allocation = decidedOn.allocation(claim.allocationId);
        allocation.ifPresent(placed -> {
            scopes.add(StateScope.node(placed.nodeId()));
            if (!claim.waitsFor(WaitReason.VOLUME_NOT_READY)) {
                // The other volumes of the node count when the volume is ready; until then they change for each claim
                // there.
                scopes.add(StateScope.volumesOn(placed.nodeId()));
            }
        });
        if (claim.waitsFor(WaitReason.LEDGER_NOT_KNOWN)) {
            scopes.add(StateScope.of(Table.NODES));
        }
        if (claim.waitsFor(WaitReason.NO_HEALTHY_CONTROLLER)) {
            // When a node becomes ready again, the plugin's data in the state does not change, so the nodes are watched
            // too.
            for (PluginId plugin : plugins) {
                controllers(scopes, decidedOn.instancesOf(plugin, PluginType.CONTROLLER));
                controllers(scopes, decidedOn.instancesOf(plugin, PluginType.MONOLITH));
            }
        }
        return scopes;
    }

    private static void controllers(Set<StateScope> scopes, Iterable<PluginInstance> instances) {
        instances.forEach(instance -> scopes.add(StateScope.node(instance.key().nodeId())));
    }
}
