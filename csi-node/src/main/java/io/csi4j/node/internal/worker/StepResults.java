package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.MountPlan;
import io.csi4j.node.internal.mount.NodeCallResult;
import io.csi4j.node.internal.mount.NodeFailures;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Records the results and the failures of the calls of one volume. Used in the tasks of the worker only. */
final class StepResults {
    private final VolumeKey key;
    private final NodePorts ports;
    private final MountInspector inspector;
    private final LedgerRecord record;
    private final VolumeWaiters waiters;
    private final NodeCalls calls;
    private final VolumeDirectories directories;
    private final VolumeRetries retries;
    private final UnmountPatience patience;
    private final StepsWithoutCall withoutCall;

    StepResults(VolumeParts parts, StepsWithoutCall withoutCall) {
        this.key = parts.key;
        this.ports = parts.ports;
        this.inspector = parts.inspector;
        this.record = parts.record;
        this.waiters = parts.waiters;
        this.calls = parts.calls;
        this.directories = parts.directories;
        this.retries = parts.retries;
        this.patience = parts.patience;
        this.withoutCall = withoutCall;
    }

    /**
     * Handles the end of a call. The given mount table was read after the call. One write stores the result and the
     * intent to make the next call.
     */
    void callEnded(MountAction action, @Nullable Throwable error, Optional<MountPoints> table) {
        VolumeEntry entry = record.entry();
        Path path = calls.path(entry, action);
        NodeCallResult outcome = NodeCallResult.of(entry, action, path, error, table);
        if (outcome.problem() != null) {
            if (outcome.vain()) {
                record.set(MountPlan.vain(entry, action));
            }
            callFailed(action, outcome.problem());
            return;
        }
        inspector.replaced(path);
        AllocationId allocation = NodeCalls.allocation(action);
        boolean leaving = allocation != null
                && entry.use(allocation)
                        .map(UseEntry::phase)
                        .filter(UsePhase::living)
                        .isEmpty();
        record.set(MountPlan.done(entry, action, outcome.observed()));
        retries.succeeded(action);
        if (!action.isMaking()) {
            patience.reset();
        }
        if (allocation != null && !action.isMaking()) {
            // Forgets the failures of NodeUnpublishVolume, because the direct unmount has succeeded.
            retries.succeeded(new MountAction.Unpublish(allocation));
            retries.succeeded(new MountAction.DirectUnmount(allocation));
        }
        if (action instanceof MountAction.Publish && !leaving) {
            ports.reporter().report(Kind.MOUNTED, key, allocation, "Volume " + key + " is mounted at " + path);
        }
        if (!action.isMaking()) {
            directories.gone(path);
        }
        boolean unmounted = action instanceof MountAction.Unpublish || action instanceof MountAction.DirectUnmount;
        if (unmounted && leaving) {
            ports.reporter().report(Kind.UNMOUNTED, key, allocation, "Volume " + key + " is unmounted from " + path);
        }
    }

    private void callFailed(MountAction action, Throwable error) {
        VolumeEntry entry = record.entry();
        String text = NodeFailures.text(error);
        ports.reporter()
                .report(
                        Kind.STEP_FAILED,
                        entry.key(),
                        NodeCalls.allocation(action),
                        "Volume " + entry.key() + ", " + action.getClass().getSimpleName() + ": " + text);
        if (!action.isMaking()) {
            patience.failed(action, error);
        }
        if (action.isMaking() && NodeFailures.outcomeUnknown(error)) {
            withoutCall.lateCallPossible();
            record.write(entry.uncertainAt(ports.clock().millis()));
        }
        if (action.isMaking() && NodeFailures.permanent(error)) {
            for (UseEntry use : entry.living()) {
                boolean concerned = action instanceof MountAction.Stage
                        || use.allocationId().equals(NodeCalls.allocation(action));
                if (concerned) {
                    waiters.fail(use.allocationId(), error);
                }
            }
        }
        retries.failed(action, text);
    }
}
