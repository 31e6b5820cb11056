package io.csi4j.simulation.internal.operator;

import static io.csi4j.simulation.internal.world.PlacedWorld.key;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.simulation.internal.node.ModelNodeSide;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.PortDecorator;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check of an answer to the operator finds the wrong answer that is given for it, and no other check reports it. */
class OperatorChecksTest {
    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private final SimWorld world = placed.world;
    private final SplittableRandom random = new SplittableRandom(1);
    private final SimServer server = new SimServer(world, new ModelNodeSide(world), random.split(), PortDecorator.NONE);
    private final SimVolumes volumes = new SimVolumes(world, random.split());
    private final SimSnapshotUser snapshots = new SimSnapshotUser(world, server, volumes, random.split());
    private final SimCreations creations = new SimCreations(world, server, volumes, random.split());
    private final RequestedChanges changes = new RequestedChanges(world, server, volumes, random.split());
    private final ExternalVolumeId volume = placed.volume("v");

    @AfterEach
    void close() {
        placed.close();
    }

    private static Snapshot ready(String id, ExternalVolumeId source) {
        return Snapshot.builder(SnapshotId.of(id), source).readyToUse(true).build();
    }

    private static VolumeGroupSnapshot ready(GroupSnapshotId id, Snapshot member) {
        return VolumeGroupSnapshot.builder(id)
                .readyToUse(true)
                .snapshots(List.of(member.toBuilder().groupSnapshotId(id).build()))
                .build();
    }

    private void expanded(long bytes) {
        changes.checkExpanded(
                key("v"),
                CapacityRange.atLeast(bytes),
                new ExpandResult(placed.row("v"), CompletableFuture.completedFuture(List.of())));
    }

    /** Waits until all snapshots of the provider are ready. */
    private void pass(Duration time) {
        world.scheduler().after(time, () -> {});
        placed.found();
    }

    @Test
    void findsNothingInRightAnswers() {
        Snapshot snapshot = world.providerSnapshots().snapshot("s", volume);
        VolumeGroupSnapshot group = world.providerSnapshots().group("g", List.of(volume));
        pass(Duration.ofMinutes(2));
        snapshots.checkCreated("s", key("v"), snapshot);
        snapshots.checkGroup("g", 1, group);
        snapshots.checkPresent("s", true);
        snapshots.checkDeleted("s", false);
        creations.checkCreated(key("w"), created(world.provider().create("w")));
        placed.found();
    }

    @Test
    void findsSnapshotThatTheProviderDoesNotHave() {
        Snapshot reported = ready("s#9", volume);
        snapshots.checkCreated("s", key("v"), reported);
        placed.found("R77: s of default/v is reported as " + reported + ", and the provider has Optional.empty");
    }

    @Test
    void findsSnapshotOfAnotherVolume() {
        Snapshot actual = world.providerSnapshots().snapshot("s", ExternalVolumeId.of("vol-w"));
        pass(Duration.ofMinutes(2));
        Snapshot reported = ready(actual.snapshotId().value(), volume);
        snapshots.checkCreated("s", key("v"), reported);
        placed.found("R77: s of default/v is reported as " + reported + ", and the provider has "
                + Optional.of(actual.toBuilder().readyToUse(true).build()));
    }

    @Test
    void findsReadySnapshotThatIsMissing() {
        snapshots.checkPresent("s", false);
        placed.found("R78: s was reported ready, but is missing before its deletion");
    }

    @Test
    void findsGroupThatTheProviderDoesNotHave() {
        VolumeGroupSnapshot reported = ready(GroupSnapshotId.of("g#9"), ready("g#9/vol-v", volume));
        snapshots.checkGroup("g", 1, reported);
        placed.found("R97: g is reported as " + reported + ", and the provider has Optional.empty");
    }

    @Test
    void findsGroupWithoutMember() {
        VolumeGroupSnapshot created = world.providerSnapshots().group("g", List.of(volume));
        pass(Duration.ofMinutes(2));
        snapshots.checkGroup("g", 2, created);
        placed.found("R97: g is reported as " + created + ", and the provider has "
                + world.providerSnapshots().find(created.groupSnapshotId()));
    }

    @Test
    void findsDeletedSnapshotThatTheProviderHas() {
        snapshots.checkDeleted("s", true);
        placed.found("R80: s is reported deleted, but the provider still has it");
    }

    @Test
    void findsExpansionThatTheProviderDoesNotHave() {
        expanded(10);
        placed.found("R82: default/v is reported to have 0 bytes, 10 were requested, and the provider has 0");
    }

    @Test
    void findsExpansionThatTheStateDoesNotHave() {
        world.provider().expand(volume, 10);
        expanded(10);
        placed.found("R82: default/v is reported to have 0 bytes, 10 were requested, and the provider has 10");
    }

    @Test
    void findsCreatedVolumeThatTheProviderDoesNotHave() {
        creations.checkCreated(key("v"), placed.row("v"));
        placed.found("R56: default/v is reported created, but the provider has no vol-v");
    }

    @Test
    void findsCreatedVolumeInAnotherPlaceThanReported() {
        ExternalVolumeId made = world.provider().create("w");
        Topology elsewhere = Topology.of("zone", "elsewhere");
        world.topology().put(made, Optional.of(TopologyRequirement.requisite(elsewhere)));
        creations.checkCreated(key("w"), created(made));
        placed.found("R53: default/w is reported created in [], it is in " + List.of(elsewhere) + ", and requested in "
                + List.of(elsewhere));
    }

    private static Volume created(ExternalVolumeId id) {
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .externalVolumeId(id)
                .requestedCapabilities(List.of(PlacedWorld.MOUNT))
                .build();
        return Volume.builder(key("w"), spec, 1, PlacedWorld.AT).build();
    }
}
