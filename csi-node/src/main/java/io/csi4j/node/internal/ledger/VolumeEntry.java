package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The record of a volume on this node: the requested uses and their progress. Immutable.
 *
 * @param key the volume
 * @param id the volume with its plugin and external id; null: the record was rebuilt from paths, which do not contain these ids
 * @param staging the staging, or null
 * @param users the uses in the order of their requests
 * @param rebuilt whether the earlier record was lost; a mount that no use explains then belongs to an unknown owner
 * @param uncertainSince the time at which a call with an unknown outcome was last undone, in milliseconds since the epoch; 0: never. The
 *     call may still take effect (R30), so its record is kept for a while
 */
public record VolumeEntry(
        VolumeKey key,
        @Nullable NodeVolumeId id,
        @Nullable StagingEntry staging,
        List<UserEntry> users,
        boolean rebuilt,
        long uncertainSince) {
    public VolumeEntry {
        users = List.copyOf(users);
    }

    public static VolumeEntry empty(VolumeKey key, boolean rebuilt) {
        return new VolumeEntry(key, null, null, List.of(), rebuilt, 0);
    }

    public Optional<UserEntry> user(AllocationId allocation) {
        return users.stream()
                .filter(user -> user.allocationId().equals(allocation))
                .findFirst();
    }

    public List<UserEntry> living() {
        return users.stream().filter(user -> user.phase().living()).toList();
    }

    public boolean anyMayBePublished() {
        return users.stream().anyMatch(user -> user.phase().mayBePublished());
    }

    public boolean hasNothing() {
        return users.isEmpty() && staging == null;
    }

    public VolumeEntry identifiedAs(NodeVolumeId known) {
        return new VolumeEntry(key, known, staging, users, rebuilt, uncertainSince);
    }

    public VolumeEntry uncertainAt(long millis) {
        return new VolumeEntry(key, id, staging, users, rebuilt, millis);
    }

    public VolumeEntry complete() {
        return new VolumeEntry(key, id, staging, users, false, uncertainSince);
    }

    public VolumeEntry staged(@Nullable StagingEntry next) {
        return new VolumeEntry(key, id, next, users, rebuilt, uncertainSince);
    }

    public VolumeEntry with(UserEntry user) {
        List<UserEntry> next = new ArrayList<>(users);
        int at = 0;
        while (at < next.size() && !next.get(at).allocationId().equals(user.allocationId())) {
            at++;
        }
        if (at < next.size()) {
            next.set(at, user);
        } else {
            next.add(user);
        }
        return withUsers(next);
    }

    public VolumeEntry without(AllocationId allocation) {
        return withUsers(users.stream()
                .filter(user -> !user.allocationId().equals(allocation))
                .toList());
    }

    /** Returns a copy in which the use of an allocation is changed; the same entry if the allocation has no use. */
    public VolumeEntry change(AllocationId allocation, UnaryOperator<UserEntry> change) {
        return user(allocation).map(change).map(this::with).orElse(this);
    }

    /** Returns a copy in which the use of the allocation is ending. */
    public VolumeEntry leave(AllocationId allocation) {
        Optional<UserEntry> user = user(allocation);
        if (user.isEmpty()) {
            return this;
        }
        return user.get().phase() == UserPhase.WANTED
                ? without(allocation)
                : with(user.get().in(UserPhase.LEAVING));
    }

    /** Returns a copy in which the staging and all targets have to be unmounted and mounted again, because the staging is broken. */
    public VolumeEntry reset() {
        VolumeEntry next = staging == null ? this : staged(staging.in(StagingPhase.UNSTAGING));
        for (UserEntry user : users) {
            next = next.resetUser(user.allocationId());
        }
        return next;
    }

    /** Returns a copy in which one target has to be unmounted and mounted again. */
    public VolumeEntry resetUser(AllocationId allocation) {
        return change(
                allocation,
                user -> user.phase() == UserPhase.PUBLISHED || user.phase() == UserPhase.PUBLISHING
                        ? user.in(UserPhase.RESETTING)
                        : user);
    }

    private VolumeEntry withUsers(List<UserEntry> next) {
        return new VolumeEntry(key, id, staging, next, rebuilt, uncertainSince);
    }
}
