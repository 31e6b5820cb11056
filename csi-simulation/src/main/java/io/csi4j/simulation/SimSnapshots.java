package io.csi4j.simulation;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.SnapshotRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Somebody who has snapshots cut, keeps their names, asks again under the same name until he is answered, and deletes
 * what he got: nothing may be left at the provider.
 */
final class SimSnapshots {
    private static final int SNAPSHOTS = 3;
    private static final int GROUPS = 2;
    private static final Duration LIFE = Duration.ofMinutes(2);
    private static final Duration AGAIN = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    /** The names of those that were wanted, and are not known to be gone. */
    private final Set<String> open = new LinkedHashSet<>();

    SimSnapshots(SimWorld world, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.random = random;
    }

    void begin(SimulationOptions options) {
        if (!world.traits().snapshots()) {
            return;
        }
        long most = options.chaos().toNanos() * 4 / 5;
        for (int i = 0; i < SNAPSHOTS; i++) {
            String name = "s" + i;
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), () -> cut(name));
        }
        for (int i = 0; i < GROUPS; i++) {
            String name = "g" + i;
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), () -> cutGroup(name));
        }
    }

    private List<VolumeKey> sources(int most) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        keys.removeIf(key -> !SimVolumes.attaches(key));
        SimVolumes.shuffle(keys, random);
        return keys.subList(0, Math.min(keys.size(), most));
    }

    private void cut(String name) {
        List<VolumeKey> sources = sources(1);
        if (sources.isEmpty()) {
            return;
        }
        open.add(name);
        SnapshotRequest request = SnapshotRequest.of(sources.get(0), name);
        untilDone(
                "cut " + name,
                () -> server.ask("create snapshot", engine -> engine.snapshots().create(request)),
                snapshot -> {
                    told(name, request.volume(), snapshot);
                    world.scheduler().soon(LIFE, () -> delete(name, snapshot.snapshotId()));
                });
    }

    /** It is there, it can be used, and it is what was asked for (R76, R77). */
    private void told(String name, VolumeKey source, Snapshot told) {
        Optional<Snapshot> there = world.cuts().find(told.snapshotId());
        ExternalVolumeId id = world.externalId(source);
        if (there.isEmpty()
                || !there.get().readyToUse()
                || !there.get().sourceVolumeId().equals(id)) {
            world.violated(
                    "R77: " + name + " of " + source + " is said to be " + told + ", and the provider has " + there);
        }
    }

    private void delete(String name, SnapshotId id) {
        if (world.cuts().find(id).isEmpty()) {
            world.violated("R78: " + name + " was said to be ready, and is gone before anybody deleted it");
        }
        untilDone(
                "delete " + name,
                () -> server.ask("delete snapshot", engine -> engine.snapshots().delete(SimVolumes.ATTACHING, id)),
                done -> gone(name, world.cuts().find(id).isPresent()));
    }

    private void cutGroup(String name) {
        List<VolumeKey> sources = sources(1 + random.nextInt(3));
        if (sources.isEmpty()) {
            return;
        }
        open.add(name);
        GroupSnapshotRequest request = new GroupSnapshotRequest(name, sources, Map.of());
        untilDone(
                "cut group " + name,
                () -> server.ask(
                        "create group snapshot", engine -> engine.snapshots().createGroup(request)),
                group -> {
                    Optional<VolumeGroupSnapshot> there = world.cuts().find(group.groupSnapshotId());
                    if (there.filter(VolumeGroupSnapshot::readyToUse).isEmpty()
                            || group.snapshots().size() != sources.size()) {
                        world.violated("R97: " + name + " is said to be " + group + ", and the provider has " + there);
                    }
                    world.scheduler().soon(LIFE, () -> deleteGroup(name, group));
                });
    }

    private void deleteGroup(String name, VolumeGroupSnapshot group) {
        GroupSnapshotId id = group.groupSnapshotId();
        List<SnapshotId> members =
                group.snapshots().stream().map(Snapshot::snapshotId).toList();
        if (world.cuts().find(id).isEmpty()) {
            world.violated("R78: " + name + " was said to be ready, and is gone before anybody deleted it");
        }
        untilDone(
                "delete group " + name,
                () -> server.ask(
                        "delete group snapshot",
                        engine -> engine.snapshots().deleteGroup(SimVolumes.ATTACHING, id, members)),
                done -> gone(name, world.cuts().find(id).isPresent()));
    }

    private void gone(String name, boolean there) {
        if (there) {
            world.violated("R80: " + name + " is said to be deleted, and the provider has it");
        }
        open.remove(name);
    }

    /** Asks until it is answered; nobody answers for a server that crashed. */
    private <R> void untilDone(String what, Supplier<CompletableFuture<R>> asking, Consumer<R> then) {
        world.trace().note("operator", what);
        CompletableFuture<R> answer = asking.get();
        SimProcess asked = server.asked();
        var unused = answer.whenComplete((result, failure) -> {
            if (failure == null) {
                then.accept(result);
            } else {
                world.scheduler().soon(AGAIN, () -> untilDone(what, asking, then));
            }
        });
        world.scheduler().after(PATIENCE, () -> lookAgain(asked, answer, () -> untilDone(what, asking, then)));
    }

    private void lookAgain(SimProcess asked, CompletableFuture<?> answer, Runnable again) {
        if (answer.isDone()) {
            return;
        }
        if (asked.alive()) {
            world.scheduler().after(PATIENCE, () -> lookAgain(asked, answer, again));
        } else {
            again.run();
        }
    }

    /** What is wanted still, or is left at the provider although nobody wants it. */
    String remains() {
        return open.isEmpty() && world.cuts().all().isEmpty()
                ? ""
                : " snapshots wanted " + open + ", at the provider "
                        + world.cuts().all();
    }
}
