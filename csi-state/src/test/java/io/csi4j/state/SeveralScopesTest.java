package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches of several scopes, of a store, and of a state that only knows watches of one scope. */
class SeveralScopesTest extends StoreFixture {
    private static final List<StateScope> SCOPES = List.of(
            StateScope.volume(Cluster.key("v")),
            StateScope.node(NodeId.of("n")),
            StateScope.of(StateScope.Table.PLUGINS),
            StateScope.volume(Cluster.key("v")));

    SeveralScopesTest() {
        // A change has notified all watches when it returns.
        super(StateStore.inMemory(
                StateStoreOptions.builder().watchExecutor(Runnable::run).build()));
    }

    /** A state of a host that has not written its own watch of several scopes. */
    private final class OneScopeState implements ObservableState {
        @Override
        public StateReader snapshot() {
            return store.snapshot();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return store.newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return store.subscribe(scope, index, listener);
        }
    }

    private CompletableFuture<Long> watch(boolean ofStore) {
        ObservableState state = ofStore ? store : new OneScopeState();
        return state.newerThan(SCOPES, store.snapshot().index());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachScopeAloneEndsTheWatch(boolean ofStore) {
        List<Runnable> changes = List.of(
                () -> store.apply(Cluster.register("v", "p")),
                () -> cluster.node("n", "other"),
                () -> store.apply(Cluster.fingerprint("n", "p", "a")));
        for (Runnable change : changes) {
            long index = store.snapshot().index();
            CompletableFuture<Long> watch = watch(ofStore);
            store.apply(Cluster.register("unrelated-" + index, "p"));
            assertThat(watch).isNotDone();
            change.run();
            assertThat(watch).isCompleted();
            assertThat(store.watchCount()).isZero();
            // A watch from the index before the change ends at once.
            assertThat((ofStore ? store : new OneScopeState()).newerThan(SCOPES, index))
                    .isCompleted();
            assertThat(store.watchCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cancelledWatchLeavesAllItsScopes(boolean ofStore) {
        CompletableFuture<Long> watch = watch(ofStore);
        assertThat(store.watchCount()).isPositive();
        watch.cancel(false);
        assertThat(store.watchCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void watchWithoutAScopeIsRefused(boolean ofStore) {
        ObservableState state = ofStore ? store : new OneScopeState();
        assertThatThrownBy(() -> state.newerThan(List.of(), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name at least one");
    }

    @Test
    void closedStoreEndsTheWatchOfSeveralScopes() {
        CompletableFuture<Long> watch = watch(true);
        assertThat(store.watchCount()).isEqualTo(1);
        store.close();
        assertThat(watch).failsWithin(Duration.ofSeconds(30));
        assertThat(store.watchCount()).isZero();
    }

    @Test
    void tenThousandWatchesOfTheSameScopesLeaveNothing() {
        List<CompletableFuture<Long>> watches = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            watches.add(watch(true));
        }
        assertThat(store.watchCount()).isEqualTo(10_000);
        watches.subList(0, 4_000).forEach(watch -> watch.cancel(false));
        assertThat(store.watchCount()).isEqualTo(6_000);
        cluster.node("n", "p");
        for (CompletableFuture<Long> watch : watches.subList(4_000, 10_000)) {
            assertThat(watch).isCompleted();
        }
        assertThat(store.watchCount()).isZero();
    }
}
