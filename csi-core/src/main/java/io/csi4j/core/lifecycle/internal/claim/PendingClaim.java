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

/** One request for claims, from its arrival to its grant. Its changing parts belong to the queue's turns. */
public final class PendingClaim {
    final Caller caller;
    final AllocationId allocationId;
    final List<ClaimRequest> requests;
    final Instant since;
    public final ClaimFuture result = new ClaimFuture();
    final ClaimWatches watches = new ClaimWatches();

    /** A TakeClaims of it is on its way. */
    boolean asking;
    /** It failed; whoever waits is told at once. */
    boolean failed;
    /** Whether something changed since it was asked. */
    boolean changedMeanwhile;
    /** Who goes before it; it was not decided about because of that. Null: nobody. */
    volatile @Nullable HeldBack heldBack;
    /** Another claim is in its way, so that those behind it must not overtake. */
    volatile @Nullable Blocked blocked;
    /** What it was last said to wait for; null: nothing yet. */
    @Nullable WaitingClaim told;
    /** What it took; empty until it did. */
    volatile List<Effect.ClaimTaken> taken = List.of();
    /** The plugin's refusals to publish what it claims. */
    private final Map<VolumeKey, Refusal> refusals = new ConcurrentHashMap<>(1);

    /** Why the plugin refused to publish a volume for the claim that was made at an index. */
    private record Refusal(long createIndex, Throwable why) {}

    public PendingClaim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests, Instant since) {
        this.caller = caller;
        this.allocationId = allocationId;
        this.requests = List.copyOf(requests);
        this.since = since;
    }

    /** Why it waits. */
    record Blocked(VolumeKey volume, AdmissionDecision.Wait decision) {
        /** Whether it waits for others to go, and not for a node, a plugin or a volume to come. */
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

    /** Whose turn comes first, on which volume. */
    record HeldBack(VolumeKey volume, PendingClaim first) {}

    Optional<ClaimRequest> on(VolumeKey key) {
        return requests.stream().filter(request -> request.volume().equals(key)).findFirst();
    }

    /** The plugin refused to publish a volume for a claim of this allocation. */
    void refused(VolumeKey key, Claim claim, Throwable why) {
        refusals.put(key, new Refusal(claim.createIndex(), why));
    }

    /** Why the plugin refused to publish the volume for a claim; empty if it did not. */
    Optional<Throwable> refusal(Effect.ClaimTaken claim) {
        return Optional.ofNullable(refusals.get(claim.volume().key()))
                .filter(refusal -> refusal.createIndex() == claim.claim().createIndex())
                .map(Refusal::why);
    }

    boolean waitsFor(WaitReason reason) {
        Blocked why = blocked;
        return why != null && why.decision().reason() == reason;
    }

    boolean isHeldBack() {
        return heldBack != null;
    }

    /**
     * The volume on which it keeps its place before later ones: the one it waits for others to leave, or for its turn
     * behind those before it. Null: it waits for something else.
     */
    @Nullable VolumeKey standsAt() {
        HeldBack behind = heldBack;
        Blocked why = blocked;
        if (behind != null) {
            return behind.volume();
        }
        return why != null && why.byOthers() ? why.volume() : null;
    }

    /**
     * Whether another claim on a volume, which came later, has to stay behind this one. One that reads, and uses the
     * volume the same way, may pass: it takes nothing that this one waits for, unless it is in the way on this one's node,
     * where it would have the volume attached for reading only while this one is to write, or staged while this one waits
     * for the end of the staging.
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

    /** What it waits for; behind another one, what that one waits for there. */
    WaitingClaim shown() {
        HeldBack behind = heldBack;
        if (behind == null) {
            Blocked why = blocked;
            return shown(Optional.ofNullable(why).map(Blocked::volume), Optional.ofNullable(why), Optional.empty());
        }
        Optional<Blocked> why = Optional.ofNullable(behind.first().blocked)
                .filter(blocked -> blocked.volume().equals(behind.volume()));
        return shown(Optional.of(behind.volume()), why, Optional.of(behind.first().allocationId));
    }

    private WaitingClaim shown(Optional<VolumeKey> volume, Optional<Blocked> why, Optional<AllocationId> behind) {
        return new WaitingClaim(allocationId, requests, since, volume, why.map(Blocked::decision), behind);
    }
}
