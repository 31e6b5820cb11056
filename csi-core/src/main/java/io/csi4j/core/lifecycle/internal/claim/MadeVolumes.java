package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.call.WrongPlaceException;
import io.csi4j.core.lifecycle.internal.wait.AwaitedCalls;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The waits of one claim request for the volumes that it makes. The row of a volume whose creation was refused is gone, so
 * the reason comes from the wait. Used only in the serial execution of the claim queue.
 */
final class MadeVolumes {
    private static final AwaitedCalls CREATIONS = new AwaitedCalls() {
        @Override
        public boolean include(CallTarget target, Volume volume) {
            return target instanceof CallTarget.OfVolume call && call.phase() == VolumePhase.CREATING;
        }

        // A row that is gone is gone, whatever becomes of the call.
        @Override
        public boolean precedeRow() {
            return false;
        }

        // The row shows whether a failed call is repeated.
        @Override
        public boolean endWith(Throwable failure) {
            return false;
        }
    };

    private final AllocationId claimant;
    private final Map<VolumeKey, Creation> creations = new LinkedHashMap<>(1);

    MadeVolumes(AllocationId claimant) {
        this.claimant = claimant;
    }

    /** The wait for one volume; its index is 0 until the volume is stored. */
    private static final class Creation {
        final RowWait<Volume> wait;
        long createIndex;

        Creation(RowWait<Volume> wait) {
            this.wait = wait;
        }
    }

    /** Begins a wait, before the volume is stored, because its worker may be faster than the queue. */
    void begin(RowWaits waits, Term term, VolumeKey key) {
        creations.computeIfAbsent(key, none -> new Creation(waits.begin(term, key, CREATIONS)));
    }

    /** Ends the waits for volumes that were not stored. */
    void stopUnstored() {
        creations.values().removeIf(creation -> {
            if (creation.createIndex == 0) {
                creation.wait.stop();
            }
            return creation.createIndex == 0;
        });
    }

    void stop() {
        creations.values().forEach(creation -> creation.wait.stop());
        creations.clear();
    }

    /**
     * Waits until a stored volume is made. Has no effect if the request waits for it already.
     *
     * @param others returns the nodes on which it may be made, if there was no room for it
     * @param ended is called with the reason when the volume was not made; empty if it was
     */
    void await(
            RowWaits waits,
            Term term,
            Volume stored,
            Supplier<List<NodeId>> others,
            Consumer<Optional<CsiException>> ended) {
        VolumeKey key = stored.key();
        begin(waits, term, key);
        Creation creation = creations.get(key);
        if (creation == null || creation.createIndex != 0) {
            return;
        }
        creation.createIndex = stored.createIndex();
        var unused = creation.wait.await(state -> made(state, stored)).whenComplete((volume, failure) -> {
            Throwable cause = failure == null ? null : Futures.unwrap(failure);
            if (!(cause instanceof CancellationException)) {
                ended.accept(Optional.ofNullable(cause).map(why -> refusal(stored, creation.wait, others, why)));
            }
        });
    }

    /** Forgets a volume that was made. */
    void done(VolumeKey key) {
        creations.remove(key);
    }

    /**
     * Returns whether the row of an awaited volume is gone or replaced, so that the reason will come from its wait, and the
     * request must not make it once more.
     */
    boolean isRefused(StateReader state) {
        return creations.entrySet().stream()
                .anyMatch(creation -> creation.getValue().createIndex != 0
                        && state.volume(creation.getKey())
                                .filter(volume -> volume.createIndex() == creation.getValue().createIndex)
                                .isEmpty());
    }

    private static Optional<Volume> made(StateReader state, Volume stored) {
        Volume volume = state.volume(stored.key())
                .filter(row -> row.createIndex() == stored.createIndex() && row.phase() != VolumePhase.DELETING)
                .orElseThrow(() -> new VolumeRemovedException(
                        stored.key(),
                        "volume " + stored.key()
                                + " was removed from the state while it was being created for the claim; claim it again",
                        null));
        return volume.phase() == VolumePhase.AVAILABLE ? Optional.of(volume) : Optional.empty();
    }

    private CsiException refusal(Volume stored, RowWait<Volume> wait, Supplier<List<NodeId>> others, Throwable thrown) {
        if (thrown instanceof NotLeadingException lost) {
            return lost;
        }
        Throwable cause = wait.lastFailure().map(Futures::unwrap).orElse(thrown);
        NeverReason reason = NeverReason.CREATION_REFUSED;
        String remedy = "";
        if (cause instanceof WrongPlaceException) {
            reason = NeverReason.WRONG_PLACE;
        } else if (Failures.code(cause) == StatusCode.RESOURCE_EXHAUSTED) {
            reason = NeverReason.NO_CAPACITY_IN_TOPOLOGY;
            remedy = "; the plugin has no room for it"
                    + stored.spec()
                            .accessibilityRequirements()
                            .map(places -> " in " + places.requisite())
                            .orElse("")
                    + ": place the allocation elsewhere, or free capacity; nodes in other topologies that can make it: "
                    + others.get();
        }
        var rejected = new RejectedException(new Rejection.NotAdmitted(
                stored.key(), claimant, new AdmissionDecision.Never(reason, Failures.text(cause) + remedy)));
        rejected.initCause(cause);
        return rejected;
    }
}
