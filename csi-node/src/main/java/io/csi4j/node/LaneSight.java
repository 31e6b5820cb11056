package io.csi4j.node;

import java.util.Optional;

/** The mount table as one lane may see it: read after it came to be, and after its last call ended. */
final class LaneSight {
    private final NodeLookout lookout;
    private long moment;

    LaneSight(NodeLookout lookout) {
        this.lookout = lookout;
        this.moment = lookout.moment();
    }

    /** What was seen before counts no more. */
    void callEnded() {
        moment = lookout.moment();
    }

    Optional<MountPoints> table() {
        return lookout.table(moment);
    }

    /** Whether anything is there for a volume without a record, or may be. */
    boolean somethingIsThere(VolumeEntry entry) {
        return lookout.somethingIsThere(entry, moment);
    }
}
