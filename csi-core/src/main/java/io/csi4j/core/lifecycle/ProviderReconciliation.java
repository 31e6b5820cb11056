package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Compares where the provider has volumes attached with where the state has them, in both directions, and
 * repairs what differs if it is asked to (N8).
 *
 * <p>Race-free against calls in flight: a volume that changed since the run began is passed over, and so is a node where
 * it is being attached or detached; both are looked at again in the volume's turn before a repair. What is left to be
 * done for it elsewhere, maybe for days, keeps nobody from it. Pages are no consistent cut (R70): a volume that is not
 * listed proves nothing, only what is listed of a volume does.
 */
final class ProviderReconciliation {
    private static final int PAGE = 500;
    private static final int RESTARTS = 3;

    private final Operations operations;
    private final ProviderLooks looks;
    private final DriftRepair repair;

    ProviderReconciliation(Operations operations, ProviderLooks looks, LaneEvents events) {
        this.operations = operations;
        this.looks = looks;
        this.repair = new DriftRepair(operations, events);
    }

    CompletableFuture<List<Drift>> run(Caller caller, PluginId plugin, boolean repairing) {
        operations.allow(caller, Access.of(Permission.MANAGEMENT));
        return run(plugin, repairing);
    }

    /** The same by the engine itself. */
    CompletableFuture<List<Drift>> run(PluginId plugin, boolean repairing) {
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.LIST_VOLUMES, "reconciliation")
                .needs(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES, "reconciliation")
                .needs(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, "reconciliation")
                .check("reconciliation with the provider");
        Run run = new Run(plugin, operations.state().index());
        return collect(run, "", 0)
                .thenCompose(listed -> repairing ? repair.all(found(run), run.index) : done(found(run)));
    }

    private static CompletableFuture<List<Drift>> done(List<Drift> drifts) {
        return CompletableFuture.completedFuture(drifts);
    }

    private CompletableFuture<Void> collect(Run run, String token, int restarts) {
        return looks.page(run.plugin, PAGE, token)
                .thenCompose(page -> {
                    page.entries()
                            .forEach(entry ->
                                    run.listed.put(entry.volume().volumeId().value(), entry));
                    return page.nextToken().isEmpty()
                            ? CompletableFuture.<Void>completedFuture(null)
                            : collect(run, page.nextToken(), restarts);
                })
                .exceptionallyCompose(
                        failure -> Failures.outcome(failure) == CallOutcome.PAGE_RESTART && restarts < RESTARTS
                                ? restart(run, restarts + 1)
                                : CompletableFuture.failedFuture(Failures.of(failure)));
    }

    /** The token is no longer good (R72): from the beginning, and what was listed so far may be out of date. */
    private CompletableFuture<Void> restart(Run run, int restarts) {
        run.listed.clear();
        run.index = operations.state().index();
        return collect(run, "", restarts);
    }

    private List<Drift> found(Run run) {
        StateReader state = operations.state();
        Map<ExternalNodeId, NodeId> nodes = nodes(state, run.plugin);
        List<Drift> drifts = new ArrayList<>();
        for (ListVolumesResponse.Entry entry : run.listed.values()) {
            Optional<Volume> volume = state.volumeByExternalId(
                            run.plugin, entry.volume().volumeId())
                    .flatMap(state::volume)
                    .filter(known -> known.modifyIndex() <= run.index && known.phase() == VolumePhase.AVAILABLE);
            if (volume.isPresent() && entry.status().isPresent()) {
                compare(volume.get(), entry.status().get(), nodes, drifts);
            }
        }
        for (Drift drift : drifts) {
            operations
                    .ports()
                    .listener()
                    .driftFound(new DriftEvent(
                            drift.kind(),
                            run.plugin,
                            drift.externalVolumeId(),
                            Optional.of(drift.volume()),
                            drift.externalNodeId(),
                            operations.now()));
        }
        return drifts;
    }

    private static void compare(
            Volume volume, VolumeStatus told, Map<ExternalNodeId, NodeId> nodes, List<Drift> drifts) {
        List<ExternalNodeId> attached = new ArrayList<>();
        for (Attachment attachment : volume.attachments()) {
            Optional<ExternalNodeId> id = attachment.externalNodeId();
            id.ifPresent(attached::add);
            if (id.isPresent()
                    && attachment.state() == AttachmentState.PUBLISHED
                    && !told.publishedNodeIds().contains(id.get())) {
                drifts.add(drift(DriftEvent.Kind.WANTED_BUT_NOT_ATTACHED, volume, id.get()));
            }
        }
        for (ExternalNodeId id : told.publishedNodeIds()) {
            // A node that is none of ours may be one of another cluster on the same storage (R71).
            if (!attached.contains(id) && nodes.containsKey(id)) {
                drifts.add(drift(DriftEvent.Kind.ATTACHED_BUT_NOT_WANTED, volume, id));
            }
        }
    }

    private static Drift drift(DriftEvent.Kind kind, Volume volume, ExternalNodeId id) {
        return new Drift(kind, volume.key(), volume.remoteId(), id, Optional.empty());
    }

    /** The nodes of this cluster, by what the provider calls them. */
    static Map<ExternalNodeId, NodeId> nodes(StateReader state, PluginId plugin) {
        Map<ExternalNodeId, NodeId> nodes = new LinkedHashMap<>();
        for (PluginInstance instance : state.instancesOf(plugin)) {
            instance.nodeInfo()
                    .map(NodeInfo::externalNodeId)
                    .ifPresent(id -> nodes.put(id, instance.key().nodeId()));
        }
        return nodes;
    }

    /** What one run has gathered. */
    private static final class Run {
        private final PluginId plugin;
        private final Map<String, ListVolumesResponse.Entry> listed = new LinkedHashMap<>();
        private long index;

        Run(PluginId plugin, long index) {
            this.plugin = plugin;
            this.index = index;
        }
    }
}
