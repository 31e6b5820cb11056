package io.csi4j.core.lifecycle.internal.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class RowWaitsTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final CallTarget CREATION = new CallTarget.OfVolume(1, VolumePhase.CREATING);
    private static final CallTarget EXPANSION = new CallTarget.OfModification(7);

    private final VirtualTime time = VirtualTime.inOrder();
    private final WatchedState state = new WatchedState();
    private final RowWaits waits = new RowWaits(TestPorts.of(state, time));
    private final Volume volume = Volume.builder(
                    KEY,
                    VolumeSpec.builder(PluginId.of("p"))
                            .requestedCapabilities(
                                    List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                            .build(),
                    1,
                    Instant.EPOCH)
            .build();

    /** The result that the row shows; null while the wait goes on. */
    private Object shown;

    private Optional<String> row(StateReader read) {
        if (shown instanceof RuntimeException failure) {
            throw failure;
        }
        return Optional.ofNullable((String) shown);
    }

    /** A log whose state never changes, and calls its listeners when the test wants it. */
    private static final class WatchedState implements CommandLog, ObservableState {
        final List<LongConsumer> listeners = new ArrayList<>();

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            throw new UnsupportedOperationException("waits store nothing");
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            return new NaiveState();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            throw new UnsupportedOperationException("waits subscribe");
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            listeners.add(listener);
            return () -> listeners.remove(listener);
        }

        void changes() {
            listeners.forEach(listener -> listener.accept(1));
        }
    }

    /** Takes the calls for the creation of the volume, and notes their begins and ends. */
    private static final class Creation implements AwaitedCalls {
        final List<String> events = new ArrayList<>();
        private final boolean precedesRow;

        Creation(boolean precedesRow) {
            this.precedesRow = precedesRow;
        }

        @Override
        public boolean include(CallTarget target, Volume sentFor) {
            return target.equals(CREATION);
        }

        @Override
        public boolean precedeRow() {
            return precedesRow;
        }

        @Override
        public void begin(CallTarget target) {
            events.add("begins");
        }

        @Override
        public void end(CallTarget target, Object answer) {
            events.add("ended with " + answer);
        }
    }

    private RowWait<String> begin(AwaitedCalls calls) {
        return waits.begin(Caller.ENGINE, KEY, calls);
    }

    private RowWait<String> begin(Term term, AwaitedCalls calls) {
        return waits.begin(term, KEY, calls);
    }

    private void watch(RowWait<String> wait) {
        var unused = wait.await(this::row);
    }

    @Test
    void waitLearnsOfTheBeginAndTheEndOfItsCallsOnly() {
        Creation calls = new Creation(true);
        RowWait<String> wait = begin(calls);
        RowCall other = waits.callBegins(EXPANSION, volume);
        RowCall first = waits.callBegins(CREATION, volume);
        assertThat(other.isAwaited()).isFalse();
        assertThat(first.isAwaited()).isTrue();
        assertThat(calls.events).containsExactly("begins");

        first.answers("an answer that was too late");
        first.fails(new CsiException("the plugin is down"));
        first.ended(new IllegalStateException("unknown"));
        RowCall second = waits.callBegins(CREATION, volume);
        second.answers("the volume");
        second.ended(null);
        assertThat(calls.events).containsExactly("begins", "ended with null", "begins", "ended with the volume");
        assertThat(wait.failures()).isEqualTo(1);
        assertThat(wait.lastFailure()).as("the last call succeeded").isEmpty();
    }

    @Test
    void rowDoesNotFailTheWaitBeforeTheCallHasEnded() {
        RowWait<String> wait = begin(new Creation(true));
        RowCall call = waits.callBegins(CREATION, volume);
        shown = new CsiException("the creation was withdrawn");
        watch(wait);
        time.run();
        assertThat(wait.result()).as("the answer may be on its way").isNotDone();

        call.ended(null);
        time.run();
        assertThatThrownBy(wait.result()::join).hasMessageContaining("withdrawn");
    }

    @Test
    void rowFailsTheWaitAtOnceIfItsCallsDoNotPrecedeIt() {
        RowWait<String> wait = begin(new Creation(false));
        RowCall call = waits.callBegins(CREATION, volume);
        watch(wait);
        call.fails(new CsiException("refused"));
        waits.check(KEY);
        time.run();
        assertThat(wait.result())
                .as("the row shows nothing, and the call has not ended")
                .isNotDone();

        shown = new CsiException("the volume was deleted");
        waits.check(KEY);
        time.run();
        assertThat(wait.result()).isCompletedExceptionally();
    }

    @Test
    void waitWatchesTheRowUntilItsResultIsKnown() {
        RowWait<String> wait = begin(AwaitedCalls.NONE).limit(Duration.ofHours(1), () -> "late");
        watch(wait);
        state.changes();
        time.run();
        assertThat(wait.result()).isNotDone();
        assertThat(state.listeners).hasSize(1);
        assertThat(time.timers()).isEqualTo(1);

        shown = "made";
        state.changes();
        time.run();
        assertThat(wait.result()).isCompletedWithValue("made");
        assertThat(state.listeners).as("the watch is closed").isEmpty();
        assertThat(time.timers()).as("the timer is cancelled").isZero();

        RowWait<String> begun = begin(AwaitedCalls.NONE);
        watch(begun);
        time.run();
        assertThat(begun.result()).as("the row shows it already").isCompletedWithValue("made");

        RowWait<String> stopped = begin(AwaitedCalls.NONE);
        stopped.stop();
        watch(stopped);
        assertThat(state.listeners).as("there is nothing to wait for").isEmpty();
    }

    @Test
    void volumeIsAwaitedUntilItsLastWaitHasEnded() {
        assertThat(waits.isAwaited(KEY)).isFalse();
        RowWait<String> first = begin(AwaitedCalls.NONE);
        RowWait<String> second = begin(AwaitedCalls.NONE);
        RowCall call = waits.callBegins(CREATION, volume);
        first.stop();
        call.ended(null);
        assertThat(waits.isAwaited(KEY)).isTrue();
        assertThat(waits.awaited()).containsExactly(KEY);

        RowCall alone = waits.callBegins(CREATION, volume);
        second.stop();
        assertThat(waits.isAwaited(KEY)).isFalse();
        assertThat(waits.awaited()).as("only a call is in flight").isEmpty();
        alone.ended(null);
    }

    @Test
    void workOfTheLeaderAlsoWaitsForTheCallsInFlight() {
        Term term = new Term(() -> true);
        waits.callBegins(CREATION, volume).ended(null);
        RowWait<String> before = begin(AwaitedCalls.NONE);
        RowCall call = waits.callBegins(CREATION, volume);
        before.stop();
        Creation calls = new Creation(true);
        RowWait<String> wait = begin(term, calls);
        assertThat(calls.events).as("the call that has ended is of no interest").containsExactly("begins");
        watch(wait);
        assertThat(state.listeners)
                .as("the worker of the volume checks the wait")
                .isEmpty();

        shown = new CsiException("the creation was withdrawn");
        waits.check(KEY);
        time.run();
        assertThat(wait.result()).isNotDone();
        call.ended(null);
        time.run();
        assertThat(wait.result()).isCompletedExceptionally();
        assertThat(waits.isAwaited(KEY)).isFalse();
    }

    @Test
    void endOfTheTermFailsOnlyTheWaitsForItsWork() {
        Term term = new Term(() -> true);
        Term next = new Term(() -> true);
        RowWait<String> ofTerm = begin(term, AwaitedCalls.NONE);
        RowWait<String> ofNext = begin(next, AwaitedCalls.NONE);
        RowWait<String> ofCaller = begin(AwaitedCalls.NONE);
        term.end();
        waits.end(term);
        RowWait<String> late = begin(term, AwaitedCalls.NONE);
        time.run();
        assertThatThrownBy(ofTerm.result()::join).hasCauseInstanceOf(NotLeadingException.class);
        assertThatThrownBy(() -> late.result().getNow("no failure"))
                .as("the term has ended before")
                .hasCauseInstanceOf(NotLeadingException.class);
        assertThat(ofNext.result()).isNotDone();
        assertThat(ofCaller.result()).isNotDone();
    }
}
