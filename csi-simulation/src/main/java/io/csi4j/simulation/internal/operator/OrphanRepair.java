package io.csi4j.simulation.internal.operator;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The operator who finds the volumes that claims made after the backup, when the state was restored: he registers those that
 * nodes use, under their name or another one, and registers or deletes those that a search finds. At the end of the run all
 * of them are deleted.
 */
final class OrphanRepair {
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final List<RequestedCapability> CAPABILITIES = List.of(
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER));

    private final SimWorld world;
    private final SimServer server;
    /** The volumes that the operator wants to have deleted. */
    private final Set<ExternalVolumeId> unwanted = new LinkedHashSet<>();

    /** The last request to register each volume. A server that crashes never answers. */
    private final Map<ExternalVolumeId, Registration> registrations = new HashMap<>();

    private record Registration(SimProcess server, CompletableFuture<?> answer) {}

    OrphanRepair(SimWorld world, SimServer server) {
        this.world = world;
        this.server = server;
    }

    /** Begins, if claims of this run make volumes. */
    void begin() {
        if (world.made().active()) {
            world.scheduler().within(PERIOD, this::repair);
        }
    }

    private void repair() {
        registerUsed();
        search();
        deleteUnwanted();
        // An attachment that the state does not have keeps the plugin from deleting a volume.
        var unused = server.request("reconcile", engine -> engine.operator().reconcile(SimVolumes.ATTACHING, true));
        if (world.faults().active() || !remaining().isEmpty() || world.hasDelayedCommands()) {
            world.scheduler().after(PERIOD, this::repair);
        }
    }

    /** Registers the volumes that nodes report and the state does not have. */
    private void registerUsed() {
        StateReader state = world.store().snapshot();
        for (Node node : state.unsettledNodes()) {
            for (LedgerReport report : node.ledger().unclaimed()) {
                for (VolumeUse use : report.uses()) {
                    if (world.volume(state, use.externalVolumeId()).isEmpty()) {
                        register(use.externalVolumeId(), use.volume());
                    }
                }
            }
        }
    }

    private void search() {
        var unused = server.request(
                        "search for orphans", engine -> engine.operator().orphanedVolumes(SimVolumes.ATTACHING))
                .thenAccept(found -> found.orphaned().forEach(this::found));
    }

    private void found(ExternalVolumeId id) {
        VolumeKey key = world.volumes().get(id.value());
        if (key != null && world.orphans().all().contains(id.value())) {
            if (world.made().random().nextInt(3) == 0) {
                unwanted.add(id);
            }
            register(id, key);
        }
    }

    /** Registers a volume under its name, if that is free, or at times under another one. */
    private void register(ExternalVolumeId id, VolumeKey name) {
        Registration last = registrations.get(id);
        if (world.volume(id).isPresent() || (last != null && !last.answer.isDone() && last.server.alive())) {
            return;
        }
        boolean free = world.store().snapshot().volume(name).isEmpty();
        VolumeKey key = free && world.made().random().nextInt(3) > 0
                ? name
                : VolumeKey.of(name.namespace().value(), "found-" + Integer.toHexString(id.hashCode()));
        world.trace().note("operator", "registers " + id + " as " + key.volumeId());
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .externalVolumeId(id)
                .requestedCapabilities(CAPABILITIES)
                .fencingPolicy(FencingPolicy.onFence())
                .build();
        CompletableFuture<?> answer =
                server.request("register an orphan", engine -> engine.volumes().register(key, spec));
        registrations.put(id, new Registration(server.lastTarget(), answer));
        var unused = answer.thenRun(() -> deleteUnwanted(id));
    }

    /** Deletes what the operator does not want, also while a node uses it: then the deletion has to wait. */
    private void deleteUnwanted() {
        for (String orphan : List.copyOf(world.orphans().all())) {
            ExternalVolumeId id = ExternalVolumeId.of(orphan);
            if (!world.faults().active()) {
                unwanted.add(id);
            }
            deleteUnwanted(id);
        }
    }

    private void deleteUnwanted(ExternalVolumeId id) {
        Optional<Volume> row = world.volume(id).filter(volume -> volume.phase() == VolumePhase.AVAILABLE);
        if (row.isPresent() && unwanted.contains(id)) {
            world.trace().note("operator", "deletes " + row.get().key().volumeId());
            world.made().deletionRequested(row.get().key());
            var unused = server.request(
                    "delete an orphan",
                    engine -> engine.volumes().delete(row.get().key()));
        }
    }

    /** The volumes that are still there. */
    String remaining() {
        StringBuilder text = new StringBuilder();
        world.orphans().addWithdrawn();
        for (String id : world.orphans().all()) {
            if (world.provider().created().contains(id)
                    || world.volume(ExternalVolumeId.of(id)).isPresent()) {
                text.append(" orphan ").append(id);
            }
        }
        return text.toString();
    }
}
