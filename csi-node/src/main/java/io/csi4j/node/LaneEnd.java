package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a call of a lane has come to: on record, told, and done again later if it failed. */
final class LaneEnd {
    private final LanePorts ports;
    private final LaneRecord record;
    private final LaneUsers users;
    private final LaneCalls calls;
    private final LaneCleaning cleaning;
    private final LaneRetries retries;

    LaneEnd(
            LanePorts ports,
            LaneRecord record,
            LaneUsers users,
            LaneCalls calls,
            LaneCleaning cleaning,
            LaneRetries retries) {
        this.ports = ports;
        this.record = record;
        this.users = users;
        this.calls = calls;
        this.cleaning = cleaning;
        this.retries = retries;
    }

    /** The call ended, and the table was read after it. */
    void ended(MountAction action, @Nullable Throwable error, Optional<MountPoints> table) {
        VolumeEntry entry = record.entry();
        VolumeKey key = entry.key();
        Path path = calls.path(entry, action);
        LaneOutcome outcome = LaneOutcome.of(entry, action, path, error, table);
        if (outcome.problem() != null) {
            if (outcome.vain()) {
                record.set(MountStep.vain(entry, action));
            }
            failed(action, outcome.problem());
            return;
        }
        AllocationId user = LaneCalls.user(action);
        boolean leaving = user != null
                && entry.user(user)
                        .map(UserEntry::phase)
                        .filter(UserPhase::living)
                        .isEmpty();
        record.set(MountStep.done(entry, action, outcome.seen()));
        retries.succeeded(action);
        if (user != null && !action.isMaking()) {
            // The target is gone, whichever way it went: no failure of the other way counts.
            retries.succeeded(new MountAction.Unpublish(user));
            retries.succeeded(new MountAction.DirectUnmount(user));
        }
        if (action instanceof MountAction.Publish && !leaving) {
            ports.reporter().tell(Kind.MOUNTED, key, user, "Volume " + key + " is mounted at " + path);
        }
        if (!action.isMaking()) {
            cleaning.gone(path);
        }
        boolean unmounted = action instanceof MountAction.Unpublish || action instanceof MountAction.DirectUnmount;
        if (unmounted && leaving) {
            ports.reporter().tell(Kind.UNMOUNTED, key, user, "Volume " + key + " is unmounted from " + path);
        }
    }

    private void failed(MountAction action, Throwable error) {
        VolumeEntry entry = record.entry();
        String text = Causes.text(error);
        ports.reporter()
                .tell(
                        Kind.STEP_FAILED,
                        entry.key(),
                        LaneCalls.user(action),
                        "Volume " + entry.key() + ", " + action.getClass().getSimpleName() + ": " + text);
        if (action.isMaking() && Causes.outcomeUnknown(error)) {
            record.write(entry.uncertainAt(ports.clock().millis()));
        }
        if (action.isMaking() && Causes.forGood(error)) {
            for (UserEntry user : entry.living()) {
                boolean concerned = action instanceof MountAction.Stage
                        || user.allocationId().equals(LaneCalls.user(action));
                if (concerned) {
                    users.fail(user.allocationId(), error);
                }
            }
        }
        retries.failed(action, text);
    }
}
