package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeException.Reason;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who waits for one volume, and whose wish is new or ends. Belongs to the turns of its lane. */
final class LaneUsers {
    private final NodePaths paths;
    private final LaneRecord record;
    private final LaneCalls calls;
    private final LaneWaits waits;
    private final Consumer<Runnable> inTurn;
    /** Whose wish ends; on record as soon as that can be written. */
    private final Set<AllocationId> ending = new LinkedHashSet<>();
    /** Whose first mount is under way, for somebody who can be told that it failed. */
    private final Set<AllocationId> fresh = new HashSet<>();
    /** The last wish of each to mount. */
    private final Map<AllocationId, Long> wishes = new HashMap<>();

    private long wishesSoFar;

    /** Whoever waits is told by {@code teller}, and what comes of that is done {@code inTurn}. */
    LaneUsers(
            NodePaths paths, LaneRecord record, LaneCalls calls, Consumer<Runnable> teller, Consumer<Runnable> inTurn) {
        this.paths = paths;
        this.record = record;
        this.calls = calls;
        this.waits = new LaneWaits(teller);
        this.inTurn = inTurn;
    }

    LaneWaits waits() {
        return waits;
    }

    boolean none() {
        return waits.none() && ending.isEmpty();
    }

    /** A wish to mount is on record, or soon will be. */
    void comes(AllocationId allocation, boolean isNew, MountSecrets secrets) {
        if (isNew) {
            fresh.add(allocation);
        }
        wishesSoFar++;
        wishes.put(allocation, wishesSoFar);
        ending.remove(allocation);
        waits.failUnmount(
                allocation, withdrawn("was mounted again for allocation " + allocation + " before it was unmounted"));
        calls.secrets(allocation, secrets);
    }

    /** A wish to unmount, which is not on record yet. */
    void goes(AllocationId allocation) {
        waits.failMount(allocation, withdrawn("was unmounted for allocation " + allocation + " before it was mounted"));
        ending.add(allocation);
    }

    private NodeVolumeException withdrawn(String what) {
        return new NodeVolumeException(
                Reason.WITHDRAWN, "Volume " + record.entry().key() + " " + what);
    }

    /** A wait ended without success. The wish ends with it, if it was its own and has not come true. */
    void abandon(MountWait<?> wait) {
        AllocationId allocation = wait.allocationId();
        if (waits.abandon(wait) && fresh.contains(allocation)) {
            ending.add(allocation);
        }
    }

    /** Nothing was done for its mount, and nothing will be. */
    void refuse(AllocationId allocation, Throwable error) {
        fresh.remove(allocation);
        if (record.entry().user(allocation).isEmpty()) {
            calls.forgetSecrets(allocation);
        }
        waits.failMount(allocation, error);
    }

    /** The plugin will never do it: whose first mount it is, is told so, and what was begun is undone. */
    void fail(AllocationId allocation, Throwable error) {
        if (fresh.contains(allocation)) {
            waits.failMount(allocation, error);
            ending.add(allocation);
        }
    }

    /** Puts on record whose wish ends. */
    void endWishes() {
        for (AllocationId allocation : Set.copyOf(ending)) {
            VolumeEntry without = record.entry().leave(allocation);
            if (without.equals(record.entry()) || record.write(without)) {
                ending.remove(allocation);
                fresh.remove(allocation);
                wishes.remove(allocation);
                calls.forgetSecrets(allocation);
            }
        }
    }

    /** Who waited for its first mount left before it could be told that it came true: its wish ends with that. */
    private void unheard(AllocationId allocation, @Nullable Long wish) {
        if (Objects.equals(wishes.get(allocation), wish)) {
            ending.add(allocation);
        } else if (waits.isMounting(allocation)) {
            // It was wished again meanwhile, and that wish is the first now.
            fresh.add(allocation);
        }
    }

    /** Nobody is told what is not on record. Tells whether anybody is told anything. */
    boolean tell(MountFacts facts) {
        if (!record.isWritten()) {
            return false;
        }
        boolean told = false;
        VolumeEntry entry = record.entry();
        for (UserEntry user : entry.users()) {
            if (user.phase() == UserPhase.PUBLISHED && !facts.lost(user)) {
                AllocationId allocation = user.allocationId();
                boolean first = fresh.remove(allocation);
                Long wish = wishes.get(allocation);
                calls.forgetSecrets(allocation);
                told |= waits.mounted(
                        allocation,
                        new MountedVolume(
                                entry.key(),
                                allocation,
                                paths.target(entry.key(), allocation),
                                user.terms().capability().attachmentMode(),
                                user.terms().readonly()),
                        () -> {
                            if (first) {
                                inTurn.accept(() -> unheard(allocation, wish));
                            }
                        });
            }
        }
        boolean othersStay = !entry.living().isEmpty()
                || (entry.rebuilt() && !facts.strayTargets().isEmpty());
        boolean down = entry.staging() == null
                && facts.strayTargets().isEmpty()
                && facts.strayStagings().isEmpty();
        return waits.unmounted(allocation ->
                        entry.user(allocation).isEmpty() && !ending.contains(allocation) && (othersStay || down))
                || told;
    }
}
