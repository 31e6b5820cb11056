package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PluginOffer;
import io.csi4j.core.lifecycle.internal.worker.WorkerEvents;
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
 * Compares the attachments that a storage provider lists with those in the state, in both directions, and repairs
 * differences on request.
 *
 * <p>Calls in flight cause no wrong repair: a volume that changed after the comparison began is skipped, and so is a
 * node where the volume is being attached or detached. Both are checked again in the serial execution of the volume
 * before a repair. Remaining work on other nodes does not prevent a repair. The pages are not one consistent snapshot
 * (R70): a volume that is missing in the list may still exist.
 */
public final class ProviderReconciliation {
    private final Operations operations;
    private final ProviderListing listing;
    private final DriftRepair repair;

    public ProviderReconciliation(Operations operations, ProviderListing listing, WorkerEvents events) {
        this.operations = operations;
        this.listing = listing;
        this.repair = new DriftRepair(operations, events);
    }

    public CompletableFuture<List<Drift>> run(Caller caller, PluginId plugin, boolean repairing) {
        operations.allow(caller, Access.of(Permission.MANAGEMENT));
        return run(plugin, repairing);
    }

    /** Compares the attachments of a plugin, without a check of permissions. */
    public CompletableFuture<List<Drift>> run(PluginId plugin, boolean repairing) {
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.LIST_VOLUMES, "reconciliation")
                .needs(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES, "reconciliation")
                .needs(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, "reconciliation")
                .check("reconciliation with the provider");
        return listing.all(plugin).thenCompose(listed -> {
            List<Drift> drifts = found(plugin, listed);
            return repairing ? repair.all(drifts, listed.begun().index()) : CompletableFuture.completedFuture(drifts);
        });
    }

    private List<Drift> found(PluginId plugin, ProviderListing.Listed listed) {
        StateReader state = operations.state();
        Map<ExternalNodeId, NodeId> nodes = nodes(state, plugin);
        List<Drift> drifts = new ArrayList<>();
        for (ListVolumesResponse.Entry entry : listed.entries()) {
            Optional<Volume> volume = state.volumeByExternalId(
                            plugin, entry.volume().volumeId())
                    .flatMap(state::volume)
                    .filter(known ->
                            known.modifyIndex() <= listed.begun().index() && known.phase() == VolumePhase.AVAILABLE);
            if (volume.isPresent() && entry.status().isPresent()) {
                compare(state, volume.get(), entry.status().get(), nodes, drifts);
            }
        }
        for (Drift drift : drifts) {
            operations
                    .ports()
                    .listener()
                    .driftFound(new DriftEvent(
                            drift.kind(),
                            plugin,
                            drift.externalVolumeId(),
                            Optional.of(drift.volume()),
                            drift.externalNodeId(),
                            operations.now()));
        }
        return drifts;
    }

    private static void compare(
            StateReader state,
            Volume volume,
            ExternalVolumeStatus reported,
            Map<ExternalNodeId, NodeId> nodes,
            List<Drift> drifts) {
        List<ExternalNodeId> attached = new ArrayList<>();
        for (Attachment attachment : volume.attachments()) {
            Optional<ExternalNodeId> id = attachment.externalNodeId();
            id.ifPresent(attached::add);
            Optional<Node> node = state.node(attachment.nodeId());
            if (node.filter(one -> one.isFormer(volume.pluginId(), id)).isPresent()) {
                // The attachment is held until an operator says what became of its machine. If the plugin renamed the
                // node, the provider lists the attachment by the present id.
                node.get().machine(volume.pluginId()).ifPresent(machine -> attached.add(machine.externalNodeId()));
            } else if (id.isPresent()
                    && attachment.state() == AttachmentState.PUBLISHED
                    && !reported.publishedNodeIds().contains(id.get())) {
                drifts.add(drift(DriftEvent.Kind.WANTED_BUT_NOT_ATTACHED, volume, id.get()));
            }
        }
        for (ExternalNodeId id : reported.publishedNodeIds()) {
            // A node that the state does not have may belong to another cluster that uses the same storage (R71).
            if (!attached.contains(id) && nodes.containsKey(id)) {
                drifts.add(drift(DriftEvent.Kind.ATTACHED_BUT_NOT_WANTED, volume, id));
            }
        }
    }

    private static Drift drift(DriftEvent.Kind kind, Volume volume, ExternalNodeId id) {
        return new Drift(kind, volume.key(), volume.remoteId(), id, Optional.empty());
    }

    /** Returns the nodes of this cluster by the ids that the storage provider uses for them. */
    static Map<ExternalNodeId, NodeId> nodes(StateReader state, PluginId plugin) {
        Map<ExternalNodeId, NodeId> nodes = new LinkedHashMap<>();
        for (PluginInstance instance : state.instancesOf(plugin)) {
            instance.nodeInfo()
                    .map(NodeInfo::externalNodeId)
                    .ifPresent(id -> nodes.put(id, instance.key().nodeId()));
        }
        return nodes;
    }
}
