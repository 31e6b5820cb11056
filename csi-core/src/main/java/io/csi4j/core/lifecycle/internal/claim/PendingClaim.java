package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Moment;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One claim request from its arrival to its grant. Its fields are changed only in the serial execution of the claim
 * queue. Other threads read the volatile fields to report the wait.
 */
public final class PendingClaim {
    final Caller caller;
    final AllocationId allocationId;
    final List<ClaimRequest> requests;
    final Moment since;
    public final ClaimFuture result = new ClaimFuture();
    final ClaimWatches watches = new ClaimWatches();

    /** The position in the order of arrival; the waiting lists set it when they add the request. */
    long position;

    /** Whether a TakeClaims command of this request is in flight. */
    boolean asking;
    /** Whether the request has failed. Its caller is notified outside the serial execution. */
    boolean failed;
    /** Whether the state changed while the TakeClaims command was in flight. */
    boolean changedMeanwhile;
    /** The earlier request behind which this one waits; null if there is none. */
    volatile @Nullable HeldBack heldBack;
    /**
     * The volume and the reason for which this request waits for a change of the state; null if the request does not
     * wait for such a change. A request that waits for other claims may hold back later requests.
     */
    volatile @Nullable Blocked blocked;
    /** The wait that was last reported in an event; null before the first report. */
    @Nullable WaitingClaim reported;
    /** The claims that this request has taken; empty before they are taken. */
    volatile List<Effect.ClaimTaken> taken = List.of();
    /** The waits until the volumes are published. */
    private final Map<VolumeKey, RowWait<Volume>> publishing = new ConcurrentHashMap<>(1);

    public PendingClaim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests, Moment since) {
        this.caller = caller;
        this.allocationId = allocationId;
        this.requests = List.copyOf(requests);
        this.since = since;
    }

    /** The volume for which a request has to wait, and the reason. */
    record Blocked(VolumeKey volume, AdmissionDecision.Wait decision) {
        /**
         * Returns whether the request waits for the release of other claims, which a ledger may still add, and not for a
         * node, a plugin or a volume.
         */
        boolean isForOtherClaims() {
            return switch (decision.reason()) {
                case OTHER_CAPABILITY_IN_USE,
                        CLAIMED_ON_OTHER_NODE,
                        WRITER_OR_CLAIM_TAKEN,
                        OTHER_MOUNT_OPTIONS_IN_USE,
                        ATTACHED_READONLY,
                        BEING_DETACHED,
                        LEFT_ON_NODE,
                        LEDGER_NOT_KNOWN -> true;
                case VOLUME_NOT_READY,
                        EXPANDING_OFFLINE,
                        OWN_CLAIM_RELEASING,
                        NODE_NOT_READY,
                        NODE_REPLACED,
                        NO_HEALTHY_NODE_PLUGIN,
                        PROVIDER_CONFLICT,
                        NO_HEALTHY_CONTROLLER,
                        PLUGIN_NOT_KNOWN,
                        NODE_FULL -> false;
            };
        }
    }

    /** The volume on which a request waits behind an earlier one, and that earlier request. */
    record HeldBack(VolumeKey volume, PendingClaim first) {}

    Optional<ClaimRequest> on(VolumeKey key) {
        return requests.stream().filter(request -> request.volume().equals(key)).findFirst();
    }

    /**
     * Returns the wait until a volume is published.
     *
     * @param begin begins the wait if it has not begun
     */
    RowWait<Volume> publishing(VolumeKey key, Supplier<RowWait<Volume>> begin) {
        RowWait<Volume> wait = publishing.computeIfAbsent(key, none -> begin.get());
        if (result.outcome().isDone()) {
            stopWaits();
        }
        return wait;
    }

    /** Ends the waits until volumes are published, because the request has ended or takes no claims now. */
    void stopWaits() {
        publishing.values().forEach(RowWait::stop);
        publishing.clear();
    }

    boolean waitsFor(WaitReason reason) {
        Blocked cause = blocked;
        return cause != null && cause.decision().reason() == reason;
    }

    boolean isHeldBack() {
        return heldBack != null;
    }

    /**
     * Returns the volume on which this request may hold back later requests; null if there is none. If this request
     * waits behind an earlier request, the result is the volume on which it does so. Otherwise the result is the volume
     * whose claims this request waits for.
     */
    @Nullable VolumeKey positionHeldOn() {
        HeldBack behind = heldBack;
        Blocked cause = blocked;
        if (behind != null) {
            return behind.volume();
        }
        return cause != null && cause.isForOtherClaims() ? cause.volume() : null;
    }

    /**
     * Returns whether this request holds back a later request for a volume. While a TakeClaims command of this request
     * is in flight, it holds back all later requests. Otherwise a later read with the same multi-node capability may
     * pass, with one exception: it may not pass if {@code inTheWay} is true and this request either writes or waits
     * until other mount options are no longer in use.
     *
     * @param inTheWay whether the later request, if it were granted first, would block this request on the same node
     */
    boolean mustPrecede(PendingClaim later, VolumeKey key, boolean inTheWay) {
        if (asking) {
            return true;
        }
        if (!key.equals(positionHeldOn())) {
            return false;
        }
        ClaimRequest mine = on(key).orElseThrow();
        ClaimRequest other = later.on(key).orElseThrow();
        boolean harmless = other.mode() == ClaimMode.READ
                && other.capability().accessMode().multiNode()
                && other.capability().equals(mine.capability())
                && !(inTheWay && (mine.mode() == ClaimMode.WRITE || waitsFor(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE)));
        return !harmless;
    }

    /**
     * Returns the wait of this request as callers may see it. If an earlier request holds it back, the returned reason
     * is the one for which the earlier request waits.
     */
    WaitingClaim toWaitingClaim() {
        HeldBack behind = heldBack;
        if (behind == null) {
            Blocked cause = blocked;
            return toWaitingClaim(
                    Optional.ofNullable(cause).map(Blocked::volume), Optional.ofNullable(cause), Optional.empty());
        }
        Optional<Blocked> cause = Optional.ofNullable(behind.first().blocked)
                .filter(blocked -> blocked.volume().equals(behind.volume()));
        return toWaitingClaim(Optional.of(behind.volume()), cause, Optional.of(behind.first().allocationId));
    }

    private WaitingClaim toWaitingClaim(
            Optional<VolumeKey> volume, Optional<Blocked> cause, Optional<AllocationId> behind) {
        return new WaitingClaim(allocationId, requests, since.time(), volume, cause.map(Blocked::decision), behind, "");
    }
}
