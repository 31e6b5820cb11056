package io.csi4j.testkit.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.ListSnapshotsRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.proto.csi.v1.VolumeContentSource;
import io.csi4j.proto.csi.v1.VolumeGroupSnapshot;
import io.csi4j.testkit.Machine;
import io.csi4j.testkit.internal.disk.DirectoryData;
import io.csi4j.testkit.internal.disk.RealMounts;
import io.csi4j.testkit.internal.node.FakeNodeVolumes;
import io.csi4j.testkit.internal.node.NodeEffects;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NamedRequests;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.csi4j.testkit.internal.storage.SnapshotRecord;
import io.csi4j.testkit.internal.storage.StoredAttachments;
import io.csi4j.testkit.internal.storage.StoredGroups;
import io.csi4j.testkit.internal.storage.StoredSnapshots;
import io.csi4j.testkit.internal.storage.StoredVolumes;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Dies at every checkpoint of a volume's life in turn. What is found afterwards has to be whole: each record has its
 * contents and its mounts, nothing is there without a record, and the life goes on where it was cut off.
 */
class CrashTest {
    private static final String NODE = "node-1";
    private static final String A = "stays the same under every crash";

    @TempDir
    Path directory;

    /** Not caught by anything in the plugin, so that nothing is tidied up, as by a kill. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed at a checkpoint", null, false, false);
        }
    }

    /** The storage as a new process finds it. */
    private static final class World {
        final Path home;
        final Backend backend;
        final StoredVolumes volumes;
        final StoredAttachments attachments;
        final StoredSnapshots snapshots;
        final StoredGroups groups;
        final FakeNodeVolumes node;
        final boolean block;
        final boolean mounts;

        World(Path home, boolean block, boolean mounts) {
            this.home = home;
            this.block = block;
            this.mounts = mounts;
            FileStore store = new FileStore(home.resolve("state"), "t");
            DirectoryData data = new DirectoryData(store.directory());
            backend = new Backend(store, id -> store.below("node-state", id), data, 1L << 30, Clock.systemUTC());
            backend.store().locked(() -> backend);
            backend.register(new NodeRecord(NODE, Map.of(), 0));
            NodeShelf shelf = backend.shelf(NODE);
            node = new FakeNodeVolumes(backend, shelf, mounts ? new RealMounts(data) : NodeEffects.NONE, true, true);
            node.recover();
            volumes = new StoredVolumes(backend);
            attachments = new StoredAttachments(backend);
            snapshots = new StoredSnapshots(backend);
            groups = new StoredGroups(backend);
        }

        VolumeCapability capability() {
            VolumeCapability.Builder capability = VolumeCapability.newBuilder();
            capability.getAccessModeBuilder().setMode(Mode.SINGLE_NODE_WRITER);
            if (block) {
                capability.getBlockBuilder();
            } else {
                capability.getMountBuilder();
            }
            return capability.build();
        }

        Volume create(String name, VolumeContentSource source) {
            CreateVolumeRequest.Builder request = CreateVolumeRequest.newBuilder()
                    .setName(name)
                    .addVolumeCapabilities(capability())
                    .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(1 << 20));
            if (source.getTypeCase() != VolumeContentSource.TypeCase.TYPE_NOT_SET) {
                request.setVolumeContentSource(source);
            }
            new NamedRequests(backend).arrived(request.build());
            return volumes.create(request.build(), new StoredVolumes.Origin(false, Map.of(), false));
        }

        VolumeRecord named(String name) {
            return volumes.list(0, "", 0, false).rows().stream()
                    .filter(one -> one.request().getName().equals(name))
                    .findAny()
                    .orElseThrow();
        }

        Snapshot snapshot() {
            CreateSnapshotRequest request = CreateSnapshotRequest.newBuilder()
                    .setName("s")
                    .setSourceVolumeId(named("a").id())
                    .build();
            new NamedRequests(backend).arrived(request);
            return snapshots.create(request, false);
        }

        void grow(String name) {
            VolumeRecord record = named(name);
            volumes.expand(
                    record.id(),
                    CapacityRange.newBuilder()
                            .setRequiredBytes(record.bytes() + (1 << 20))
                            .build(),
                    false,
                    false);
        }

        VolumeGroupSnapshot group() {
            CreateVolumeGroupSnapshotRequest request = CreateVolumeGroupSnapshotRequest.newBuilder()
                    .setName("g")
                    .addSourceVolumeIds(named("a").id())
                    .addSourceVolumeIds(named("b").id())
                    .build();
            new NamedRequests(backend).arrived(request);
            return groups.create(request);
        }

        String staging() {
            return home.resolve("staging").toString();
        }

        Path target() {
            return home.resolve("pods/target");
        }

        NodeStageVolumeRequest stageRequest() {
            VolumeRecord a = named("a");
            return NodeStageVolumeRequest.newBuilder()
                    .setVolumeId(a.id())
                    .setStagingTargetPath(staging())
                    .setVolumeCapability(capability())
                    .putAllVolumeContext(a.volume().getVolumeContextMap())
                    .putAllPublishContext(a.attachments().get(NODE).publishContext())
                    .build();
        }

        NodePublishVolumeRequest publishRequest() {
            NodeStageVolumeRequest staged = stageRequest();
            return NodePublishVolumeRequest.newBuilder()
                    .setVolumeId(staged.getVolumeId())
                    .setStagingTargetPath(staging())
                    .setTargetPath(target().toString())
                    .setVolumeCapability(capability())
                    .putAllVolumeContext(staged.getVolumeContextMap())
                    .putAllPublishContext(staged.getPublishContextMap())
                    .build();
        }

        /** After a completed operation, exactly the names of existing objects are taken. */
        void requireNames() throws Exception {
            Set<String> objects = new TreeSet<>();
            volumes.list(0, "", 0, false).rows().forEach(one -> objects.add(one.id()));
            snapshots.list(ListSnapshotsRequest.getDefaultInstance(), 0).rows().forEach(one -> {
                String group = one.snapshot().getGroupSnapshotId();
                objects.add(group.isEmpty() ? one.id() : group);
            });
            assertThat(names(home.resolve("state/requests"))).hasSameSizeAs(objects);
        }

        /** What must be true whenever somebody looks. */
        void requireWhole() throws Exception {
            assertThat(home.resolve("state/intent")).doesNotExist();
            Set<String> records = volumes.list(0, "", 0, false).rows().stream()
                    .map(VolumeRecord::id)
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(names(home.resolve("state/data/volumes"))).isEqualTo(records);
            Set<String> snapshotRecords = snapshots.list(ListSnapshotsRequest.getDefaultInstance(), 0).rows().stream()
                    .map(SnapshotRecord::id)
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(names(home.resolve("state/data/snapshots"))).isEqualTo(snapshotRecords);
            Set<String> held = backend.shelf(NODE).volumes().all().stream()
                    .flatMap(one -> one.paths().stream())
                    .collect(Collectors.toCollection(TreeSet::new));
            if (mounts && !block) {
                assertThat(mountPoints(home)).isEqualTo(held);
            }
            if (mounts && block) {
                assertThat(mountPoints(home))
                        .isEqualTo(held.contains(target().toString()) ? Set.of(target().toString()) : Set.of());
                assertThat(loops(home)).hasSize(held.isEmpty() ? 0 : 1);
            }
            if (mounts) {
                assertThat(Files.exists(target())).isEqualTo(held.contains(target().toString()));
            }
        }
    }

    /** Something done to a world; it can be repeated after a crash. */
    private interface Deed {
        void doTo(World world) throws Exception;
    }

    /** A step of a volume's life and the way back. */
    private record Step(String name, Deed forth, Deed back) {}

    private static VolumeContentSource copyOf(VolumeRecord volume) {
        VolumeContentSource.Builder source = VolumeContentSource.newBuilder();
        source.getVolumeBuilder().setVolumeId(volume.id());
        return source.build();
    }

    private static void deleteNamed(World world, String name) {
        world.volumes.list(0, "", 0, false).rows().stream()
                .filter(one -> one.request().getName().equals(name))
                .forEach(one -> world.volumes.delete(one.id()));
    }

    private static void deleteSnapshots(World world) {
        world.snapshots
                .list(ListSnapshotsRequest.getDefaultInstance(), 0)
                .rows()
                .forEach(one -> world.snapshots.delete(one.id()));
    }

    private static void deleteGroup(World world) {
        List<SnapshotRecord> members =
                world.snapshots.list(ListSnapshotsRequest.getDefaultInstance(), 0).rows().stream()
                        .filter(one -> !one.snapshot().getGroupSnapshotId().isEmpty())
                        .toList();
        if (!members.isEmpty()) {
            world.groups.delete(
                    members.get(0).snapshot().getGroupSnapshotId(),
                    members.stream().map(SnapshotRecord::id).toList());
        }
    }

    private static final List<Step> LIFE = List.of(
            new Step(
                    "create",
                    world -> world.create("a", VolumeContentSource.getDefaultInstance()),
                    world -> deleteNamed(world, "a")),
            new Step(
                    "attach",
                    world -> world.attachments.publish(
                            ControllerPublishVolumeRequest.newBuilder()
                                    .setVolumeId(world.named("a").id())
                                    .setNodeId(NODE)
                                    .setVolumeCapability(world.capability())
                                    .build(),
                            true),
                    world -> world.attachments.unpublish(world.named("a").id(), NODE)),
            new Step(
                    "stage",
                    world -> world.node.stage(world.stageRequest()),
                    world -> world.node.unstage(world.named("a").id(), world.staging())),
            new Step(
                    "publish",
                    world -> {
                        world.node.publish(world.publishRequest());
                        if (world.mounts && !world.block) {
                            Files.writeString(world.target().resolve("file"), A);
                        }
                    },
                    world -> world.node.unpublish(
                            world.named("a").id(), world.target().toString())),
            new Step("snapshot", World::snapshot, CrashTest::deleteSnapshots),
            new Step("clone", world -> world.create("b", copyOf(world.named("a"))), world -> deleteNamed(world, "b")),
            new Step("expand", world -> world.grow("b"), world -> world.grow("b")),
            // The other snapshot has to be gone, so that those that are found are the group's.
            new Step("remove the snapshot", CrashTest::deleteSnapshots, CrashTest::deleteSnapshots),
            new Step("group", World::group, CrashTest::deleteGroup));

    @AfterEach
    void tidyUp() throws Exception {
        Checkpoint.hook = () -> {};
        for (String point : mountPoints(directory)) {
            run("umount", point);
        }
        for (String device : loops(directory)) {
            run("losetup", "--detach", device);
        }
    }

    /** Dies at every checkpoint of every step and of the way back; tells how many there were. */
    private int dieAtEach(boolean block, boolean mounts) throws Exception {
        Files.createDirectory(directory.resolve("staging"));
        Files.createDirectory(directory.resolve("pods"));
        World world = new World(directory, block, mounts);
        int deaths = 0;
        for (Step step : LIFE) {
            boolean died = true;
            for (int checkpoint = 1; died; checkpoint++) {
                World before = world;
                world = dieIn(step.name(), step.forth(), world, checkpoint);
                deaths += world == before ? 0 : 1;
                died = world != before;
                before = world;
                world = dieIn("back from " + step.name(), step.back(), world, checkpoint);
                deaths += world == before ? 0 : 1;
                died |= world != before;
            }
            step.forth().doTo(world);
        }
        if (mounts && !block) {
            assertThat(world.target().resolve("file")).hasContent(A);
        }
        for (int i = LIFE.size() - 1; i >= 0; i--) {
            LIFE.get(i).back().doTo(world);
            world.requireWhole();
        }
        assertThat(names(directory.resolve("state/data/volumes"))).isEmpty();
        assertThat(names(directory.resolve("state/data/snapshots"))).isEmpty();
        assertThat(names(directory.resolve("state/requests"))).isEmpty();
        assertThat(mountPoints(directory)).isEmpty();
        assertThat(loops(directory)).isEmpty();
        return deaths;
    }

    /** Does something and dies on the way, if it is that long; another world is the one after the death. */
    private World dieIn(String what, Deed deed, World world, int checkpoint) throws Exception {
        AtomicInteger reached = new AtomicInteger();
        Checkpoint.hook = () -> {
            if (reached.incrementAndGet() == checkpoint) {
                throw new Killed();
            }
        };
        World after = world;
        try {
            deed.doTo(world);
        } catch (Killed e) {
            Checkpoint.hook = () -> {};
            after = new World(directory, world.block, world.mounts);
            after.requireWhole();
            deed.doTo(after);
        } catch (RuntimeException e) {
            throw new AssertionError(what + " failed before checkpoint " + checkpoint, e);
        } finally {
            Checkpoint.hook = () -> {};
        }
        after.requireWhole();
        after.requireNames();
        return after;
    }

    @Test
    void recordsAndContentsStayConsistentAfterCrashAtAnyCheckpoint() throws Exception {
        assertThat(dieAtEach(false, false)).isGreaterThan(60);
    }

    @Test
    void mountsStayConsistentAfterCrashAtAnyCheckpoint() throws Exception {
        Machine.assumeRoot();
        assertThat(dieAtEach(false, true)).isGreaterThan(90);
    }

    @Test
    void loopDevicesStayConsistentAfterCrashAtAnyCheckpoint() throws Exception {
        Machine.assumeRoot();
        Machine.assumeLoopDevices();
        assertThat(dieAtEach(true, true)).isGreaterThan(90);
    }

    private static Set<String> names(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> mountPoints(Path below) throws IOException {
        Set<String> points = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            String point = line.split(" ", -1)[4];
            if (point.startsWith(below.toRealPath() + "/")) {
                points.add(point);
            }
        }
        return points;
    }

    private static Set<String> loops(Path below) throws Exception {
        Set<String> devices = new TreeSet<>();
        for (String line : run("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE")
                .split("\n", -1)) {
            String[] columns = line.strip().split("\\s+", -1);
            if (columns.length > 1 && columns[1].startsWith(below.toRealPath() + "/")) {
                devices.add(columns[0]);
            }
        }
        return devices;
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.strip();
    }
}
