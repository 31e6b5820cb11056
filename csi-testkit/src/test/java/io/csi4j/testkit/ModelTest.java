package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Random calls, sensible and senseless ones, by three nodes on one storage; a naive model says for each which code it
 * has to be answered with. A failure names the seed and the calls before it.
 */
class ModelTest {
    private static final int CALLS = 500;
    private static final long CAPACITY = 100;
    private static final int ATTACH_LIMIT = 3;
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e", "f");
    private static final List<String> NODES = List.of("n0", "n1", "n2");
    private static final List<Mode> MODES = List.of(
            Mode.SINGLE_NODE_WRITER,
            Mode.SINGLE_NODE_SINGLE_WRITER,
            Mode.SINGLE_NODE_MULTI_WRITER,
            Mode.MULTI_NODE_READER_ONLY,
            Mode.MULTI_NODE_SINGLE_WRITER,
            Mode.MULTI_NODE_MULTI_WRITER);

    /** A volume as the model knows it. */
    private static final class Known {
        final Volume volume;
        final Mode mode;
        long bytes;
        final Map<String, Boolean> attachedReadonly = new TreeMap<>();
        final Map<String, Map<String, String>> contexts = new HashMap<>();
        final Map<String, String> staged = new HashMap<>();
        final Map<String, Map<String, Boolean>> published = new HashMap<>();

        Known(Volume volume, Mode mode) {
            this.volume = volume;
            this.mode = mode;
            this.bytes = volume.getCapacityBytes();
        }

        Map<String, Boolean> at(String node) {
            return published.computeIfAbsent(node, n -> new TreeMap<>());
        }

        boolean inUse(String node) {
            return staged.containsKey(node) || !at(node).isEmpty();
        }
    }

    private static boolean multiNode(Mode mode) {
        return mode.name().startsWith("MULTI_NODE");
    }

    private final Map<String, Known> known = new TreeMap<>();
    private final List<String> trace = new ArrayList<>();
    private final FakeStorage storage = FakeStorage.withoutFiles(CAPACITY);
    private final Map<String, Walk> walks = new TreeMap<>();
    private RandomGenerator random = new SplittableRandom(1);

    /** A call that can be made. */
    private interface Call {
        void run();
    }

    private void expect(Code expected, String what, Call call) {
        Code got = Code.OK;
        String text = "";
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            got = e.getStatus().getCode();
            text = String.valueOf(e.getStatus().getDescription());
        }
        trace.add(what + " -> " + got);
        assertThat(got)
                .as("%s answered '%s' after%n%s", what, text, String.join("\n", trace))
                .isEqualTo(expected);
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Walk walk(String node, Mode mode, long bytes) {
        Walk walk = Objects.requireNonNull(walks.get(node));
        walk.mode = mode;
        walk.bytes = bytes;
        return walk;
    }

    private long used() {
        return known.values().stream().mapToLong(one -> one.bytes).sum();
    }

    private void create() {
        String name = any(NAMES);
        Mode mode = any(MODES);
        long bytes = random.nextLong(1, 41);
        Walk walk = walk(any(NODES), mode, bytes);
        Known before = known.get(name);
        Code expected = before == null
                ? (used() + bytes > CAPACITY ? Code.RESOURCE_EXHAUSTED : Code.OK)
                : before.bytes >= bytes && covers(before.mode, mode) ? Code.OK : Code.ALREADY_EXISTS;
        expect(expected, "create " + name + " " + mode + " " + bytes, () -> {
            Volume volume = walk.create(name);
            if (before == null) {
                known.put(name, new Known(volume, mode));
            } else {
                assertThat(volume.getVolumeId()).isEqualTo(before.volume.getVolumeId());
            }
        });
    }

    private static boolean covers(Mode made, Mode wanted) {
        if (made == wanted || made == Mode.MULTI_NODE_MULTI_WRITER) {
            return true;
        }
        if (made == Mode.MULTI_NODE_SINGLE_WRITER) {
            return wanted != Mode.MULTI_NODE_MULTI_WRITER;
        }
        return (made == Mode.SINGLE_NODE_WRITER || made == Mode.SINGLE_NODE_MULTI_WRITER) && !multiNode(wanted);
    }

    private void delete() {
        String name = any(NAMES);
        Known one = known.get(name);
        String id = one == null ? "unknown" : one.volume.getVolumeId();
        boolean busy = one != null
                && (!one.attachedReadonly.isEmpty() || NODES.stream().anyMatch(one::inUse));
        expect(
                busy ? Code.FAILED_PRECONDITION : Code.OK,
                "delete " + name,
                () -> walk(any(NODES), Mode.SINGLE_NODE_WRITER, 1).delete(id));
        if (!busy) {
            known.remove(name);
        }
    }

    private static final Volume UNKNOWN =
            Volume.newBuilder().setVolumeId("unknown").build();

    private void attach() {
        String name = any(NAMES);
        String node = any(NODES);
        boolean readonly = random.nextInt(3) == 0;
        Known one = known.get(name);
        Walk walk = walk(node, one == null ? Mode.SINGLE_NODE_WRITER : one.mode, 1);
        Code expected;
        if (one == null) {
            expected = Code.NOT_FOUND;
        } else if (one.attachedReadonly.containsKey(node)) {
            expected = one.attachedReadonly.get(node) == readonly ? Code.OK : Code.ALREADY_EXISTS;
        } else if (!one.attachedReadonly.isEmpty() && !multiNode(one.mode)) {
            expected = Code.FAILED_PRECONDITION;
        } else if (one.mode == Mode.MULTI_NODE_SINGLE_WRITER
                && !readonly
                && one.attachedReadonly.containsValue(false)) {
            expected = Code.FAILED_PRECONDITION;
        } else {
            long taken = known.values().stream()
                    .filter(other -> other.attachedReadonly.containsKey(node))
                    .count();
            expected = taken >= ATTACH_LIMIT ? Code.RESOURCE_EXHAUSTED : Code.OK;
        }
        expect(expected, "attach " + name + " " + node + " " + readonly, () -> {
            Map<String, String> context = walk.attach(one == null ? UNKNOWN : one.volume, readonly);
            if (one != null) {
                one.attachedReadonly.put(node, readonly);
                one.contexts.put(node, context);
            }
        });
    }

    private void detach() {
        String name = any(NAMES);
        String node = any(NODES);
        Known one = known.get(name);
        boolean busy = one != null && one.attachedReadonly.containsKey(node) && one.inUse(node);
        expect(
                busy ? Code.FAILED_PRECONDITION : Code.OK,
                "detach " + name + " " + node,
                () -> walk(node, Mode.SINGLE_NODE_WRITER, 1)
                        .detach(one == null ? "unknown" : one.volume.getVolumeId()));
        if (one != null && !busy) {
            one.attachedReadonly.remove(node);
        }
    }

    private void stage() {
        String name = any(NAMES);
        String node = any(NODES);
        String path = "/staging/" + name + (random.nextInt(5) == 0 ? "-other" : "");
        Known one = known.get(name);
        Walk walk = walk(node, one == null ? Mode.SINGLE_NODE_WRITER : one.mode, 1);
        Code expected;
        if (one == null) {
            expected = Code.NOT_FOUND;
        } else if (one.staged.containsKey(node)) {
            expected = path.equals(one.staged.get(node)) ? Code.OK : Code.ALREADY_EXISTS;
        } else {
            expected = one.attachedReadonly.containsKey(node) ? Code.OK : Code.FAILED_PRECONDITION;
        }
        expect(expected, "stage " + name + " " + node + " " + path, () -> {
            walk.stage(
                    one == null ? UNKNOWN : one.volume,
                    one == null ? Map.of() : one.contexts.getOrDefault(node, Map.of()),
                    path);
            if (one != null) {
                one.staged.put(node, path);
            }
        });
    }

    private void unstage() {
        String name = any(NAMES);
        String node = any(NODES);
        Known one = known.get(name);
        String path = one == null ? "/staging/x" : one.staged.getOrDefault(node, "/staging/" + name);
        Code expected = one == null
                ? Code.NOT_FOUND
                : one.staged.containsKey(node) && !one.at(node).isEmpty() ? Code.FAILED_PRECONDITION : Code.OK;
        expect(expected, "unstage " + name + " " + node, () -> {
            walk(node, Mode.SINGLE_NODE_WRITER, 1).unstage(one == null ? "unknown" : one.volume.getVolumeId(), path);
            if (one != null) {
                one.staged.remove(node);
            }
        });
    }

    private void publish() {
        String name = any(NAMES);
        String node = any(NODES);
        String target = "/pods/" + name + random.nextInt(3);
        boolean readonly = random.nextBoolean();
        Known one = known.get(name);
        Walk walk = walk(node, one == null ? Mode.SINGLE_NODE_WRITER : one.mode, 1);
        String staging = one == null ? "/staging/x" : one.staged.getOrDefault(node, "/staging/" + name);
        expect(
                publishCode(one, node, target, readonly),
                "publish " + name + " " + node + " " + target + " " + readonly,
                () -> {
                    walk.publish(
                            one == null ? UNKNOWN : one.volume,
                            one == null ? Map.of() : one.contexts.getOrDefault(node, Map.of()),
                            staging,
                            target,
                            readonly);
                    if (one != null) {
                        one.at(node).put(target, readonly);
                    }
                });
    }

    private static Code publishCode(Known one, String node, String target, boolean readonly) {
        if (one == null) {
            return Code.NOT_FOUND;
        }
        Boolean same = one.at(node).get(target);
        if (same != null) {
            return same == readonly ? Code.OK : Code.ALREADY_EXISTS;
        }
        boolean manyPaths = multiNode(one.mode) || one.mode == Mode.SINGLE_NODE_MULTI_WRITER;
        if (!one.at(node).isEmpty() && !manyPaths) {
            return Code.FAILED_PRECONDITION;
        }
        if (!one.staged.containsKey(node)) {
            return Code.FAILED_PRECONDITION;
        }
        boolean reads = readonly || one.mode == Mode.MULTI_NODE_READER_ONLY;
        if (!reads && one.attachedReadonly.get(node)) {
            return Code.FAILED_PRECONDITION;
        }
        boolean writtenElsewhere = NODES.stream()
                .filter(other -> !other.equals(node))
                .anyMatch(other -> one.at(other).containsValue(false));
        return one.mode == Mode.MULTI_NODE_SINGLE_WRITER && !reads && writtenElsewhere
                ? Code.FAILED_PRECONDITION
                : Code.OK;
    }

    private void unpublish() {
        String name = any(NAMES);
        String node = any(NODES);
        String target = "/pods/" + name + random.nextInt(3);
        Known one = known.get(name);
        expect(one == null ? Code.NOT_FOUND : Code.OK, "unpublish " + name + " " + node + " " + target, () -> {
            walk(node, Mode.SINGLE_NODE_WRITER, 1)
                    .unpublish(one == null ? "unknown" : one.volume.getVolumeId(), target);
            if (one != null) {
                one.at(node).remove(target);
            }
        });
    }

    private void expand() {
        String name = any(NAMES);
        long bytes = random.nextLong(1, 61);
        Known one = known.get(name);
        long more = one == null ? 0 : Math.max(0, bytes - one.bytes);
        Code expected = one == null ? Code.NOT_FOUND : used() + more > CAPACITY ? Code.OUT_OF_RANGE : Code.OK;
        expect(expected, "expand " + name + " " + bytes, () -> {
            long got = walk(any(NODES), Mode.SINGLE_NODE_WRITER, 1)
                    .client
                    .controller()
                    .controllerExpandVolume(ControllerExpandVolumeRequest.newBuilder()
                            .setVolumeId(one == null ? "unknown" : one.volume.getVolumeId())
                            .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(bytes))
                            .build())
                    .getCapacityBytes();
            if (one != null) {
                one.bytes += more;
                assertThat(got).isEqualTo(one.bytes);
            }
        });
    }

    /** What can be seen from outside is what the model knows. */
    private void compare() {
        Map<String, String> reported = new TreeMap<>();
        walk("n0", Mode.SINGLE_NODE_WRITER, 1)
                .client
                .controller()
                .listVolumes(ListVolumesRequest.getDefaultInstance())
                .getEntriesList()
                .forEach(entry -> reported.put(
                        entry.getVolume().getVolumeId(),
                        entry.getVolume().getCapacityBytes() + " on "
                                + new TreeSet<>(entry.getStatus().getPublishedNodeIdsList())));
        Map<String, String> expected = new TreeMap<>();
        known.values().forEach(one -> {
            expected.put(one.volume.getVolumeId(), one.bytes + " on " + one.attachedReadonly.keySet());
            TreeSet<String> paths = new TreeSet<>(one.staged.values());
            one.published.values().forEach(targets -> paths.addAll(targets.keySet()));
            assertThat(storage.pathsInUse(one.volume.getVolumeId())).isEqualTo(paths);
        });
        assertThat(reported).as(String.join("\n", trace)).isEqualTo(expected);
    }

    /** The plugins of all nodes. */
    private final class Cluster implements AutoCloseable {
        private final List<PluginClient> clients = new ArrayList<>();
        private final List<FakeCsiPlugin> plugins = new ArrayList<>();

        Cluster() {
            for (String node : NODES) {
                FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                        .nodeId(node)
                        .storage(storage)
                        .attachLimit(ATTACH_LIMIT)
                        .build()
                        .startInProcess();
                plugins.add(plugin);
                clients.add(PluginClient.inProcess(plugin));
                walks.put(node, new Walk(clients.get(clients.size() - 1), node));
            }
        }

        long overlappingCalls() {
            return plugins.get(0).overlappingCalls();
        }

        @Override
        public void close() {
            clients.forEach(PluginClient::close);
            plugins.forEach(FakeCsiPlugin::close);
        }
    }

    @RepeatedTest(8)
    void fakePluginResponsesEqualModelInRandomRuns(RepetitionInfo repetition) {
        long seed = Long.getLong("csi4j.seed", 4711L + repetition.getCurrentRepetition());
        trace.add("seed " + seed + ", to be repeated with -Dcsi4j.seed=" + seed);
        random = new SplittableRandom(seed);
        // The more often a call stands here, the more often it is made, so that volumes get far.
        List<Call> calls = List.of(
                this::create,
                this::create,
                this::attach,
                this::attach,
                this::stage,
                this::stage,
                this::publish,
                this::publish,
                this::publish,
                this::unpublish,
                this::unpublish,
                this::unstage,
                this::detach,
                this::delete,
                this::expand);
        try (Cluster cluster = new Cluster()) {
            for (int i = 0; i < CALLS; i++) {
                any(calls).run();
                compare();
            }
            assertThat(cluster.overlappingCalls()).isZero();
        }
    }
}
