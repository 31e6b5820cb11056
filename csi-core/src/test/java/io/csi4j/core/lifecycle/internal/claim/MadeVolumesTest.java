package io.csi4j.core.lifecycle.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.call.WrongPlaceException;
import io.csi4j.core.lifecycle.internal.wait.RowCall;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class MadeVolumesTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final NodeId OTHER = NodeId.of("n9");

    private final VirtualTime time = VirtualTime.inOrder();
    private final NaiveState state = new NaiveState();
    private final RowWaits waits = new RowWaits(TestPorts.of(new ReadLog(), time));
    private final Term term = new Term(() -> true);
    private final MadeVolumes made = new MadeVolumes(AllocationId.of("a"));
    private final List<Optional<CsiException>> ended = new ArrayList<>();

    /** A log from which only the state is read. */
    private final class ReadLog implements CommandLog, ObservableState {
        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            throw new UnsupportedOperationException("the test stores nothing");
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            return state;
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            throw new UnsupportedOperationException("workers check the waits");
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            throw new UnsupportedOperationException("workers check the waits");
        }
    }

    private static Volume volume(long createIndex, VolumePhase phase) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .accessibilityRequirements(TopologyRequirement.requisite(Topology.of("zone", "z1")))
                .build();
        return Volume.builder(KEY, spec, createIndex, Instant.EPOCH)
                .origin(VolumeOrigin.CREATED)
                .phase(phase)
                .build();
    }

    private void shows(Volume row) {
        state.putVolume(row);
        checked();
    }

    private void checked() {
        waits.check(KEY);
        time.run();
    }

    private Volume awaited() {
        Volume stored = volume(5, VolumePhase.CREATING);
        state.putVolume(stored);
        made.await(waits, term, stored, () -> List.of(OTHER), ended::add);
        time.run();
        return stored;
    }

    /** The creation ends with a failure, and its row is gone. */
    private AdmissionDecision.Never refusedAfter(CsiException failure) {
        Volume stored = awaited();
        RowCall call = waits.callBegins(new CallTarget.OfVolume(5, VolumePhase.CREATING), stored);
        call.fails(failure);
        state.removeVolume(KEY);
        call.ended(failure);
        checked();
        assertThat(ended).hasSize(1);
        RejectedException refusal = (RejectedException) ended.get(0).orElseThrow();
        assertThat(refusal).hasCause(failure);
        Rejection.NotAdmitted reason = (Rejection.NotAdmitted) refusal.reason();
        assertThat(reason.allocationId()).isEqualTo(AllocationId.of("a"));
        return (AdmissionDecision.Never) reason.decision();
    }

    @Test
    void requestContinuesWhenItsVolumeIsMade() {
        made.begin(waits, term, KEY);
        assertThat(waits.isAwaited(KEY)).as("the worker may be faster").isTrue();
        Volume stored = awaited();
        assertThat(made.isRefused(state)).isFalse();
        checked();
        assertThat(ended).isEmpty();
        made.await(waits, term, stored, List::of, ended::add);
        shows(volume(5, VolumePhase.AVAILABLE));
        assertThat(ended).as("it waits once").containsExactly(Optional.empty());
        assertThat(made.isRefused(state)).isFalse();
        assertThat(waits.isAwaited(KEY)).isFalse();
    }

    @Test
    void volumeThatIsGoneOrDeletedIsNotMadeOnceMore() {
        awaited();
        state.removeVolume(KEY);
        assertThat(made.isRefused(state)).isTrue();
        state.putVolume(volume(6, VolumePhase.AVAILABLE));
        assertThat(made.isRefused(state)).as("another volume has the key").isTrue();
        shows(volume(5, VolumePhase.DELETING));
        assertThat(ended.get(0).orElseThrow())
                .hasMessageContaining("was removed from the state while it was being created for the claim");
        made.done(KEY);
        state.removeVolume(KEY);
        assertThat(made.isRefused(state)).as("it is forgotten").isFalse();
    }

    @Test
    void refusalNamesItsReason() {
        AdmissionDecision.Never refused = refusedAfter(failure(StatusCode.INVALID_ARGUMENT));
        assertThat(refused.reason()).isEqualTo(NeverReason.CREATION_REFUSED);
        assertThat(refused.detail()).doesNotContain("place the allocation elsewhere");
    }

    @Test
    void refusalForLackOfRoomNamesOtherNodes() {
        AdmissionDecision.Never full = refusedAfter(failure(StatusCode.RESOURCE_EXHAUSTED));
        assertThat(full.reason()).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(full.detail()).contains("no room for it in [", "z1", "that can make it: [n9]");
    }

    private static CsiCallException failure(StatusCode code) {
        return new CsiCallException(
                Rpc.CREATE_VOLUME,
                "p",
                "v",
                code,
                CallOutcome.of(Rpc.CREATE_VOLUME, code, false),
                "it said so",
                code.name(),
                null);
    }

    @Test
    void volumeThatWasMadeElsewhereIsInTheWrongPlace() {
        AdmissionDecision.Never elsewhere = refusedAfter(new WrongPlaceException(
                KEY, NodeId.of("n1"), Topology.of("zone", "z1"), List.of(Topology.of("zone", "z2"))));
        assertThat(elsewhere.reason()).isEqualTo(NeverReason.WRONG_PLACE);
    }

    @Test
    void endOfTheTermIsNoRefusal() {
        awaited();
        waits.end(term);
        time.run();
        assertThat(ended).hasSize(1);
        assertThat(ended.get(0)).containsInstanceOf(NotLeadingException.class);
    }

    @Test
    void waitsThatNothingNeedsEndSilently() {
        made.begin(waits, term, KEY);
        made.stopUnstored();
        time.run();
        assertThat(waits.isAwaited(KEY)).isFalse();
        awaited();
        made.stopUnstored();
        time.run();
        assertThat(waits.isAwaited(KEY)).as("its volume is stored").isTrue();
        made.stop();
        time.run();
        assertThat(waits.isAwaited(KEY)).isFalse();
        assertThat(ended).isEmpty();
        state.removeVolume(KEY);
        assertThat(made.isRefused(state)).isFalse();
    }
}
