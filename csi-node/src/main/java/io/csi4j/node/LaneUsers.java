package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeException.Reason;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

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
    /** Whose first mount was told, and who may not have heard of it. */
    private final Map<AllocationId, Tellings> tellings = new HashMap<>();

    /** How often it was told that a mount is there, and how often all who waited had left. Equal to itself only. */
    private static final class Tellings {
        private int told;
        private int unheard;
    }

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
            tellings.remove(allocation);
        }
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
                tellings.remove(allocation);
                calls.forgetSecrets(allocation);
            }
        }
    }

    /** Who waited for its first mount left before it could be told that it came true: the wish ends if nobody heard. */
    private void unheard(AllocationId allocation, Tellings which) {
        which.unheard++;
        if (which.unheard < which.told || !which.equals(tellings.get(allocation))) {
            return;
        }
        tellings.remove(allocation);
        if (waits.isMounting(allocation)) {
            // It was wished again meanwhile, and that wish is the first now.
            fresh.add(allocation);
        } else {
            ending.add(allocation);
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
                if (fresh.remove(allocation) && waits.isMounting(allocation)) {
                    tellings.put(allocation, new Tellings());
                }
                Tellings first = tellings.get(allocation);
                calls.forgetSecrets(allocation);
                boolean waited = waits.mounted(
                        allocation,
                        new MountedVolume(
                                entry.key(),
                                allocation,
                                paths.target(entry.key(), allocation),
                                user.terms().capability().attachmentMode(),
                                user.terms().readonly()),
                        () -> {
                            if (first != null) {
                                inTurn.accept(() -> unheard(allocation, first));
                            }
                        });
                if (waited && first != null) {
                    first.told++;
                }
                told |= waited;
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
