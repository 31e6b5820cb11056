package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AccessTokenCommand;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.VolumeClass;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchTest extends StoreFixture {
    @Test
    void commandNotifiesOnlyWatchesOnChangedScopes() throws Exception {
        cluster.node("n1", "p1").node("n2", "p2").volume("va", "p1").volume("vb", "p2");
        cluster.allocation("a1", "n1").allocation("a2", "n2");

        fires(
                () -> cluster.claim("va", "a1"),
                List.of(
                        StateScope.volume(Cluster.key("va")),
                        StateScope.volumes(Namespace.of("default"), ""),
                        StateScope.volumes(Namespace.of("default"), "va"),
                        StateScope.volumesOf(PluginId.of("p1")),
                        StateScope.volumesOn(NodeId.of("n1")),
                        StateScope.volumesClaimedBy(AllocationId.of("a1")),
                        StateScope.of(StateScope.Table.VOLUMES)),
                List.of(
                        StateScope.volume(Cluster.key("vb")),
                        StateScope.volume(Cluster.key("v")),
                        StateScope.volumes(Namespace.of("other"), ""),
                        StateScope.volumes(Namespace.of("default"), "vab"),
                        StateScope.volumesOf(PluginId.of("p2")),
                        StateScope.volumesOn(NodeId.of("n2")),
                        StateScope.volumesClaimedBy(AllocationId.of("a2")),
                        StateScope.unsettledVolumes(),
                        StateScope.node(NodeId.of("n1")),
                        StateScope.plugin(PluginId.of("p1"))));
        fires(
                () -> cluster.accepted(Cluster.allocation("a1", "n1", AllocationStatus.ENDED)),
                List.of(
                        StateScope.unsettledVolumes(),
                        StateScope.volume(Cluster.key("va")),
                        StateScope.allocation(AllocationId.of("a1")),
                        StateScope.allocationsOn(NodeId.of("n1")),
                        StateScope.volumesClaimedBy(AllocationId.of("a1"))),
                List.of(
                        StateScope.allocation(AllocationId.of("a2")),
                        StateScope.allocationsOn(NodeId.of("n2")),
                        StateScope.node(NodeId.of("n1"))));
        fires(
                () -> cluster.accepted(Cluster.fingerprint("n1", "p1", "another")),
                List.of(StateScope.plugin(PluginId.of("p1")), StateScope.instancesOn(NodeId.of("n1"))),
                List.of(StateScope.plugin(PluginId.of("p2")), StateScope.instancesOn(NodeId.of("n2"))));
        DeploymentId controllers = DeploymentId.of("system", "p1-controller");
        cluster.accepted(new PluginCommand.UpsertDeployment(
                PluginDeployment.of(controllers, Map.of(PluginId.of("p1"), new ExpectedInstances(1, 0))), Cluster.AT));
        for (AllocationStatus status : List.of(AllocationStatus.RUNNING, AllocationStatus.ENDED)) {
            fires(
                    () -> cluster.accepted(new AllocationCommand.UpsertAllocation(
                            AllocationId.of("c1"),
                            Namespace.of("system"),
                            NodeId.of("n1"),
                            Optional.of(controllers),
                            status,
                            Cluster.AT)),
                    List.of(StateScope.plugin(PluginId.of("p1")), StateScope.of(StateScope.Table.PLUGINS)),
                    List.of(StateScope.plugin(PluginId.of("p2"))));
        }
        fires(
                () -> cluster.accepted(new NodeCommand.UpsertNode(NodeId.of("n3"), Cluster.AT)),
                List.of(StateScope.node(NodeId.of("n3")), StateScope.of(StateScope.Table.NODES)),
                List.of(StateScope.node(NodeId.of("n1")), StateScope.of(StateScope.Table.VOLUMES)));
        fires(
                () -> cluster.accepted(new VolumeCommand.DeregisterVolume(Cluster.key("vb"), false, Cluster.AT)),
                List.of(StateScope.volume(Cluster.key("vb")), StateScope.volumesOf(PluginId.of("p2"))),
                List.of(StateScope.volume(Cluster.key("va"))));
        StateScope tokens = StateScope.of(StateScope.Table.ACCESS_TOKENS);
        fires(
                () -> cluster.accepted(new AccessTokenCommand.CreateAccessToken(
                        RichState.token().id(),
                        RichState.token().request(),
                        RichState.token().hash(),
                        "root",
                        true,
                        Cluster.AT)),
                List.of(tokens),
                List.of(StateScope.of(StateScope.Table.NODES)));
        fires(
                () -> cluster.accepted(new AccessTokenCommand.RevokeAccessToken(
                        RichState.token().id(), Cluster.AT)),
                List.of(tokens),
                List.of(StateScope.of(StateScope.Table.NODES)));
        StateScope classes = StateScope.of(StateScope.Table.VOLUME_CLASSES);
        fires(
                () -> cluster.accepted(new VolumeClassCommand.PutVolumeClass(
                        VolumeClass.builder(RichState.volumeClass().name(), PluginId.of("p9"))
                                .requestedCapabilities(RichState.volumeClass().requestedCapabilities())
                                .build(),
                        0,
                        Cluster.AT)),
                List.of(classes),
                List.of(tokens));
        fires(
                () -> cluster.accepted(new VolumeClassCommand.RemoveVolumeClass(
                        RichState.volumeClass().name(), 0, Cluster.AT)),
                List.of(classes),
                List.of(tokens));
        StateScope quotas = StateScope.of(StateScope.Table.QUOTAS);
        fires(
                () -> cluster.accepted(new QuotaCommand.PutQuota(RichState.quota(), 0, Cluster.AT)),
                List.of(quotas),
                List.of(classes));
        fires(
                () -> cluster.accepted(
                        new QuotaCommand.RemoveQuota(RichState.quota().key(), 0, Cluster.AT)),
                List.of(quotas),
                List.of(classes));
        assertThat(store.watchCount()).isZero();
    }

    private void fires(Runnable change, List<StateScope> reported, List<StateScope> silent) throws Exception {
        long index = store.snapshot().index();
        List<CompletableFuture<Long>> yes = new ArrayList<>();
        List<CompletableFuture<Long>> no = new ArrayList<>();
        reported.forEach(scope -> yes.add(store.newerThan(scope, index)));
        silent.forEach(scope -> no.add(store.newerThan(scope, index)));
        change.run();
        for (int i = 0; i < yes.size(); i++) {
            assertThat(yes.get(i).get(30, TimeUnit.SECONDS))
                    .as("%s", reported.get(i))
                    .isGreaterThan(index);
            // A watch that begins later is notified at once.
            assertThat(store.newerThan(reported.get(i), index).get(30, TimeUnit.SECONDS))
                    .isGreaterThan(index);
        }
        for (int i = 0; i < no.size(); i++) {
            assertThat(no.get(i)).as("%s", silent.get(i)).isNotDone();
            CompletableFuture<Long> late = store.newerThan(silent.get(i), index);
            assertThat(late).as("%s, late", silent.get(i)).isNotDone();
            late.cancel(false);
            no.get(i).cancel(false);
        }
    }

    @Test
    void prefixWatchIsNotifiedAfterWatchWithSamePrefixLengthWasCancelled() throws Exception {
        long index = store.snapshot().index();
        CompletableFuture<Long> cancelled = store.newerThan(StateScope.volumes(Namespace.of("default"), "a"), index);
        CompletableFuture<Long> other = store.newerThan(StateScope.volumes(Namespace.of("default"), "b"), index);
        cancelled.cancel(false);
        cluster.volume("b1", "p");
        assertThat(other.get(30, TimeUnit.SECONDS)).isGreaterThan(index);
    }

    @Test
    void rowWrittenLastInLargeCommitNotifiesItsWatch() throws Exception {
        int nodes = Touched.MAX_CHANGES + 10;
        CompletableFuture<Long> last = store.newerThan(StateScope.node(NodeId.of("n" + (nodes - 1))), 0);
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(30))) {
            for (int i = 0; i < nodes; i++) {
                transaction.putNode(new Node(NodeId.of("n" + i), NodeStatus.READY, Cluster.AT, "", 1));
            }
            transaction.commit(1);
        }
        assertThat(last.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void watchWithIndexNewerThanRestoredStateIsNotifiedAtOnce() throws Exception {
        cluster.node("n1", "p");
        ByteArrayOutputStream older = new ByteArrayOutputStream();
        long restored = store.encode(older);
        cluster.node("n2", "p");
        long observed = store.snapshot().index();
        assertThat(store.restore(new ByteArrayInputStream(older.toByteArray()))).isEqualTo(restored);
        assertThat(store.newerThan(StateScope.of(StateScope.Table.NODES), observed)
                        .get(30, TimeUnit.SECONDS))
                .isEqualTo(restored);
    }

    @Test
    void notifiedChangeIsAlreadyReadable() throws Exception {
        cluster.volume("v", "p");
        CompletableFuture<Boolean> observed = store.newerThan(
                        StateScope.volume(Cluster.key("w")), store.snapshot().index())
                .thenApply(index -> store.snapshot().index() >= index
                        && store.snapshot().volume(Cluster.key("w")).isPresent());
        cluster.volume("w", "p");
        assertThat(observed.get(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Readers that read and then watch never miss the last change, in any interleaving. */
    @Test
    void watchIsNotifiedOfCommitBetweenReadAndWatch() throws Exception {
        int rounds = 3_000;
        List<Future<Integer>> readers = new ArrayList<>();
        for (int r = 0; r < 4; r++) {
            boolean table = r % 2 == 0;
            readers.add(threads.submit(() -> {
                int waits = 0;
                while (true) {
                    StateReader snapshot = store.snapshot();
                    boolean done = snapshot.node(NodeId.of("last")).isPresent();
                    if (done) {
                        return waits;
                    }
                    StateScope scope = table
                            ? StateScope.of(StateScope.Table.NODES)
                            : new StateScope(StateScope.Table.NODES, "l", true);
                    CompletableFuture<Long> news = store.newerThan(scope, snapshot.index());
                    assertThat(news.get(60, TimeUnit.SECONDS)).isGreaterThan(snapshot.index());
                    waits++;
                }
            }));
        }
        for (int i = 0; i < rounds; i++) {
            store.apply(new NodeCommand.UpsertNode(NodeId.of((i % 3 == 0 ? "l" : "m") + i), Cluster.AT));
        }
        store.apply(new NodeCommand.UpsertNode(NodeId.of("last"), Cluster.AT));
        for (Future<Integer> reader : readers) {
            assertThat(reader.get(120, TimeUnit.SECONDS)).isPositive();
        }
        assertThat(store.watchCount()).isZero();
    }

    /** Two watchers alternate: each commits after the other's commit. One lost notification would stop both. */
    @Test
    void twoWatchersThatWakeEachOtherBothFinish() throws Exception {
        int rounds = 2_000;
        List<Future<Integer>> sides = new ArrayList<>();
        for (String me : List.of("ping", "pong")) {
            String other = me.equals("ping") ? "pong" : "ping";
            sides.add(threads.submit(() -> {
                for (int i = 0; i < rounds; i++) {
                    NodeId wanted = NodeId.of(other + (me.equals("ping") ? i - 1 : i));
                    while (i + (me.equals("ping") ? 0 : 1) > 0) {
                        StateReader snapshot = store.snapshot();
                        if (snapshot.node(wanted).isPresent()) {
                            break;
                        }
                        store.newerThan(StateScope.node(wanted), snapshot.index())
                                .get(60, TimeUnit.SECONDS);
                    }
                    store.apply(new NodeCommand.UpsertNode(NodeId.of(me + i), Cluster.AT));
                }
                return rounds;
            }));
        }
        for (Future<Integer> side : sides) {
            assertThat(side.get(120, TimeUnit.SECONDS)).isEqualTo(rounds);
        }
    }

    @Test
    void slowSubscriberMissesNoChangeAndDelaysNoOtherSubscriber() throws Exception {
        Semaphore go = new Semaphore(0);
        CountDownLatch called = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        AtomicLong last = new AtomicLong();
        AtomicInteger together = new AtomicInteger();
        StateScope nodes = StateScope.of(StateScope.Table.NODES);
        Subscription slow = store.subscribe(nodes, 0, index -> {
            assertThat(together.incrementAndGet()).isOne();
            calls.incrementAndGet();
            called.countDown();
            go.acquireUninterruptibly();
            last.set(index);
            together.decrementAndGet();
        });
        LinkedBlockingQueue<Long> reported = new LinkedBlockingQueue<>();
        Subscription quick = store.subscribe(nodes, 0, reported::add);
        store.apply(new NodeCommand.UpsertNode(NodeId.of("n"), Cluster.AT));
        // Waits until the slow listener is in its first call, because otherwise it might get all changes in one
        // notification.
        assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 500; i++) {
            store.apply(new NodeCommand.UpsertNode(NodeId.of("n" + i), Cluster.AT));
        }
        long index = store.snapshot().index();
        until(reported, index);
        assertThat(calls).hasValue(1);
        go.release(1_000);
        CompletableFuture<Void> caughtUp = CompletableFuture.runAsync(
                () -> {
                    while (last.get() < index) {
                        Thread.onSpinWait();
                    }
                },
                threads);
        caughtUp.get(30, TimeUnit.SECONDS);
        assertThat(calls).hasValue(2);
        slow.close();
        quick.close();
        slow.close();
        assertThat(store.watchCount()).isZero();
    }

    @Test
    void blockedWatcherBlocksNeitherOtherWatchersNorWriter() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(4);
        StateScope node = StateScope.node(NodeId.of("n"));
        List<CompletableFuture<Void>> blocking = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            blocking.add(store.newerThan(node, 0).thenAccept(index -> {
                blocked.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        store.apply(new NodeCommand.UpsertNode(NodeId.of("n"), Cluster.AT));
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Long> other = store.newerThan(
                StateScope.node(NodeId.of("m")), store.snapshot().index());
        store.apply(new NodeCommand.UpsertNode(NodeId.of("m"), Cluster.AT));
        assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo(2);
        release.countDown();
        for (CompletableFuture<Void> future : blocking) {
            future.get(30, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void listenerThatThrowsStaysSubscribed(boolean error) throws Exception {
        LinkedBlockingQueue<Long> reported = new LinkedBlockingQueue<>();
        try (Subscription subscription = store.subscribe(StateScope.of(StateScope.Table.NODES), 0, index -> {
            reported.add(index);
            if (error) {
                throw new AssertionError("on purpose");
            }
            throw new IllegalStateException("on purpose");
        })) {
            store.apply(new NodeCommand.UpsertNode(NodeId.of("n1"), Cluster.AT));
            until(reported, 1);
            store.apply(new NodeCommand.UpsertNode(NodeId.of("n2"), Cluster.AT));
            until(reported, 2);
            assertThat(subscription).isNotNull();
        }
    }

    @Test
    void cancelledWatchIsRemoved() {
        CompletableFuture<Long> cancelled = store.newerThan(StateScope.node(NodeId.of("n")), 0);
        CompletableFuture<Long> timedOut = store.newerThan(StateScope.node(NodeId.of("n")), 0);
        assertThat(store.watchCount()).isEqualTo(2);
        cancelled.cancel(false);
        timedOut.completeExceptionally(new IllegalStateException("enough"));
        assertThat(store.watchCount()).isZero();
    }

    @Test
    void watchFromOldIndexIsNotifiedAtOnce() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            store.apply(new NodeCommand.UpsertNode(NodeId.of("n" + i), Cluster.AT));
        }
        // The changes since index 1 are no longer listed, so the watch is notified at once.
        assertThat(store.newerThan(StateScope.node(NodeId.of("other")), 1).get(30, TimeUnit.SECONDS))
                .isEqualTo(20_000);
        assertThat(store.newerThan(StateScope.node(NodeId.of("other")), 20_000)).isNotDone();
    }

    @Test
    void closingTheStoreEndsAllWatches() throws Exception {
        CompletableFuture<Long> watch = store.newerThan(StateScope.node(NodeId.of("n")), 0);
        store.close();
        assertThatThrownBy(() -> watch.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> store.newerThan(StateScope.node(NodeId.of("n")), 0))
                .isInstanceOf(IllegalStateException.class);
    }

    /** WatchRegistryTest counts the work of a commit beside idle watches, and a benchmark measures it. */
    @Test
    void changeNotifiesOnlyItsWatchAmongHundredThousandIdleWatches() throws Exception {
        List<CompletableFuture<Long>> idle = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            idle.add(store.newerThan(StateScope.volume(Cluster.key("idle" + i)), 0));
        }
        CompletableFuture<Long> busy = store.newerThan(StateScope.volume(Cluster.key("idle")), 0);
        for (int i = 0; i < 1_000; i++) {
            store.apply(Cluster.register("other" + i, "p"));
        }
        assertThat(busy).isNotDone();
        store.apply(Cluster.register("idle", "p"));
        assertThat(busy.get(30, TimeUnit.SECONDS)).isEqualTo(1_001);
        assertThat(idle).noneMatch(CompletableFuture::isDone);
        assertThat(store.watchCount()).isEqualTo(100_000);
        store.apply(Cluster.register("idle77777", "p"));
        assertThat(idle.get(77_777).get(30, TimeUnit.SECONDS)).isEqualTo(1_002);
    }

    private static void until(LinkedBlockingQueue<Long> reported, long index) throws InterruptedException {
        Long at = 0L;
        while (at != null && at < index) {
            at = reported.poll(30, TimeUnit.SECONDS);
        }
        assertThat(at).isEqualTo(index);
    }
}
