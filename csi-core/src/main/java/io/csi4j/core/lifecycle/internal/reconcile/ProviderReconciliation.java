package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.step.StepEvents;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.RepairStoppedEvent;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

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
    private static final System.Logger LOG = System.getLogger(ProviderReconciliation.class.getName());

    private final Operations operations;
    private final ProviderListing listing;
    private final DriftRepair repair;
    private final VainRepairs vain = new VainRepairs();

    /**
     * Creates the comparison.
     *
     * @param mayCall returns whether this engine leads now, so that it may publish a volume again
     */
    public ProviderReconciliation(
            Operations operations, ProviderListing listing, StepEvents events, BooleanSupplier mayCall) {
        this.operations = operations;
        this.listing = listing;
        this.repair = new DriftRepair(operations, events, mayCall);
    }

    /**
     * Compares the attachments of a plugin for an operator.
     *
     * @param stopped returns whether the comparison has to stop, because no caller waits for it
     */
    public CompletableFuture<List<Drift>> run(
            Caller caller, PluginId plugin, boolean repairing, BooleanSupplier stopped) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        return compare(plugin, stopped)
                .thenCompose(found -> repairing
                        ? repair.all(List.copyOf(found.drifts.keySet()), found.since, stopped)
                        : CompletableFuture.completedFuture(List.copyOf(found.drifts.keySet())));
    }

    /**
     * Compares the attachments of a plugin for the leader, which does so again and again. A difference that several
     * repairs did not change is not repaired any more.
     */
    CompletableFuture<List<Drift>> runPeriodically(PluginId plugin, boolean repairing, BooleanSupplier stopped) {
        return compare(plugin, stopped).thenCompose(found -> {
            if (!repairing) {
                return CompletableFuture.completedFuture(List.copyOf(found.drifts.keySet()));
            }
            Set<VolumeKey> existing = new HashSet<>();
            operations.state().volumesOf(plugin).forEach(existing::add);
            vain.retain(plugin, found.drifts, found.compared, existing);
            List<Drift> due = new ArrayList<>();
            found.drifts.forEach((drift, volume) -> {
                VainRepairs.Verdict verdict = vain.verdict(drift, volume);
                if (verdict == VainRepairs.Verdict.REPAIR) {
                    due.add(drift);
                } else if (verdict == VainRepairs.Verdict.STOP) {
                    stopRepair(plugin, drift);
                }
            });
            return repair.all(due, found.since, stopped).thenApply(repaired -> {
                for (Drift drift : repaired) {
                    if (drift.repair()
                            .filter(ProviderReconciliation::tookEffect)
                            .isPresent()) {
                        vain.repaired(drift, Objects.requireNonNull(found.drifts.get(drift.unrepaired()), "volume"));
                    }
                }
                return repaired;
            });
        });
    }

    private static boolean tookEffect(Drift.Repair result) {
        return result == Drift.Repair.DONE || result == Drift.Repair.BEGUN;
    }

    private void stopRepair(PluginId plugin, Drift drift) {
        LOG.log(
                Level.WARNING,
                "The periodic comparison no longer repairs volume {0} ({1} of plugin {2}, {3}): {4} repairs succeeded,"
                        + " and the provider lists the same. See whether the plugin lists its nodes by the ids of"
                        + " NodeGetInfo; csi plugin reconcile, or operator().reconcile in Java, repairs once more",
                drift.volume(),
                drift.externalVolumeId(),
                plugin,
                drift.kind(),
                VainRepairs.MAX);
        operations
                .ports()
                .listener()
                .repairStopped(new RepairStoppedEvent(
                        drift.kind(),
                        plugin,
                        drift.volume(),
                        drift.externalVolumeId(),
                        drift.externalNodeId(),
                        VainRepairs.MAX,
                        operations.now()));
    }

    /**
     * The result of a comparison.
     *
     * @param drifts the differences, each with its volume
     * @param compared the volumes that were compared
     * @param since the index of the state before the listing
     */
    private record Found(Map<Drift, Volume> drifts, Set<VolumeKey> compared, long since) {}

    private CompletableFuture<Found> compare(PluginId plugin, BooleanSupplier stopped) {
        PluginOffer.of(operations.state(), plugin)
                .needs(ControllerCapability.LIST_VOLUMES, "reconciliation")
                .needs(ControllerCapability.LIST_VOLUMES_PUBLISHED_NODES, "reconciliation")
                .needs(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, "reconciliation")
                .check("reconciliation with the provider");
        return listing.all(plugin, stopped).thenApply(listed -> found(plugin, listed));
    }

    private Found found(PluginId plugin, ProviderListing.Listed listed) {
        StateReader state = operations.state();
        Map<ExternalNodeId, NodeId> nodes = nodes(state, plugin);
        Map<Drift, Volume> drifts = new LinkedHashMap<>();
        Set<VolumeKey> compared = new HashSet<>();
        for (ListVolumesResponse.Entry entry : listed.entries()) {
            Optional<Volume> volume = state.volumeByExternalId(
                            plugin, entry.volume().volumeId())
                    .flatMap(state::volume)
                    .filter(known ->
                            known.modifyIndex() <= listed.begun().index() && known.phase() != VolumePhase.CREATING);
            if (volume.isPresent() && entry.status().isPresent()) {
                compared.add(volume.get().key());
                compare(state, volume.get(), entry.status().get(), nodes, drifts);
            }
        }
        for (Drift drift : drifts.keySet()) {
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
        return new Found(drifts, compared, listed.begun().index());
    }

    private static void compare(
            StateReader state,
            Volume volume,
            ExternalVolumeStatus reported,
            Map<ExternalNodeId, NodeId> nodes,
            Map<Drift, Volume> drifts) {
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
                drifts.put(drift(DriftEvent.Kind.WANTED_BUT_NOT_ATTACHED, volume, id.get()), volume);
            }
        }
        for (ExternalNodeId id : reported.publishedNodeIds()) {
            // A node that the state does not have may belong to another cluster that uses the same storage (R71).
            if (!attached.contains(id) && nodes.containsKey(id)) {
                drifts.put(drift(DriftEvent.Kind.ATTACHED_BUT_NOT_WANTED, volume, id), volume);
            }
        }
    }

    private static Drift drift(DriftEvent.Kind kind, Volume volume, ExternalNodeId id) {
        return new Drift(kind, volume.key(), volume.remoteId(), id, Optional.empty());
    }

    /** Returns the nodes of this cluster by the ids that the storage provider uses for them. */
    static Map<ExternalNodeId, NodeId> nodes(StateReader state, PluginId plugin) {
        Map<ExternalNodeId, NodeId> nodes = new LinkedHashMap<>();
        Optional<PluginFacts> facts = state.facts(plugin);
        for (PluginInstance instance : state.instancesOf(plugin)) {
            if (facts.isPresent() && facts.get().conflictsWith(instance)) {
                // Another driver may use the same node ids for other nodes.
                continue;
            }
            instance.nodeInfo()
                    .map(NodeInfo::externalNodeId)
                    .ifPresent(id -> nodes.put(id, instance.key().nodeId()));
        }
        return nodes;
    }
}
