package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One test for each thing that must not happen between transactions, named after it (I11, S10). */
class StoreIsolationTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final VolumeKey V = Cluster.key("v");

    private final StateStore store = StateStore.create();
    private final Cluster cluster = new Cluster(store);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
    }

    @Test
    void dirtyRead() {
        cluster.node("n", "p");
        StateReader before = store.snapshot();
        try (WriteTransaction transaction = store.begin(SOON)) {
            transaction.removeNode(NodeId.of("n"));
            assertThat(transaction.node(NodeId.of("n"))).isEmpty();
            assertThat(store.snapshot()).isSameAs(before);
            assertThat(store.snapshot().node(NodeId.of("n"))).isPresent();
        }
        assertThat(store.snapshot()).isSameAs(before);
    }

    @Test
    void nonRepeatableRead() {
        cluster.node("n", "p").volume("v", "p").allocation("a", "n");
        StateReader snapshot = store.snapshot();
        Volume first = snapshot.volume(V).orElseThrow();
        cluster.claim("v", "a");
        assertThat(snapshot.volume(V).orElseThrow()).isSameAs(first);
        assertThat(first.claims().isEmpty()).isTrue();
        assertThat(store.snapshot().volume(V).orElseThrow().claims().size()).isOne();
    }

    @Test
    void phantom() {
        cluster.volume("v1", "p").volume("v3", "p");
        StateReader snapshot = store.snapshot();
        List<Volume> first = snapshot.volumes(VolumeQuery.all()).items();
        cluster.volume("v2", "p");
        cluster.accepted(new VolumeCommand.DeregisterVolume(Cluster.key("v3"), false, Cluster.AT));
        assertThat(snapshot.volumes(VolumeQuery.all()).items()).isEqualTo(first);
        assertThat(snapshot.volumesOf(PluginId.of("p"))).containsExactly(Cluster.key("v1"), Cluster.key("v3"));
        assertThat(store.snapshot().volumesOf(PluginId.of("p"))).containsExactly(Cluster.key("v1"), Cluster.key("v2"));
    }

    @Test
    void phantomInAWalkThatWritesMeanwhile() {
        for (int i = 0; i < 500; i++) {
            cluster.volume("v" + (1000 + i), "p");
        }
        try (WriteTransaction transaction = store.begin(SOON)) {
            int walked = 0;
            // A walk sees what was there when it began, even if its own transaction writes on.
            for (VolumeKey key : transaction.volumesOf(PluginId.of("p"))) {
                transaction.removeVolume(key);
                walked++;
            }
            assertThat(walked).isEqualTo(500);
            assertThat(transaction.volumesOf(PluginId.of("p"))).isEmpty();
            transaction.commit(store.snapshot().index() + 1);
        }
        assertThat(store.snapshot().volumes(VolumeQuery.all()).items()).isEmpty();
    }

    @Test
    void lostUpdate() throws Exception {
        cluster.node("n", "p").volume("v", "p");
        int each = 150;
        for (int i = 0; i < 4 * each; i++) {
            cluster.allocation("a" + i, "n");
        }
        List<Callable<Integer>> writers = new ArrayList<>();
        for (int w = 0; w < 4; w++) {
            int first = w * each;
            writers.add(() -> {
                for (int i = first; i < first + each; i++) {
                    assertThat(store.apply(Cluster.take("v", "a" + i, Cluster.SHARED))
                                    .accepted())
                            .isTrue();
                }
                return each;
            });
        }
        all(writers);
        Volume volume = store.snapshot().volume(V).orElseThrow();
        assertThat(volume.claims().size()).isEqualTo(4 * each);
        assertThat(store.snapshot().index()).isEqualTo(volume.modifyIndex());
    }

    @Test
    void writeSkew() throws Exception {
        cluster.node("n1", "p").node("n2", "p");
        for (int round = 0; round < 200; round++) {
            String volume = "v" + round;
            cluster.volume(volume, "p").allocation("a" + round, "n1").allocation("b" + round, "n2");
            CountDownLatch start = new CountDownLatch(1);
            String[] allocations = {"a" + round, "b" + round};
            List<Future<Outcome>> outcomes = new ArrayList<>();
            for (String allocation : allocations) {
                outcomes.add(threads.submit(() -> {
                    start.await();
                    return store.apply(Cluster.take(volume, allocation, Cluster.SINGLE));
                }));
            }
            start.countDown();
            int accepted = 0;
            for (Future<Outcome> outcome : outcomes) {
                accepted += outcome.get(30, TimeUnit.SECONDS).accepted() ? 1 : 0;
            }
            // Each alone is allowed; both would be two writers of a single-node volume.
            assertThat(accepted).isOne();
        }
    }

    @Test
    void readSkew() throws Exception {
        cluster.node("n", "p").volume("v", "p").volume("w", "p");
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger seen = new AtomicInteger();
        Future<Integer> reader = threads.submit(() -> {
            int torn = 0;
            while (!stop.get()) {
                StateReader snapshot = store.snapshot();
                int left = snapshot.volume(V).orElseThrow().claims().size();
                int right =
                        snapshot.volume(Cluster.key("w")).orElseThrow().claims().size();
                long running = 0;
                for (VolumeKey key : snapshot.volumesOn(NodeId.of("n"))) {
                    running += key.volumeId().value().length();
                }
                torn += left != right || running != left + right ? 1 : 0;
                seen.incrementAndGet();
            }
            return torn;
        });
        int rounds = 0;
        while (rounds < 300 || seen.get() < 300) {
            String allocation = "a" + rounds++;
            cluster.allocation(allocation, "n");
            try (WriteTransaction transaction = store.begin(SOON)) {
                for (String id : List.of("v", "w")) {
                    Volume volume = transaction.volume(Cluster.key(id)).orElseThrow();
                    transaction.putVolume(
                            volume.claims().isEmpty()
                                    ? volume.toBuilder()
                                            .claims(volume.claims().with(taken(allocation)))
                                            .build()
                                    : volume.toBuilder().claims(Claims.empty()).build());
                }
                transaction.commit(transaction.index() + 1);
            }
        }
        stop.set(true);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void anAllocationThatEndsReleasesItsClaimsInTheSameVersion() throws Exception {
        cluster.node("n", "p").volume("v", "p").volume("w", "p").allocation("a", "n");
        cluster.claim("v", "a").claim("w", "a");
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        Future<Integer> reader = threads.submit(() -> {
            int torn = 0;
            while (!stop.get()) {
                StateReader snapshot = store.snapshot();
                boolean ended = snapshot.allocation(AllocationId.of("a"))
                        .map(allocation -> allocation.status() == AllocationStatus.ENDED)
                        .orElse(true);
                for (String id : List.of("v", "w")) {
                    ClaimState state = snapshot.volume(Cluster.key(id))
                            .flatMap(volume -> volume.claims().get(AllocationId.of("a")))
                            .orElseThrow()
                            .state();
                    torn += ended != (state == ClaimState.UNPUBLISHING) ? 1 : 0;
                }
                reading.countDown();
            }
            return torn;
        });
        assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
        cluster.accepted(Cluster.allocation("a", "n", AllocationStatus.ENDED));
        stop.set(true);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(store.snapshot().unsettledVolumes()).containsExactly(V, Cluster.key("w"));
    }

    /** S10: instances of one plugin start and stop on many nodes at once; the counts are those of the rows, always. */
    @Test
    void pluginCountsWithConcurrentStops() throws Exception {
        PluginId plugin = PluginId.of("p");
        int nodes = 16;
        cluster.accepted(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(DeploymentId.of("default", "csi"), Map.of(plugin, new ExpectedInstances(0, nodes))),
                Cluster.AT));
        AtomicBoolean stop = new AtomicBoolean();
        Future<Integer> reader = threads.submit(() -> {
            int wrong = 0;
            while (!stop.get()) {
                StateReader snapshot = store.snapshot();
                int rows = 0;
                for (PluginInstance instance : snapshot.instances()) {
                    rows += instance.key().pluginId().equals(plugin) && instance.healthy() ? 1 : 0;
                }
                wrong += snapshot.plugin(plugin).healthyNodes() != rows
                                || snapshot.plugin(plugin).expected().nodes() != nodes
                        ? 1
                        : 0;
            }
            return wrong;
        });
        List<Callable<Integer>> writers = new ArrayList<>();
        for (int n = 0; n < nodes; n++) {
            String node = "n" + n;
            boolean last = n % 2 == 0;
            cluster.accepted(new NodeCommand.UpsertNode(NodeId.of(node), Cluster.AT));
            writers.add(() -> {
                for (int i = 0; i < 60; i++) {
                    cluster.accepted(Cluster.fingerprint(node, "p", "agent-" + node + i));
                    cluster.accepted(new PluginCommand.RemoveInstance(
                            Cluster.instanceKey(node, "p", "agent-" + node + i), Cluster.AT));
                }
                if (last) {
                    cluster.accepted(Cluster.fingerprint(node, "p", "agent-" + node));
                }
                return 1;
            });
        }
        all(writers);
        stop.set(true);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(store.snapshot().plugin(plugin).healthyNodes()).isEqualTo(nodes / 2);
        for (int n = 0; n < nodes; n += 2) {
            store.apply(new PluginCommand.RemoveInstance(Cluster.instanceKey("n" + n, "p", "agent-n" + n), Cluster.AT));
        }
        assertThat(store.snapshot().plugin(plugin).healthyNodes()).isZero();
        assertThat(store.snapshot().plugin(plugin).expected().nodes()).isEqualTo(nodes);
    }

    @Test
    void nothingAReaderIsGivenCanBeChanged() {
        cluster.node("n", "p").volume("v", "p").allocation("a", "n").claim("v", "a");
        byte[] before = StateEncodingTest.encode(store);
        StateReader first = store.snapshot();
        Volume volume = first.volume(V).orElseThrow();
        // Another value, which has no way into the state.
        assertThat(volume.toBuilder().claims(Claims.empty()).build()).isNotEqualTo(volume);
        VolumeView view = VolumeView.of(first, V).orElseThrow();
        List<Volume> items = first.volumes(VolumeQuery.all()).items();
        List<PluginInstance> instances = first.plugin(PluginId.of("p")).instances();
        List<AllocationId> allocations = first.plugin(PluginId.of("p")).allocations();
        for (List<?> list : List.of(
                items, instances, allocations, view.claims(), view.plugin().deployments())) {
            assertThatThrownBy(() -> list.remove(0)).isInstanceOf(UnsupportedOperationException.class);
        }
        Iterable<VolumeKey> on = first.volumesOn(NodeId.of("n"));
        assertThatThrownBy(() -> {
                    var keys = on.iterator();
                    keys.next();
                    keys.remove();
                })
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(store.snapshot()).isSameAs(first);
        assertThat(StateEncodingTest.encode(store)).isEqualTo(before);
    }

    /** Each step of a release is taken by both; whoever comes second finds it done. */
    @Test
    void twoReleasesOfOneClaimAtOnceFreeItOnce() throws Exception {
        cluster.node("n", "p");
        for (int round = 0; round < 200; round++) {
            String id = "v" + round;
            String allocation = "a" + round;
            cluster.volume(id, "p").allocation(allocation, "n").claim(id, allocation);
            CountDownLatch start = new CountDownLatch(1);
            List<Future<Integer>> sides = new ArrayList<>();
            for (int side = 0; side < 2; side++) {
                sides.add(threads.submit(() -> {
                    start.await();
                    return release(id, allocation);
                }));
            }
            start.countDown();
            int freed = 0;
            for (Future<Integer> side : sides) {
                freed += side.get(30, TimeUnit.SECONDS);
            }
            assertThat(freed).isOne();
            assertThat(store.snapshot().volume(Cluster.key(id)).orElseThrow().inUse())
                    .isFalse();
        }
    }

    private int release(String id, String allocation) {
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.accepted(new ClaimCommand.CheckpointClaim(
                    Cluster.key(id), AllocationId.of(allocation), state, Optional.empty(), Cluster.AT));
        }
        Outcome outcome =
                cluster.accepted(new ClaimCommand.FreeClaim(Cluster.key(id), AllocationId.of(allocation), Cluster.AT));
        return (int) ((Outcome.Accepted) outcome)
                .effects().stream().filter(Effect.ClaimFreed.class::isInstance).count();
    }

    private <T> void all(List<Callable<T>> tasks) throws Exception {
        for (Future<T> future : threads.invokeAll(tasks, 120, TimeUnit.SECONDS)) {
            future.get();
        }
    }

    private static Claim taken(String allocation) {
        return Claim.builder(AllocationId.of(allocation), NodeId.of("n"), ClaimMode.WRITE, Cluster.SHARED)
                .build();
    }
}
