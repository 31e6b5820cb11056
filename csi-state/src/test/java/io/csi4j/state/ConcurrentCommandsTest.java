package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Concurrent commands about the same claims and plugins. */
class ConcurrentCommandsTest extends StoreFixture {
    private static final VolumeKey V = Cluster.key("v");
    private static final VolumeKey W = Cluster.key("w");

    @Test
    void concurrentClaimsRespectAccessMode() throws Exception {
        cluster.node("n1", "p").node("n2", "p");
        for (int round = 0; round < 200; round++) {
            String volume = "v" + round;
            cluster.volume(volume, "p").allocation("a" + round, "n1").allocation("b" + round, "n2");
            List<Callable<Boolean>> claims = new ArrayList<>();
            for (String allocation : List.of("a" + round, "b" + round)) {
                claims.add(() -> store.apply(Cluster.take(volume, allocation, Cluster.SINGLE))
                        .accepted());
            }
            // Each claim alone is allowed; both together would be two writers of a single-node volume.
            assertThat(atOnce(claims)).containsOnlyOnce(true);
        }
    }

    /** A version of the state in which an allocation has ended also has the release of its claims. */
    @Test
    void endOfAllocationReleasesItsClaimsInSameVersion() throws Exception {
        cluster.node("n", "p").volume("v", "p").volume("w", "p");
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        Future<Integer> reader = threads.submit(() -> {
            int torn = 0;
            while (!stop.get()) {
                StateReader snapshot = store.snapshot();
                for (VolumeKey key : List.of(V, W)) {
                    for (Claim claim : snapshot.volume(key).orElseThrow().claims()) {
                        boolean ended = snapshot.allocation(claim.allocationId())
                                .orElseThrow()
                                .ended();
                        torn += ended != (claim.state() == ClaimState.UNPUBLISHING) ? 1 : 0;
                    }
                }
                reading.countDown();
            }
            return torn;
        });
        assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
        for (int round = 0; round < 300; round++) {
            String allocation = "a" + round;
            cluster.allocation(allocation, "n").claim("v", allocation).claim("w", allocation);
            cluster.accepted(Cluster.allocation(allocation, "n", AllocationStatus.ENDED));
        }
        stop.set(true);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(store.snapshot().unsettledVolumes()).containsExactly(V, W);
    }

    /** Instances of one plugin start and stop on many nodes at the same time; the counts always equal those of the rows. */
    @Test
    void pluginCountsStayCorrectDuringConcurrentStops() throws Exception {
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
        atOnce(writers);
        stop.set(true);
        assertThat(reader.get(30, TimeUnit.SECONDS)).isZero();
        assertThat(store.snapshot().plugin(plugin).healthyNodes()).isEqualTo(nodes / 2);
        List<Callable<Boolean>> stops = new ArrayList<>();
        for (int n = 0; n < nodes; n += 2) {
            stops.add(stopping("n" + n));
        }
        assertThat(atOnce(stops)).as("an expected plugin is not removed").doesNotContain(true);
        assertThat(store.snapshot().plugin(plugin).healthyNodes()).isZero();
        assertThat(store.snapshot().plugin(plugin).expected().nodes()).isEqualTo(nodes);
    }

    /** If two threads stopped the last two instances and each still counted the other one, the plugin would never be removed. */
    @Test
    void onlyStopOfLastInstanceRemovesPlugin() throws Exception {
        PluginId plugin = PluginId.of("p");
        List<String> nodes = List.of("n1", "n2", "n3");
        for (int round = 0; round < 200; round++) {
            List<Callable<Boolean>> stops = new ArrayList<>();
            for (String node : nodes) {
                cluster.node(node, "p");
                stops.add(stopping(node));
            }
            assertThat(store.snapshot().plugin(plugin).healthyNodes()).isEqualTo(nodes.size());
            assertThat(atOnce(stops)).containsOnlyOnce(true);
            assertThat(store.snapshot().plugin(plugin).isEmpty()).isTrue();
            assertThat(store.snapshot().facts(plugin)).isEmpty();
        }
    }

    /** Stops the instance that {@link Cluster#node} starts; returns true if the plugin was removed with it. */
    private Callable<Boolean> stopping(String node) {
        return () -> {
            Outcome outcome = cluster.accepted(
                    new PluginCommand.RemoveInstance(Cluster.instanceKey(node, "p", "agent-" + node), Cluster.AT));
            return ((Outcome.Accepted) outcome).effects().contains(new Effect.PluginRemoved(PluginId.of("p")));
        };
    }

    /** Two threads take each step of a release; the second one finds the step done. */
    @Test
    void concurrentReleasesOfOneClaimFreeItOnce() throws Exception {
        cluster.node("n", "p");
        for (int round = 0; round < 200; round++) {
            String id = "v" + round;
            String allocation = "a" + round;
            cluster.volume(id, "p").allocation(allocation, "n").claim(id, allocation);
            Callable<Boolean> release = () -> freedByMe(id, allocation);
            assertThat(atOnce(List.of(release, release))).containsOnlyOnce(true);
            assertThat(store.snapshot().volume(Cluster.key(id)).orElseThrow().inUse())
                    .isFalse();
        }
    }

    private boolean freedByMe(String id, String allocation) {
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.accepted(
                    new ClaimCommand.CheckpointClaim(Cluster.key(id), AllocationId.of(allocation), state, Cluster.AT));
        }
        Outcome outcome =
                cluster.accepted(new ClaimCommand.FreeClaim(Cluster.key(id), AllocationId.of(allocation), Cluster.AT));
        return ((Outcome.Accepted) outcome).effects().stream().anyMatch(Effect.ClaimFreed.class::isInstance);
    }

    private <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> task : tasks) {
            futures.add(threads.submit(() -> {
                start.await();
                return task.call();
            }));
        }
        start.countDown();
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get(120, TimeUnit.SECONDS));
        }
        return results;
    }
}
