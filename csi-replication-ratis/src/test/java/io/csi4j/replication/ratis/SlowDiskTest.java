package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.LogOverloadedException;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A slow disk is a disk that is frozen for a while: its writes wait. The tests need root on Linux, and are skipped where loop
 * devices are not permitted.
 */
@Timeout(90)
final class SlowDiskTest {
    private static final int ROUNDS = 4;

    @TempDir
    Path root;

    private final Map<String, TestDisk> disks = new HashMap<>();
    private final Thaw thaw = new Thaw();

    @AfterEach
    void unmount() throws Exception {
        for (TestDisk disk : disks.values()) {
            disk.close();
        }
    }

    private TestDisk disk(String peer) throws IOException, InterruptedException {
        TestDisk disk = TestDisk.create(root.resolve(peer + ".img"), root.resolve(peer));
        disks.put(peer, disk);
        return disk;
    }

    private TestDisk disk(RatisCommandLog log) {
        return disks.get(id(log).value());
    }

    /** Thaws all disks. A test closes this before its peers, whose threads cannot end while they wait for a disk. */
    private final class Thaw implements AutoCloseable {
        @Override
        public void close() throws IOException {
            for (TestDisk disk : disks.values()) {
                disk.thaw();
            }
        }
    }

    /** The commands of one test. An answer that comes while the answer is impossible is noted. */
    private static final class Answers {
        private final BooleanSupplier impossible;
        private final List<CompletableFuture<Outcome>> futures = new ArrayList<>();
        private final List<String> tooEarly = new CopyOnWriteArrayList<>();

        Answers(BooleanSupplier impossible) {
            this.impossible = impossible;
        }

        void submit(RatisCommandLog log, String name) {
            futures.add(log.submit(node(name)).whenComplete((outcome, failure) -> {
                if (failure == null && impossible.getAsBoolean()) {
                    tooEarly.add(name);
                }
            }));
        }

        void join() {
            CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                    .join();
        }
    }

    @Test
    void commandsAreAnsweredWhileDiskOfOneFollowerIsSlow() throws Exception {
        for (int i = 1; i <= 3; i++) {
            disk("peer-" + i);
        }
        try (TestCluster cluster = TestCluster.ofThree(root);
                thaw) {
            RatisCommandLog leader = cluster.leader();
            RatisCommandLog slow = cluster.follower();
            submit(leader, "before", 20);
            for (int round = 0; round < ROUNDS; round++) {
                disk(slow).freeze();
                submit(leader, "leader-" + round + "-", 200);
                String last = "leader-" + round + "-199";
                assertThat(disk(slow).frozen()).isTrue();
                disk(slow).thaw();
                await("the slow follower catches up", () -> has(slow, last));
            }
            assertThat(cluster.logs()).allMatch(log -> log.failure().isEmpty());
        }
    }

    @Test
    void nothingIsAnsweredOrVisibleWhileDisksOfMajorityAreSlow() throws Exception {
        for (int i = 1; i <= 3; i++) {
            disk("peer-" + i);
        }
        try (TestCluster cluster = TestCluster.ofThree(root);
                thaw) {
            RatisCommandLog leader = cluster.leader();
            submit(leader, "before", 20);
            for (int round = 0; round < ROUNDS; round++) {
                RatisCommandLog now = cluster.leader();
                List<RatisCommandLog> others =
                        cluster.logs().stream().filter(log -> log != now).toList();
                RatisCommandLog quick = others.get(1);
                TestDisk first = disk(now);
                TestDisk second = disk(others.get(0));
                first.freeze();
                second.freeze();
                long before = quick.status().lastIndex();
                Answers answers = new Answers(() -> first.frozen() && second.frozen());
                for (int i = 0; i < 20; i++) {
                    answers.submit(now, "slow-" + round + "-" + i);
                }
                await(
                        "the peer with the quick disk has the entries",
                        () -> quick.status().lastIndex() >= before + 20);
                for (RatisCommandLog log : cluster.logs()) {
                    for (int i = 0; i < 20; i++) {
                        assertThat(has(log, "slow-" + round + "-" + i)).isFalse();
                    }
                }
                first.thaw();
                second.thaw();
                answers.join();
                assertThat(answers.tooEarly).isEmpty();
                String last = "slow-" + round + "-19";
                await(
                        "all peers have the commands",
                        () -> cluster.logs().stream().allMatch(log -> has(log, last)));
            }
        }
    }

    @Test
    void commandsBeyondLimitsAreRejectedAndLogStaysShortWhileDiskIsSlow() throws Exception {
        int limit = 16;
        RatisLogOptions narrow = RatisLogOptions.builder()
                .pendingCommands(limit)
                .submitTimeout(Duration.ofMillis(400))
                .build();
        TestDisk disk = disk("local");
        try (RatisCommandLog log = RatisCommandLog.builder(disk.directory().resolve("data"))
                        .options(narrow)
                        .start();
                thaw) {
            submit(log, "before", 10);
            long before = log.status().lastIndex();
            disk.freeze();
            int rejected = 0;
            int unanswered = 0;
            for (int round = 0; round < ROUNDS; round++) {
                List<CompletableFuture<Outcome>> all = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    all.add(log.submit(node("round-" + round + "-" + i)));
                }
                for (CompletableFuture<Outcome> future : all) {
                    Throwable failure = failure(future);
                    if (failure instanceof LogOverloadedException) {
                        assertThat(failure)
                                .hasMessageContaining("of " + limit + " commands")
                                .hasMessageContaining("was not submitted");
                        rejected++;
                    } else {
                        assertThat(failure)
                                .isInstanceOf(UnansweredCommandException.class)
                                .hasMessageContaining("it may have been applied, or may still be");
                        unanswered++;
                    }
                }
            }
            assertThat(unanswered).isBetween(limit, ROUNDS * limit);
            assertThat(rejected).isEqualTo(ROUNDS * 100 - unanswered);
            // Ratis holds at most twice the limit, so commands that were given up do not fill the memory.
            assertThat(log.status().lastIndex() - before).isLessThanOrEqualTo(2 * limit + 2);
            assertThat(IntStream.range(0, 100)).noneMatch(i -> has(log, "round-0-" + i));
            disk.thaw();
            await("the log takes commands again", () -> failure(log.submit(node("after"))) == null);
        }
        try (RatisCommandLog log =
                RatisCommandLog.builder(disk.directory().resolve("data")).start()) {
            log.readLinearizable().join();
            assertThat(has(log, "before9")).isTrue();
            assertThat(has(log, "after")).isTrue();
        }
    }

    private static @Nullable Throwable failure(CompletableFuture<?> future) {
        return future.handle((outcome, failure) -> failure == null ? null : Futures.unwrap(failure))
                .join();
    }

    @Test
    void engineCallsPluginOnlyAfterItsIntentIsOnDisk() throws Exception {
        TestDisk disk = disk("local");
        List<Boolean> frozenAtCall = new CopyOnWriteArrayList<>();
        InstantGateway gateway = new InstantGateway() {
            @Override
            protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
                frozenAtCall.add(disk.frozen());
                return super.answer(plugin, response);
            }
        };
        NodeId node = NodeId.of("n1");
        PluginId plugin = PluginId.of("ebs");
        VolumeKey key = VolumeKey.of("default", "db");
        RequestedCapability writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        try (RatisCommandLog log = RatisCommandLog.builder(disk.directory().resolve("data"))
                        .start();
                VolumeLifecycle engine = VolumeLifecycle.of(log, gateway);
                thaw) {
            await("the log leads", () -> log.status().leading());
            engine.startLeading();
            Cluster cluster = engine.cluster();
            cluster.nodeReady(node).join();
            cluster.nodePlugins(node, List.of(controller(node, plugin))).join();
            VolumeSpec spec = VolumeSpec.builder(plugin)
                    .externalVolumeId(ExternalVolumeId.of("vol-1"))
                    .requestedCapabilities(List.of(writer))
                    .build();
            engine.volumes().register(key, spec).join();
            for (int round = 0; round < ROUNDS; round++) {
                AllocationId allocation = AllocationId.of("web-" + round);
                cluster.allocationStarted(allocation, Namespace.of("default"), node)
                        .join();
                int callsBefore = frozenAtCall.size();
                disk.freeze();
                long before = log.status().lastIndex();
                CompletableFuture<ClaimGrant> claim =
                        engine.claims().claim(allocation, List.of(ClaimRequest.writing(key, writer)));
                await("the intent is in the log in memory", () -> log.status().lastIndex() > before);
                assertThat(log.state().snapshot().volume(key).orElseThrow().inUse())
                        .isFalse();
                assertThat(claim).isNotDone();
                disk.thaw();
                claim.join();
                assertThat(frozenAtCall.size()).isGreaterThan(callsBefore);
                assertThat(frozenAtCall).doesNotContain(true);
                cluster.allocationEnded(allocation).join();
                await(
                        "the volume is free",
                        () -> !log.state().snapshot().volume(key).orElseThrow().inUse());
            }
        }
    }

    private static PluginInstance controller(NodeId node, PluginId plugin) {
        return PluginInstance.builder(
                        new InstanceKey(node, plugin, PluginType.MONOLITH, Optional.empty()), TestCluster.NOW)
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-1"), 0, Optional.empty()))
                .build();
    }
}
