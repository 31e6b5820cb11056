package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteTransactionTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final StateStore store = StateStore.create(StateStoreOptions.builder()
            .writeTimeout(Duration.ofMillis(50))
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build());

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    @SuppressWarnings("try") // closing by hand is what is tested
    void abortedTransactionLeavesStateUnchanged() {
        new Cluster(store).node("n", "p").volume("v", "p");
        StateReader before = store.snapshot();
        byte[] bytes = StateEncodingTest.encode(store);
        for (int i = 0; i < 100; i++) {
            try (WriteTransaction transaction = store.begin(SOON)) {
                transaction.removeVolume(Cluster.key("v"));
                transaction.removeNode(NodeId.of("n"));
                RichState.write(transaction);
                transaction.close();
            }
        }
        assertThat(store.snapshot()).isSameAs(before);
        assertThat(StateEncodingTest.encode(store)).isEqualTo(bytes);
        assertThat(store.apply(Cluster.register("next", "p")).accepted()).isTrue();
    }

    @Test
    void rejectedCommandChangesOnlyTheIndex() {
        new Cluster(store).node("n", "p").volume("v", "p").allocation("a", "n");
        long index = store.snapshot().index();
        Volume before = store.snapshot().volume(Cluster.key("v")).orElseThrow();
        assertThat(store.apply(Cluster.take("v", "nobody", Cluster.SHARED)).accepted())
                .isFalse();
        assertThat(store.snapshot().index()).isEqualTo(index + 1);
        assertThat(store.snapshot().volume(Cluster.key("v")).orElseThrow()).isSameAs(before);
    }

    @Test
    void storeStaysUsableAfterCommandThrows() {
        assertThatThrownBy(() -> store.apply(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> store.applyAt(0, Cluster.register("v", "p")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the first command has index 1");
        store.applyAt(10, Cluster.register("v", "p"));
        assertThatThrownBy(() -> store.applyAt(10, Cluster.register("w", "p")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index 10 is not above 10");
        assertThat(store.snapshot().index()).isEqualTo(10);
        store.applyAt(12, Cluster.register("w", "p"));
        assertThat(store.snapshot().index()).isEqualTo(12);
    }

    @Test
    void commandWithOldIndexIsRefusedEvenIfItWouldChangeNothing() {
        store.applyAt(10, Cluster.register("v", "p"));
        assertThatThrownBy(() -> store.applyAt(10, Cluster.take("v", "nobody", Cluster.SHARED)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("index 10 is not above 10");
    }

    @Test
    void movedAllocationIsListedOnNewNodeOnly() {
        new Cluster(store).node("n", "p").node("m", "p").allocation("a", "n");
        try (WriteTransaction transaction = store.begin(SOON)) {
            Allocation there = transaction.allocation(AllocationId.of("a")).orElseThrow();
            transaction.putAllocation(new Allocation(
                    there.id(),
                    there.namespace(),
                    NodeId.of("m"),
                    there.deployment(),
                    there.status(),
                    there.modifyIndex()));
            transaction.commit(store.snapshot().index() + 1);
        }
        assertThat(store.snapshot().allocationsOn(NodeId.of("n"))).isEmpty();
        assertThat(store.snapshot().allocationsOn(NodeId.of("m"))).hasSize(1);
    }

    @Test
    void useOfEndedTransactionIsRefused() {
        WriteTransaction transaction = store.begin(SOON);
        transaction.commit(1);
        List<Consumer<WriteTransaction>> uses = List.of(
                t -> t.volume(Cluster.key("v")),
                t -> t.unsettledVolumes(),
                t -> t.index(),
                t -> t.removeVolume(Cluster.key("v")),
                t -> t.removeNode(NodeId.of("n")),
                t -> t.commit(2));
        for (Consumer<WriteTransaction> use : uses) {
            assertThatThrownBy(() -> use.accept(transaction))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("it has ended; begin a new one");
        }
        transaction.close();
        transaction.close();
        assertThat(store.apply(Cluster.register("v", "p")).accepted()).isTrue();
    }

    @Test
    void useOfTransactionByOtherThreadIsRefused() {
        try (WriteTransaction transaction = store.begin(SOON)) {
            List<Consumer<WriteTransaction>> uses = List.of(
                    t -> t.volume(Cluster.key("v")),
                    t -> t.removeVolume(Cluster.key("v")),
                    t -> t.commit(2),
                    WriteTransaction::close);
            for (Consumer<WriteTransaction> use : uses) {
                assertThatThrownBy(() -> CompletableFuture.runAsync(() -> use.accept(transaction))
                                .join())
                        .isInstanceOf(CompletionException.class)
                        .hasCauseInstanceOf(IllegalStateException.class)
                        .hasMessageContaining(
                                "belongs to thread " + Thread.currentThread().getName());
            }
            transaction.commit(1);
        }
        assertThat(store.snapshot().index()).isOne();
    }

    @Test
    void nestedTransactionOfSameThreadIsRefused() {
        try (WriteTransaction transaction = store.begin(SOON)) {
            assertThatThrownBy(() -> store.begin(SOON))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has a write transaction open");
            assertThatThrownBy(() -> store.apply(Cluster.register("v", "p"))).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(store::close).isInstanceOf(IllegalStateException.class);
            assertThat(transaction.index()).isZero();
        }
    }

    @Test
    void writerThatWaitsTooLongGetsRetryableError() {
        try (WriteTransaction transaction = store.begin(SOON)) {
            assertThatThrownBy(() -> CompletableFuture.runAsync(() -> store.apply(Cluster.register("v", "p")))
                            .join())
                    .cause()
                    .isInstanceOf(WriteTimeoutException.class)
                    .hasMessageContaining("did not finish within 50 ms")
                    .matches(e -> ((CsiException) e).retryable());
            assertThat(transaction.volume(Cluster.key("v"))).isEmpty();
        }
        assertThat(store.apply(Cluster.register("v", "p")).accepted()).isTrue();
    }

    @Test
    void interruptedWriterKeepsInterruptFlag() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            waiting.countDown();
            try (WriteTransaction transaction = store.begin(SOON)) {
                interrupted.completeExceptionally(new AssertionError("unexpected transaction " + transaction));
            } catch (CsiException e) {
                interrupted.complete(
                        Thread.currentThread().isInterrupted() && e.getMessage().contains("interrupted"));
            }
        });
        try (WriteTransaction transaction = store.begin(SOON)) {
            thread.start();
            assertThat(waiting.await(30, TimeUnit.SECONDS)).isTrue();
            thread.interrupt();
            assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
            assertThat(transaction.index()).isZero();
        }
        thread.join(30_000);
    }

    @Test
    void transactionReadsItsOwnWritesThroughEveryIndex() {
        new Cluster(store).node("n", "p").volume("v", "p").allocation("a", "n").claim("v", "a");
        try (WriteTransaction transaction = store.begin(SOON)) {
            transaction.removeVolume(Cluster.key("v"));
            PluginId p = PluginId.of("p");
            assertThat(transaction.volumesOf(p)).isEmpty();
            assertThat(transaction.volumesOn(NodeId.of("n"))).isEmpty();
            assertThat(transaction.volumesOn(NodeId.of("n"), p)).isEmpty();
            assertThat(transaction.volumeByExternalId(p, ExternalVolumeId.of("v")))
                    .isEmpty();
            transaction.putVolume(
                    Volume.builder(VolumeKey.of("other", "v"), Cluster.spec("p").build(), 9, Cluster.AT)
                            .build());
            assertThat(transaction.volumesOf(p)).containsExactly(VolumeKey.of("other", "v"));
            assertThat(transaction.volumeByExternalId(p, ExternalVolumeId.of("v")))
                    .contains(VolumeKey.of("other", "v"));
        }
    }

    @Test
    void lastOfSeveralWritesToVolumeIsKept() {
        new Cluster(store)
                .node("n", "p")
                .volume("v", "p")
                .volume("w", "p")
                .allocation("a", "n")
                .claim("v", "a");
        Volume claimed = store.snapshot().volume(Cluster.key("v")).orElseThrow();
        Volume other = store.snapshot().volume(Cluster.key("w")).orElseThrow();
        Volume unused = claimed.toBuilder().claims(Claims.empty()).build();
        Volume renamed = unused.toBuilder()
                .facts(ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("new"))
                        .build())
                .build();
        try (WriteTransaction transaction = store.begin(SOON)) {
            transaction.putVolume(unused);
            assertThat(transaction.volume(Cluster.key("v"))).containsSame(unused);
            assertThat(transaction.volumesClaimedBy(AllocationId.of("a"))).isEmpty();
            transaction.putVolume(claimed);
            assertThat(transaction.volumesClaimedBy(AllocationId.of("a"))).containsExactly(Cluster.key("v"));
            assertThat(transaction.volumesOn(NodeId.of("n"))).containsExactly(Cluster.key("v"));
            transaction.putVolume(unused);
            transaction.putVolume(renamed);
            assertThat(transaction.volume(Cluster.key("w"))).containsSame(other);
            assertThat(transaction.volume(Cluster.key("v")).orElseThrow().externalVolumeId())
                    .contains(ExternalVolumeId.of("new"));
            assertThat(transaction.volumeByExternalId(PluginId.of("p"), ExternalVolumeId.of("new")))
                    .contains(Cluster.key("v"));
            transaction.putVolume(other.toBuilder().modified(9_000, Cluster.AT).build());
            transaction.putVolume(claimed);
            transaction.removeVolume(Cluster.key("w"));
            transaction.commit(9_000);
        }
        StateReader after = store.snapshot();
        assertThat(after.volume(Cluster.key("v")).orElseThrow().claims()).isSameAs(claimed.claims());
        assertThat(after.volume(Cluster.key("w"))).isEmpty();
        assertThat(after.volumesClaimedBy(AllocationId.of("a"))).containsExactly(Cluster.key("v"));
        assertThat(after.volumeByExternalId(PluginId.of("p"), ExternalVolumeId.of("new")))
                .isEmpty();
        assertThat(after.volumesOf(PluginId.of("p"))).containsExactly(Cluster.key("v"));
    }

    @Test
    void intermediateVersionsOfVolumeNotifyNoWatch() {
        new Cluster(store).node("n", "p").volume("v", "p").allocation("a", "n").claim("v", "a");
        Volume settled = store.snapshot().volume(Cluster.key("v")).orElseThrow();
        long index = store.snapshot().index();
        CompletableFuture<Long> unsettled = store.newerThan(StateScope.unsettledVolumes(), index);
        CompletableFuture<Long> changed = store.newerThan(StateScope.volume(Cluster.key("v")), index);
        try (WriteTransaction transaction = store.begin(SOON)) {
            transaction.putVolume(
                    settled.toBuilder().phase(VolumePhase.DELETING).build());
            transaction.putVolume(settled);
            transaction.commit(index + 1);
        }
        assertThat(changed).succeedsWithin(SOON);
        assertThat(unsettled).isNotDone();
        assertThat(store.snapshot().unsettledVolumes()).isEmpty();
    }

    @Test
    void secondVolumeWithSameExternalIdIsRefused() {
        new Cluster(store).volume("v", "p");
        try (WriteTransaction transaction = store.begin(SOON)) {
            Volume alias = Volume.builder(
                            Cluster.key("alias"),
                            Cluster.spec("p")
                                    .externalVolumeId(ExternalVolumeId.of("v"))
                                    .build(),
                            9,
                            Cluster.AT)
                    .build();
            assertThatThrownBy(() -> transaction.putVolume(alias))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("default/alias")
                    .hasMessageContaining("default/v");
        }
        assertThat(store.snapshot().volume(Cluster.key("alias"))).isEmpty();
    }

    @Test
    void closedStoreRefusesWritesAndKeepsSnapshotsReadable() {
        new Cluster(store).volume("v", "p");
        StateReader snapshot = store.snapshot();
        store.close();
        store.close();
        assertThatThrownBy(() -> store.apply(Cluster.register("w", "p")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(snapshot.volume(Cluster.key("v"))).isPresent();
    }

    @Test
    void claimLeavesUnrelatedIndexesUntouched() {
        new Cluster(store).node("n", "p").volume("v", "p").allocation("a", "n").allocation("b", "n");
        Tables before = ((StateSnapshot) store.snapshot()).tables();
        new Cluster(store).claim("v", "a");
        Tables first = ((StateSnapshot) store.snapshot()).tables();
        assertThat(first.volumesOfPlugin).isSameAs(before.volumesOfPlugin);
        assertThat(first.volumesByExternalId).isSameAs(before.volumesByExternalId);
        assertThat(first.unsettled).isSameAs(before.unsettled);
        assertThat(first.rows(RowType.NODES)).isSameAs(before.rows(RowType.NODES));
        assertThat(first.rows(RowType.ALLOCATIONS)).isSameAs(before.rows(RowType.ALLOCATIONS));
        assertThat(first.uses).isNotSameAs(before.uses);
        new Cluster(store).claim("v", "b");
        Tables second = ((StateSnapshot) store.snapshot()).tables();
        assertThat(second.uses).isSameAs(first.uses);
        assertThat(second.claims.get(AllocationId.of("a"))).isSameAs(first.claims.get(AllocationId.of("a")));
        assertThat(second.claims.get(AllocationId.of("b"))).isNotNull();
    }

    @Test
    void equalPartsOfVolumesShareOneObject() {
        new Cluster(store).volume("v", "p").volume("w", "p");
        Volume v = store.snapshot().volume(Cluster.key("v")).orElseThrow();
        Volume w = store.snapshot().volume(Cluster.key("w")).orElseThrow();
        assertThat(v.spec().requestedCapabilities()).isSameAs(w.spec().requestedCapabilities());
        assertThat(v.key().namespace()).isSameAs(w.key().namespace());
        assertThat(v.pluginId()).isSameAs(w.pluginId());
        assertThat(v.spec().parameters()).isSameAs(w.spec().parameters());
    }
}
