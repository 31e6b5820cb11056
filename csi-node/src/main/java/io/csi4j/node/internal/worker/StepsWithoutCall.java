package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.DesiredState;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.MountPlan;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Performs the actions of {@link MountPlan} that need no call: refuses uses, removes records, or waits. Used in the tasks of the
 * worker only.
 */
final class StepsWithoutCall {
    private final VolumeKey key;
    private final NodePorts ports;
    private final MountInspector inspector;
    private final WorkerTasks tasks;
    private final BooleanSupplier retire;
    private final LedgerRecord record;
    private final VolumeWaiters waiters;
    private final VolumeDirectories directories;
    private final VolumeRetries retries;

    /**
     * The elapsed time at which this process learned last that a call with an unknown outcome may take effect later. For
     * a stored record that is the start of the process.
     */
    private long uncertainSeen;

    private MountAction.@Nullable Reason reportedReason;

    StepsWithoutCall(VolumeParts parts, WorkerTasks tasks, BooleanSupplier retire) {
        this.key = parts.key;
        this.ports = parts.ports;
        this.inspector = parts.inspector;
        this.tasks = tasks;
        this.retire = retire;
        this.record = parts.record;
        this.waiters = parts.waiters;
        this.directories = parts.directories;
        this.retries = parts.retries;
        this.uncertainSeen = ports.timer().nanoTime();
    }

    /** Notes that a call with an unknown outcome may take effect later, from now on. */
    void lateCallPossible() {
        uncertainSeen = ports.timer().nanoTime();
    }

    /**
     * Performs an action that makes no call: refuses a use, removes the record of the volume, or waits. Returns true if
     * the worker has to plan its next action now.
     */
    boolean perform(MountAction action) {
        if (action instanceof MountAction.Refuse refuse) {
            if (!record.write(record.entry().without(refuse.use()))) {
                return false;
            }
            waiters.refuse(refuse.use(), DesiredState.conflict(key, refuse));
            return true;
        }
        if (action instanceof MountAction.Forget) {
            forget();
            return false;
        }
        if (action instanceof MountAction.ForgetTarget target) {
            Optional<UseEntry> use = record.entry().use(target.use());
            boolean sure = use.filter(each -> each.answered() || inspector.otherBoot(each.bootId()))
                    .isPresent();
            return finishWithoutPlugin(target, new MountAction.Unpublish(target.use()), sure);
        }
        if (action instanceof MountAction.ForgetStaging) {
            StagingEntry staging = record.entry().staging();
            boolean sure = staging != null && (staging.wasAnswered() || inspector.otherBoot(staging.bootId()));
            return finishWithoutPlugin(action, new MountAction.Unstage(), sure);
        }
        if (action instanceof MountAction.Await await) {
            reportOnce(await.reason());
            if (await.reason() == MountAction.Reason.PLUGIN) {
                retries.planAgain(ports.options().pluginPoll());
            }
            return false;
        }
        reportedReason = null;
        VolumeEntry entry = record.entry();
        return entry.hasNothing() && entry.uncertainSince() != 0 && lateWorkEnded(entry);
    }

    /**
     * Finishes an unmount without the plugin, because nothing is mounted and the plugin does not do it. Returns true if
     * the record was written.
     *
     * @param instead the call that is not made
     * @param sure whether no earlier call can mount the volume later; otherwise the volume stays under observation
     */
    private boolean finishWithoutPlugin(MountAction action, MountAction instead, boolean sure) {
        VolumeEntry entry = record.entry();
        Path path = ports.paths().of(entry, instead);
        UnmountOrder order = entry.forgetOrder();
        boolean boot = !inspector.bootId().isEmpty()
                && bootOf(entry, action).filter(inspector::otherBoot).isPresent();
        VolumeEntry next = MountPlan.done(entry, action, false);
        if (!sure) {
            uncertainSeen = ports.timer().nanoTime();
            next = next.uncertainAt(ports.clock().millis());
        }
        if (!record.write(next)) {
            return false;
        }
        String why = order != null
                ? order.printable()
                : "its plugin did not unmount it within " + ports.options().withoutPluginAfter() + ", and "
                        + (boot ? "the machine was booted since" : "the mount has disappeared");
        ports.reporter()
                .report(
                        Kind.UNMOUNT_FORGOTTEN,
                        key,
                        instead.allocation(),
                        "Volume " + key + " is not mounted at " + path
                                + ", and its unmount there is finished without the plugin: " + why);
        inspector.replaced(path);
        retries.succeeded(instead);
        directories.gone(path);
        return true;
    }

    private static Optional<String> bootOf(VolumeEntry entry, MountAction action) {
        StagingEntry staging = entry.staging();
        return action instanceof MountAction.ForgetTarget target
                ? entry.use(target.use()).map(UseEntry::bootId)
                : Optional.ofNullable(staging).map(StagingEntry::bootId);
    }

    private void forget() {
        try {
            record.remove();
            // Writes nothing more after this worker is removed, because another worker then handles new requests for
            // the volume.
            if (retire.getAsBoolean()) {
                tasks.close();
            }
        } catch (IOException e) {
            retries.failed(new MountAction.Forget(), "the record could not be removed: " + NodeFailures.text(e));
        }
    }

    /** Records that no call with an unknown outcome can take effect any more, or plans again when that is so. Returns true if recorded. */
    private boolean lateWorkEnded(VolumeEntry entry) {
        // The stored time is for people: it may come from an earlier process, and the clock may have been set since.
        Duration since = Duration.ofNanos(ports.timer().nanoTime() - uncertainSeen);
        Duration left = ports.options().lateWork().minus(since);
        if (left.isNegative() || left.isZero()) {
            return record.write(entry.uncertainAt(0));
        }
        retries.planAgain(left);
        return false;
    }

    private void reportOnce(MountAction.Reason reason) {
        if (reason != reportedReason
                && (reason == MountAction.Reason.OWNERS || reason == MountAction.Reason.IDENTITY)) {
            ports.reporter().report(Kind.OWNER_UNKNOWN, key, null, "Volume " + key + ": " + reason.text);
        }
        reportedReason = reason;
    }
}
