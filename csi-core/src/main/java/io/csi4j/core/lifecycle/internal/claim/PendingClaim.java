package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One claim request from its arrival to its grant. Its fields belong to the serial execution of the queue. */
public final class PendingClaim {
    final Caller caller;
    final AllocationId allocationId;
    final List<ClaimRequest> requests;
    final Instant since;
    public final ClaimFuture result = new ClaimFuture();
    final ClaimWatches watches = new ClaimWatches();

    /** Whether a TakeClaims command of this request is in flight. */
    boolean asking;
    /** Whether the request has failed; its caller is notified at once. */
    boolean failed;
    /** Whether something changed since the last attempt. */
    boolean changedMeanwhile;
    /** The request ahead of this one, which kept it from being decided; null: none. */
    volatile @Nullable HeldBack heldBack;
    /** The claim that blocks this request, so that later requests must not overtake; null: none. */
    volatile @Nullable Blocked blocked;
    /** The wait that was last reported; null: none yet. */
    @Nullable WaitingClaim reported;
    /** The taken claims; empty until they are taken. */
    volatile List<Effect.ClaimTaken> taken = List.of();
    /** The plugin's refusals to publish volumes of this request. */
    private final Map<VolumeKey, Refusal> refusals = new ConcurrentHashMap<>(1);

    /** The plugin's refusal to publish a volume for the claim that was created at an index. */
    private record Refusal(long createIndex, Throwable cause) {}

    public PendingClaim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests, Instant since) {
        this.caller = caller;
        this.allocationId = allocationId;
        this.requests = List.copyOf(requests);
        this.since = since;
    }

    /** The reason of the wait. */
    record Blocked(VolumeKey volume, AdmissionDecision.Wait decision) {
        /**
         * Returns whether the request waits for other claims to be released, and not for a node, a plugin or a volume.
         */
        boolean byOthers() {
            return switch (decision.reason()) {
                case OTHER_CAPABILITY_IN_USE,
                        CLAIMED_ON_OTHER_NODE,
                        WRITER_OR_CLAIM_TAKEN,
                        OTHER_MOUNT_OPTIONS_IN_USE,
                        ATTACHED_READONLY,
                        BEING_DETACHED -> true;
                case VOLUME_NOT_READY,
                        EXPANDING_OFFLINE,
                        OWN_CLAIM_RELEASING,
                        NODE_NOT_READY,
                        NO_HEALTHY_NODE_PLUGIN,
                        NO_HEALTHY_CONTROLLER,
                        PLUGIN_NOT_KNOWN,
                        NODE_FULL -> false;
            };
        }
    }

    /** The request that is first on a volume. */
    record HeldBack(VolumeKey volume, PendingClaim first) {}

    Optional<ClaimRequest> on(VolumeKey key) {
        return requests.stream().filter(request -> request.volume().equals(key)).findFirst();
    }

    /** Records the plugin's refusal to publish a volume for a claim of this allocation. */
    void refused(VolumeKey key, Claim claim, Throwable cause) {
        refusals.put(key, new Refusal(claim.createIndex(), cause));
    }

    /** Returns the plugin's refusal to publish the volume for a claim; empty: none. */
    Optional<Throwable> refusal(Effect.ClaimTaken claim) {
        return Optional.ofNullable(refusals.get(claim.volume().key()))
                .filter(refusal -> refusal.createIndex() == claim.claim().createIndex())
                .map(Refusal::cause);
    }

    boolean waitsFor(WaitReason reason) {
        Blocked cause = blocked;
        return cause != null && cause.decision().reason() == reason;
    }

    boolean isHeldBack() {
        return heldBack != null;
    }

    /**
     * Returns the volume on which the request keeps its position ahead of later ones; null: it waits for something else than other
     * claims.
     */
    @Nullable VolumeKey standsAt() {
        HeldBack behind = heldBack;
        Blocked cause = blocked;
        if (behind != null) {
            return behind.volume();
        }
        return cause != null && cause.byOthers() ? cause.volume() : null;
    }

    /**
     * Returns whether a later request for a volume has to stay behind this one. A reader with the same capability may overtake,
     * because it takes nothing that this request waits for. It may not overtake if it would block this request on its own node: by
     * a read-only attachment where this request writes, or by a staging whose end this request waits for.
     */
    boolean keepsBehind(PendingClaim later, VolumeKey key, boolean inTheWay) {
        if (asking) {
            return true;
        }
        if (!key.equals(standsAt())) {
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

    /** Returns the wait of this request; behind another request, the reason of that request. */
    WaitingClaim redacted() {
        HeldBack behind = heldBack;
        if (behind == null) {
            Blocked cause = blocked;
            return redacted(
                    Optional.ofNullable(cause).map(Blocked::volume), Optional.ofNullable(cause), Optional.empty());
        }
        Optional<Blocked> cause = Optional.ofNullable(behind.first().blocked)
                .filter(blocked -> blocked.volume().equals(behind.volume()));
        return redacted(Optional.of(behind.volume()), cause, Optional.of(behind.first().allocationId));
    }

    private WaitingClaim redacted(Optional<VolumeKey> volume, Optional<Blocked> cause, Optional<AllocationId> behind) {
        return new WaitingClaim(allocationId, requests, since, volume, cause.map(Blocked::decision), behind);
    }
}
