package io.csi4j.simulation.internal.operator;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.SnapshotRequest;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
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
 * A user of snapshots. It repeats each request under the same name until it is answered, and deletes each snapshot
 * later. At the end of the run, no snapshot may remain at the provider.
 */
public final class SimSnapshotUser {
    private static final int SNAPSHOTS = 3;
    private static final int GROUPS = 2;
    private static final Duration LIFETIME = Duration.ofMinutes(2);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(20);
    private static final Duration CHECK_INTERVAL = Duration.ofMinutes(2);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    /** The names of snapshots that were requested and are not known to be deleted. */
    private final Set<String> pending = new LinkedHashSet<>();

    public SimSnapshotUser(SimWorld world, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.world = world;
        this.server = server;
        this.volumes = volumes;
        this.random = random;
    }

    public void begin(SimConfig options) {
        if (!world.traits().snapshots()) {
            return;
        }
        long max = options.chaos().toNanos() * 4 / 5;
        for (int i = 0; i < SNAPSHOTS; i++) {
            String name = "s" + i;
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), () -> create(name));
        }
        for (int i = 0; i < GROUPS; i++) {
            String name = "g" + i;
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), () -> createGroup(name));
        }
    }

    private List<VolumeKey> sources(int max) {
        List<VolumeKey> keys = new ArrayList<>(volumes.declared());
        keys.removeIf(key -> !SimVolumes.attaches(key));
        SimVolumes.shuffle(keys, random);
        return keys.subList(0, Math.min(keys.size(), max));
    }

    private void create(String name) {
        List<VolumeKey> sources = sources(1);
        if (sources.isEmpty()) {
            return;
        }
        pending.add(name);
        SnapshotRequest request = SnapshotRequest.of(sources.get(0), name);
        retryUntilDone(
                "create snapshot " + name,
                () -> server.request(
                        "create snapshot", engine -> engine.snapshots().create(request)),
                snapshot -> {
                    checkCreated(name, request.volume(), snapshot);
                    world.scheduler().within(LIFETIME, () -> delete(name, snapshot.snapshotId()));
                });
    }

    /** The reported snapshot must exist, be ready to use, and have the requested source (R76, R77). */
    void checkCreated(String name, VolumeKey source, Snapshot reported) {
        Optional<Snapshot> actual = world.providerSnapshots().find(reported.snapshotId());
        ExternalVolumeId id = world.externalId(source);
        if (actual.isEmpty()
                || !actual.get().readyToUse()
                || !actual.get().sourceVolumeId().equals(id)) {
            world.reportViolation("R77: " + name + " of " + source + " is reported as " + reported
                    + ", and the provider has " + actual);
        }
    }

    private void delete(String name, SnapshotId id) {
        checkPresent(name, world.providerSnapshots().find(id).isPresent());
        retryUntilDone(
                "delete " + name,
                () -> server.request(
                        "delete snapshot", engine -> engine.snapshots().delete(SimVolumes.ATTACHING, id)),
                done -> checkDeleted(name, world.providerSnapshots().find(id).isPresent()));
    }

    private void createGroup(String name) {
        List<VolumeKey> sources = sources(1 + random.nextInt(3));
        if (sources.isEmpty()) {
            return;
        }
        pending.add(name);
        GroupSnapshotRequest request = new GroupSnapshotRequest(name, sources, Map.of());
        retryUntilDone(
                "create group snapshot " + name,
                () -> server.request(
                        "create group snapshot", engine -> engine.snapshots().createGroup(request)),
                group -> {
                    checkGroup(name, sources.size(), group);
                    world.scheduler().within(LIFETIME, () -> deleteGroup(name, group));
                });
    }

    /** The reported group must exist, be ready to use, and have a member of each source (R97). */
    void checkGroup(String name, int sources, VolumeGroupSnapshot reported) {
        Optional<VolumeGroupSnapshot> actual = world.providerSnapshots().find(reported.groupSnapshotId());
        if (actual.filter(VolumeGroupSnapshot::readyToUse).isEmpty()
                || reported.snapshots().size() != sources) {
            world.reportViolation("R97: " + name + " is reported as " + reported + ", and the provider has " + actual);
        }
    }

    private void deleteGroup(String name, VolumeGroupSnapshot group) {
        GroupSnapshotId id = group.groupSnapshotId();
        List<SnapshotId> members =
                group.snapshots().stream().map(Snapshot::snapshotId).toList();
        checkPresent(name, world.providerSnapshots().find(id).isPresent());
        retryUntilDone(
                "delete group " + name,
                () -> server.request(
                        "delete group snapshot",
                        engine -> engine.snapshots().deleteGroup(SimVolumes.ATTACHING, id, members)),
                done -> checkDeleted(name, world.providerSnapshots().find(id).isPresent()));
    }

    /** A snapshot or group that was ready exists until it is deleted (R78). */
    void checkPresent(String name, boolean actual) {
        if (!actual) {
            world.reportViolation("R78: " + name + " was reported ready, but is missing before its deletion");
        }
    }

    void checkDeleted(String name, boolean actual) {
        if (actual) {
            world.reportViolation("R80: " + name + " is reported deleted, but the provider still has it");
        }
        pending.remove(name);
    }

    /** Repeats a request until it is answered. A crashed server never completes its future. */
    private <R> void retryUntilDone(String action, Supplier<CompletableFuture<R>> operation, Consumer<R> onSuccess) {
        world.trace().note("operator", action);
        CompletableFuture<R> answer = operation.get();
        SimProcess target = server.lastTarget();
        var unused = answer.whenComplete((result, failure) -> {
            if (failure == null) {
                onSuccess.accept(result);
            } else {
                world.scheduler().within(RETRY_DELAY, () -> retryUntilDone(action, operation, onSuccess));
            }
        });
        world.scheduler()
                .after(
                        CHECK_INTERVAL,
                        () -> retryAfterCrash(target, answer, () -> retryUntilDone(action, operation, onSuccess)));
    }

    private void retryAfterCrash(SimProcess target, CompletableFuture<?> answer, Runnable retry) {
        if (answer.isDone()) {
            return;
        }
        if (target.alive()) {
            world.scheduler().after(CHECK_INTERVAL, () -> retryAfterCrash(target, answer, retry));
        } else {
            retry.run();
        }
    }

    /** The snapshots that are pending, or that remain at the provider. */
    public String remaining() {
        return pending.isEmpty() && world.providerSnapshots().names().isEmpty()
                ? ""
                : " snapshots pending " + pending + ", at the provider "
                        + world.providerSnapshots().names();
    }
}
