package io.csi4j.node;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a lane does where no call is to be made: it refuses, waits, forgets, or has nothing to do. */
final class LaneRest {
    private final LanePorts ports;
    private final LaneRecord record;
    private final LaneUsers users;
    private final LaneRetries retries;
    private final BooleanSupplier retire;
    private MountAction.@Nullable Why told;

    /** {@code retire} takes the lane away, unless somebody came meanwhile; false: somebody did. */
    LaneRest(LanePorts ports, LaneRecord record, LaneUsers users, LaneRetries retries, BooleanSupplier retire) {
        this.ports = ports;
        this.record = record;
        this.users = users;
        this.retries = retries;
        this.retire = retire;
    }

    /** What comes after it. */
    enum Next {
        /** Ask again what is to be done. */
        AGAIN,
        /** Nothing, until something happens. */
        NOTHING,
        /** Nothing ever: the lane was taken away. */
        GONE
    }

    Next settle(MountAction action) {
        if (action instanceof MountAction.Refuse refuse) {
            if (!record.write(record.entry().without(refuse.allocationId()))) {
                return Next.NOTHING;
            }
            users.refuse(
                    refuse.allocationId(), LaneWishes.conflict(record.entry().key(), refuse));
            return Next.AGAIN;
        }
        if (action instanceof MountAction.Forget) {
            return forget();
        }
        if (action instanceof MountAction.Await await) {
            tellOnce(await.why());
            if (await.why() == MountAction.Why.PLUGIN) {
                retries.lookAgain(ports.options().pluginPoll());
            }
            return Next.NOTHING;
        }
        told = null;
        VolumeEntry entry = record.entry();
        boolean again = entry.hasNothing() && entry.uncertainSince() != 0 && lateWorkIsOver(entry);
        return again ? Next.AGAIN : Next.NOTHING;
    }

    private Next forget() {
        try {
            record.remove();
            // A record that comes after this one belongs to another lane.
            return retire.getAsBoolean() ? Next.GONE : Next.NOTHING;
        } catch (IOException e) {
            retries.failed(new MountAction.Forget(), "the record could not be removed: " + Causes.text(e));
            return Next.NOTHING;
        }
    }

    private boolean lateWorkIsOver(VolumeEntry entry) {
        Duration since = Duration.ofMillis(ports.clock().millis() - entry.uncertainSince());
        Duration left = ports.options().lateWork().minus(since);
        if (left.isNegative() || left.isZero()) {
            return record.write(entry.uncertainAt(0));
        }
        retries.lookAgain(left);
        return false;
    }

    private void tellOnce(MountAction.Why why) {
        VolumeKey key = record.entry().key();
        if (why != told && (why == MountAction.Why.OWNERS || why == MountAction.Why.IDENTITY)) {
            ports.reporter().tell(Kind.OWNER_UNKNOWN, key, null, "Volume " + key + ": " + why.text);
        }
        told = why;
    }
}
