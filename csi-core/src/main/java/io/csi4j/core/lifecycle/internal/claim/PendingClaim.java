package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Moment;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
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
    /** The volumes that the request makes. */
    final MadeVolumes made;

    /** The position in the order of arrival; the waiting lists set it when they add the request. */
    long position;

    /** Whether a TakeClaims command of this request is in flight. */
    boolean asking;
    /** Whether the log will reject this request, as far as the queue knows. */
    boolean inVain;
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
    /** Ends the wait for volumes that the plugin does not finish; null while the request makes none. */
    @Nullable Cancellable patience;
    /** The waits until the volumes are published. */
    private final Map<VolumeKey, RowWait<Volume>> publishing = new ConcurrentHashMap<>(1);

    /** The index of the stored request for these claims; 0 if a caller waits for them. */
    final long storedAt;

    public PendingClaim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests, Moment since) {
        this(caller, allocationId, requests, since, 0);
    }

    private PendingClaim(
            Caller caller, AllocationId allocationId, List<ClaimRequest> requests, Moment since, long storedAt) {
        this.caller = caller;
        this.allocationId = allocationId;
        this.requests = List.copyOf(requests);
        this.since = since;
        this.storedAt = storedAt;
        this.made = new MadeVolumes(allocationId);
    }

    static PendingClaim stored(RequestedClaims row, Moment since) {
        return new PendingClaim(Caller.ENGINE, row.allocationId(), row.requests(), since, row.createIndex());
    }

    /** Returns whether the state still has the request, or the request is not a stored one. */
    boolean isStored(StateReader state) {
        return storedAt == 0
                || state.requestedClaims(new RequestedClaims.Key(allocationId, storedAt))
                        .isPresent();
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
                        NOT_VERIFIED,
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

    /**
     * The wait of a request behind an earlier one.
     *
     * @param volume the volume for which both wait
     * @param by the earlier request; null if each earlier request that holds back later ones holds back this one
     */
    record HeldBack(VolumeKey volume, @Nullable PendingClaim by) {}

    /** The later requests for a volume that an earlier one holds back. */
    enum Precedence {
        NONE,
        /** All but reads with the same multi-node capability. */
        OVER_WRITES,
        /** All but those reads with the same multi-node capability that need no read-only attachment to its node. */
        OVER_READONLY_ATTACHMENTS,
        /** All but those reads with the same multi-node capability that are for other nodes. */
        OVER_READS_ON_NODE,
        OVER_ALL
    }

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
     * Returns which later requests for a volume this request holds back. While a TakeClaims command of this request is in
     * flight, it holds back all of them, unless the log will reject it.
     */
    Precedence precedence(VolumeKey key) {
        if (inVain) {
            return Precedence.NONE;
        }
        if (asking) {
            return Precedence.OVER_ALL;
        }
        if (!key.equals(positionHeldOn())) {
            return Precedence.NONE;
        }
        if (waitsFor(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE)) {
            return Precedence.OVER_READS_ON_NODE;
        }
        return on(key).orElseThrow().mode() == ClaimMode.WRITE
                ? Precedence.OVER_READONLY_ATTACHMENTS
                : Precedence.OVER_WRITES;
    }

    /**
     * Returns whether this request holds back a later request for a volume.
     *
     * @param inTheWay whether the later request, if it were granted first, would block this request on the same node
     */
    boolean mustPrecede(PendingClaim later, VolumeKey key, boolean inTheWay) {
        ClaimRequest mine = on(key).orElseThrow();
        ClaimRequest other = later.on(key).orElseThrow();
        boolean harmless = isShared(other) && other.capability().equals(mine.capability());
        return switch (precedence(key)) {
            case NONE -> false;
            case OVER_WRITES -> !harmless;
            case OVER_READONLY_ATTACHMENTS, OVER_READS_ON_NODE -> !harmless || inTheWay;
            case OVER_ALL -> true;
        };
    }

    /** Returns whether a request only reads, with a capability that lets several nodes use the volume. */
    static boolean isShared(ClaimRequest request) {
        return request.mode() == ClaimMode.READ
                && request.capability().accessMode().multiNode();
    }

    /**
     * Returns the wait of this request as callers may see it. If an earlier request holds it back, the returned reason
     * is the one for which the earlier request waits.
     *
     * @param wait the wait behind an earlier request, read once by the caller, because another thread may change it
     * @param first the first of the requests that hold back this one; empty if there is none
     */
    WaitingClaim toWaitingClaim(@Nullable HeldBack wait, Optional<PendingClaim> first) {
        Optional<Blocked> cause = wait == null
                ? Optional.ofNullable(blocked)
                : first.map(other -> other.blocked)
                        .filter(blocking -> blocking.volume().equals(wait.volume()));
        return new WaitingClaim(
                allocationId,
                requests,
                since.time(),
                wait == null ? cause.map(Blocked::volume) : Optional.of(wait.volume()),
                cause.map(Blocked::decision),
                wait == null ? Optional.empty() : first.map(other -> other.allocationId),
                "");
    }
}
