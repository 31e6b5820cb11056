package io.csi4j.admin.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.internal.http.HttpAnswer;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that wait, on one thread: the state notifies on the thread of its writer, and the timer runs by hand. */
class BlockingQueryTest {
    private static final List<StateScope> NODES_AND_PLUGINS =
            List.of(StateScope.of(Table.NODES), StateScope.of(Table.PLUGINS));

    private final StateStore store = StateStore.inMemory(
            StateStoreOptions.builder().watchExecutor(Runnable::run).build());
    private final WatchedState state = new WatchedState(store);
    /** The tasks of the timer that have not run and are not cancelled. */
    private final Set<Runnable> limits = new LinkedHashSet<>();

    private final Timer timer = (delay, task) -> {
        limits.add(task);
        return () -> limits.remove(task);
    };
    private final BlockingQuery.Shared shared = new BlockingQuery.Shared(
            state, timer, Runnable::run, failure -> HttpAnswer.of(403, "text/plain", "" + failure.getMessage()));
    private int reads;

    @AfterEach
    void close() {
        store.close();
    }

    private void change(String node) {
        store.apply(new NodeCommand.UpsertNode(NodeId.of(node), Instant.EPOCH));
    }

    private CompletableFuture<HttpAnswer> read() {
        reads++;
        return CompletableFuture.completedFuture(HttpAnswer.of(200, "text/plain", "read " + reads));
    }

    private CompletableFuture<HttpAnswer> query(
            List<StateScope> parts, Supplier<CompletableFuture<List<StateScope>>> probe) {
        return new BlockingQuery(shared, this::read)
                .start(parts, store.snapshot().index(), Duration.ofMinutes(1), probe);
    }

    private CompletableFuture<HttpAnswer> query() {
        return query(NODES_AND_PLUGINS, () -> CompletableFuture.completedFuture(List.of()));
    }

    private void assertNothingIsLeft() {
        assertThat(state.open()).isZero();
        assertThat(limits).isEmpty();
    }

    @Test
    void severalChangesAndTheEndOfTheTimeWakeOnce() {
        CompletableFuture<HttpAnswer> answer = query();
        Runnable limit = limits.iterator().next();
        assertThat(answer).isNotDone();
        change("a");
        assertThat(answer).isCompleted();
        change("b");
        limit.run();
        assertThat(reads).isEqualTo(1);
        assertNothingIsLeft();
    }

    @Test
    void endOfTheTimeReadsOnceAndEndsTheWatch() {
        CompletableFuture<HttpAnswer> answer = query();
        limits.iterator().next().run();
        assertThat(answer).isCompletedWithValueMatching(made -> made.status() == 200);
        change("a");
        assertThat(reads).isEqualTo(1);
        assertNothingIsLeft();
    }

    @Test
    void changeBeforeTheRequestIsReadAtOnceWithoutAProbe() {
        long index = store.snapshot().index();
        change("a");
        CompletableFuture<HttpAnswer> answer = new BlockingQuery(shared, this::read)
                .start(NODES_AND_PLUGINS, index, Duration.ofMinutes(1), () -> {
                    throw new AssertionError("nothing has to be probed");
                });
        assertThat(answer).isCompleted();
        assertNothingIsLeft();
    }

    @Test
    void changeBetweenTheProbeAndTheWatchIsNotLost() {
        NodeId shown = NodeId.of("shown");
        CompletableFuture<HttpAnswer> own = query(NODES_AND_PLUGINS, () -> {
            change("a");
            return CompletableFuture.completedFuture(List.of());
        });
        CompletableFuture<HttpAnswer> besides = query(List.of(StateScope.plugin(PluginId.of("p"))), () -> {
            change(shown.value());
            return CompletableFuture.completedFuture(List.of(StateScope.node(shown)));
        });
        assertThat(own).isCompleted();
        assertThat(besides).isCompleted();
        assertThat(reads).isEqualTo(2);
        assertNothingIsLeft();
    }

    @Test
    void clientThatGoesEndsEachStep() {
        CompletableFuture<List<StateScope>> probe = new CompletableFuture<>();
        query(NODES_AND_PLUGINS, () -> probe).cancel(false);
        assertThat(probe).isCancelled();
        assertNothingIsLeft();

        query().cancel(false);
        change("a");
        assertNothingIsLeft();
        assertThat(reads).isZero();

        CompletableFuture<HttpAnswer> reading = new CompletableFuture<>();
        CompletableFuture<HttpAnswer> answer = new BlockingQuery(shared, () -> reading)
                .start(NODES_AND_PLUGINS, 0, Duration.ofMinutes(1), () -> new CompletableFuture<>());
        assertThat(answer).isNotDone();
        answer.cancel(false);
        assertThat(reading).isCancelled();
        assertNothingIsLeft();
    }

    @Test
    void clientThatGoesDuringAProbeWhichCannotBeCancelledLeavesNoWatch() {
        List<CompletableFuture<HttpAnswer>> answers = new ArrayList<>();
        CompletableFuture<List<StateScope>> probe = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean interrupt) {
                return false;
            }
        };
        answers.add(query(NODES_AND_PLUGINS, () -> probe));
        answers.get(0).cancel(false);
        probe.complete(List.of());
        assertNothingIsLeft();
        assertThat(reads).isZero();
    }

    @Test
    void callerWithoutPermissionIsRefusedWithoutAWatch() {
        CompletableFuture<HttpAnswer> answer = query(
                NODES_AND_PLUGINS, () -> CompletableFuture.failedFuture(new IllegalStateException("not allowed")));
        assertThat(answer).isCompletedWithValueMatching(made -> made.status() == 403);
        assertThat(reads).isZero();
        assertNothingIsLeft();
    }

    @Test
    void closedStateEndsTheWait() {
        CompletableFuture<HttpAnswer> answer = query();
        store.close();
        assertThat(answer).isCompleted();
        assertNothingIsLeft();
    }

    @Test
    void objectOfManyPartsWatchesWholeTables() {
        List<StateScope> volumes = IntStream.range(0, 17)
                .mapToObj(i -> StateScope.volume(VolumeKey.of("default", "v" + i)))
                .toList();
        query(List.of(StateScope.plugin(PluginId.of("p"))), () -> CompletableFuture.completedFuture(volumes))
                .cancel(false);
        assertThat(state.watches.stream().map(WatchedState.Watch::scopes))
                .last()
                .isEqualTo(List.of(StateScope.of(Table.PLUGINS), StateScope.of(Table.VOLUMES)));
    }

    @Test
    void tenThousandQueriesOfTheSamePartsWakeOnceEachAndLeaveNothing() {
        List<CompletableFuture<HttpAnswer>> answers =
                Stream.generate(this::query).limit(10_000).toList();
        assertThat(state.open()).isEqualTo(10_000);
        answers.subList(0, 3_000).forEach(answer -> answer.cancel(false));
        List.copyOf(limits).subList(0, 2_000).forEach(Runnable::run);
        assertThat(reads).isEqualTo(2_000);
        assertThat(state.open()).isEqualTo(5_000);
        change("a");
        change("b");
        assertThat(reads).isEqualTo(7_000);
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertNothingIsLeft();
    }
}
