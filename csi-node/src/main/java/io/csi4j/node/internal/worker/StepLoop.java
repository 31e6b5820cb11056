package io.csi4j.node.internal.worker;

import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.GroupDelivery;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.DeniedTargets;
import io.csi4j.node.internal.mount.DesiredState;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountFacts;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.MountPlan;
import io.csi4j.node.internal.mount.NodeCallResult;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Plans and performs the steps of one volume: asks {@link MountPlan} for the next action, stores the intent, makes the call, records its
 * result or failure, and plans again. At most one call is in flight (R26). Used in the tasks of the worker only.
 */
final class StepLoop {
    private final VolumeKey key;
    private final NodePorts ports;
    private final MountInspector inspector;
    private final WorkerTasks tasks;
    private final Runnable wake;
    private final LedgerRecord record;
    private final VolumeWaiters waiters;
    private final NodeCalls calls;
    private final VolumeDirectories directories;
    private final VolumeRetries retries;
    private final UnmountPatience patience;
    private final StepsWithoutCall withoutCall;
    private final StepReports reports;
    private final DeniedTargets denied;
    private final DesiredState desired;
    private final VolumeQueries queries;
    private final CurrentView view;
    private final Renewals renewals;

    private boolean calling;
    private boolean unrecorded;
    /** True if the next step has to remove directories. The waiting futures of callers complete before that step. */
    private boolean cleanupDue;

    /** A mark for the end of the last call, or for the start of the worker. Only a mount table that was read later is used. */
    private long tableValidFrom;

    /**
     * Creates a loop that has not planned yet.
     *
     * @param wake makes the worker plan again in a later task
     * @param retire removes the worker if it has nothing to do, and returns whether it did
     */
    StepLoop(VolumeParts parts, WorkerTasks tasks, DesiredState desired, Runnable wake, BooleanSupplier retire) {
        this.key = parts.key;
        this.ports = parts.ports;
        this.inspector = parts.inspector;
        this.tasks = tasks;
        this.wake = wake;
        this.record = parts.record;
        this.waiters = parts.waiters;
        this.calls = parts.calls;
        this.directories = parts.directories;
        this.retries = parts.retries;
        this.patience = parts.patience;
        this.queries = parts.queries;
        this.view = parts.view;
        this.renewals = parts.renewals;
        this.withoutCall = new StepsWithoutCall(parts, tasks, retire);
        this.reports = new StepReports(ports);
        this.denied = new DeniedTargets(ports.paths());
        this.desired = desired;
        VolumeEntry entry = record.entry();
        // The ledger has no record of this volume if the entry is empty and has no ids: a stored record always has the
        // ids of its volume, even without uses.
        this.unrecorded = entry.hasNothing() && entry.uncertainSince() == 0 && entry.id() == null;
        this.tableValidFrom = inspector.moment();
    }

    boolean isCalling() {
        return calling;
    }

    /** Removes directories now if a later task would remove them. */
    void finishCleanup() {
        if (cleanupDue) {
            advance();
        }
    }

    /**
     * Looks for mounts of the volume before the first task of a worker without a record. A mount that is found is
     * recorded with an unknown owner.
     */
    void review() {
        if (unrecorded) {
            unrecorded = false;
            boolean suspect = true;
            try {
                suspect = inspector.somethingIsThere(record.entry(), tableValidFrom);
            } catch (UncheckedIOException e) {
                ports.reporter().report(Kind.STEP_FAILED, key, null, "Volume " + key + ": " + e.getMessage());
            }
            record.begin(VolumeEntry.empty(key, suspect));
        }
    }

    /** Plans and performs actions until a call is in flight or nothing is left to do. */
    void advance() {
        calls.cancelWithdrawn(record.entry());
        if (!tasks.isClosed() && !retries.stalled()) {
            // Stores ended uses even while a call is in flight, because an ended use must not return after a crash.
            writeEndedUses();
        }
        boolean again = true;
        while (again && !tasks.isClosed() && !calling && !retries.stalled()) {
            writeEndedUses();
            again = !retries.stalled() && step();
        }
        if (retries.stalled()) {
            view.stalled(retries.stallReason());
        }
    }

    private void writeEndedUses() {
        record.writeEndedUses().forEach(waiters::ended);
    }

    /** Plans and performs the next action. Returns true if the worker has to plan another action now. */
    private boolean step() {
        cleanupDue = false;
        Optional<MountPoints> table = table();
        MountFacts facts;
        try {
            facts = inspector
                    .facts(record.entry(), retries.deferred(), directories.dealtWith(), table)
                    .withDenied(
                            denied.mounted(record.entry(), table),
                            ports.options().directUnmount())
                    .withRefused(patience.refused(), patience.isOver());
        } catch (UncheckedIOException e) {
            retries.stall(String.valueOf(e.getMessage()));
            return false;
        }
        if (table.isPresent()
                && record.entry().rebuilt()
                && facts.orphanedTargets().isEmpty()
                && facts.orphanedStagings().isEmpty()) {
            record.set(record.entry().complete());
        }
        MountAction action = MountPlan.next(record.entry(), facts, renewals.due(record.entry()));
        if (action instanceof MountAction.Republish && !acquireRepublish()) {
            action = MountPlan.next(record.entry(), facts);
        }
        view.planned(record.entry(), facts, action, retries.lastError());
        patience.planned(record.entry(), action);
        boolean query = queries.goBefore(action);
        boolean call = !query && action.isCall();
        if (!call && !record.write()) {
            return false;
        }
        if (waiters.completeDone(facts) && !action.isCall() && (record.entry().hasNothing() || directories.isDue())) {
            // Leaves the removal of directories to the next task, so that the callers' futures complete first.
            cleanupDue = true;
            tasks.afterTask(wake);
            return false;
        }
        if (!(action instanceof MountAction.Unstage)) {
            directories.clean(table);
        }
        if (query) {
            runQuery();
            return true;
        }
        if (action instanceof MountAction.Republish republish) {
            republish(republish, facts, table);
            return true;
        }
        if (call) {
            begin(action, facts, table);
            return true;
        }
        if (record.entry().hasNothing()
                && (action instanceof MountAction.Forget || action instanceof MountAction.Settled)) {
            // Removes the empty directories now. The record itself may be kept longer, until no late call can take
            // effect.
            table.ifPresent(directories::sweep);
        }
        return withoutCall.perform(action);
    }

    private static GroupDelivery delivery(NodePlugin plugin) {
        return plugin.capabilities().has(NodeCapability.VOLUME_MOUNT_GROUP) ? GroupDelivery.PLUGIN : GroupDelivery.NODE;
    }

    private void runQuery() {
        calling = true;
        var unused = queries.runFirst(record.entry()).whenComplete((telling, never) -> {
            tasks.run(() -> {
                calling = false;
                tasks.afterTask(telling);
                advance();
            });
        });
    }

    private void begin(MountAction action, MountFacts facts, Optional<MountPoints> table) {
        queries.callBegins();
        NodeVolumeId id = record.entry().id();
        Optional<NodePlugin> plugin =
                id == null ? Optional.empty() : ports.plugins().find(id.pluginId());
        if (plugin.isEmpty() && !action.isWithoutPlugin()) {
            // Makes no call, because the plugin disappeared after the facts were collected; the next step handles this.
            record.write();
            return;
        }
        if (action.isMaking() && !learnMachine(id)) {
            return;
        }
        reports.begins(record.entry(), action);
        directories.used(ports.paths().of(record.entry(), action));
        GroupDelivery possible =
                plugin.map(StepLoop::delivery).orElse(record.entry().groupDelivery());
        if (!record.writeIntent(
                MountPlan.begun(MountPlan.decided(record.entry(), action, possible), action, inspector.bootId()))) {
            return;
        }
        waiters.completeDone(facts);
        calling = true;
        CompletableFuture<?> call = calls.make(record.entry(), action, plugin, table);
        view.callBegins(action, calls.ownership());
        if (action instanceof MountAction.Stage) {
            // Creates the target's directories while the plugin stages the volume, which saves time before
            // NodePublishVolume.
            directories.willPublish();
        }
        var unused = call.whenComplete((answer, error) -> tasks.run(() -> {
            calling = false;
            view.callEnded();
            if (!tasks.isClosed()) {
                tableValidFrom = inspector.moment();
                Throwable cause = error == null ? null : Futures.unwrap(error);
                Optional<MountPoints> after = table();
                denied.ended(record.entry(), action, cause, after);
                callEnded(action, answer, cause, after);
                if (action instanceof MountAction.CheckOwnership && answer instanceof Optional<?> missing) {
                    missing.ifPresent(text -> ownershipNotSeen(action, String.valueOf(text)));
                }
                advance();
            }
        }));
    }

    private void ownershipNotSeen(MountAction action, String missing) {
        inspector.noted(
                ports.paths().of(record.entry(), action),
                "the plugin has not set the group of the root directory: " + missing);
        reports.ownershipNotSeen(record.entry(), action, missing);
    }

    /**
     * Handles the end of a call. The given mount table was read after the call. One write stores the result and the
     * intent to make the next call.
     */
    private void callEnded(
            MountAction action, @Nullable Object answer, @Nullable Throwable error, Optional<MountPoints> table) {
        VolumeEntry entry = record.entry();
        if (action.isAboutOwnership() && ends(entry, Objects.requireNonNull(action.use(), "use"))) {
            // The target goes, so the ownership of the files does not matter any more.
            return;
        }
        Path path = ports.paths().of(entry, action);
        NodeCallResult outcome = NodeCallResult.of(
                entry, action, path, error, table, ports.options().publishesWithoutMount());
        if (outcome.problem() != null) {
            if (outcome.isUnlabelled()) {
                record.set(MountPlan.unlabelled(entry, action));
            } else if (outcome.vain()) {
                record.set(MountPlan.vain(entry, action));
            }
            callFailed(action, outcome.problem());
            return;
        }
        inspector.replaced(path);
        UseId use = action.use();
        boolean leaving = use != null && ends(entry, use);
        record.set(MountPlan.done(entry, action, outcome.observed()));
        if (action instanceof MountAction.Publish publish) {
            renewed(publish.use(), answer, table);
        }
        retries.succeeded(action);
        if (action.isUnmaking()) {
            patience.reset();
        }
        if (use != null && action.isUnmaking()) {
            // Forgets the failures of NodeUnpublishVolume, because the direct unmount has succeeded.
            retries.succeeded(new MountAction.Unpublish(use));
            retries.succeeded(new MountAction.DirectUnmount(use));
        }
        if (action.isUnmaking()) {
            directories.gone(path);
        }
        reports.ended(entry, action, leaving, calls.lastChange());
    }

    /** Takes a slot for a repeated NodePublishVolume; if there is none, plans again when one may be free. */
    private boolean acquireRepublish() {
        NodeVolumeId id = record.entry().id();
        return id != null
                && ports.republish()
                        .acquire(
                                id.pluginId(),
                                this,
                                () -> tasks.run(() -> {
                                    advance();
                                    ports.republish().wakeNext();
                                }));
    }

    /**
     * Repeats NodePublishVolume for a mount. Whatever its result, nothing of the mount is undone here: the steps that
     * unmount are planned from the record, and this changes only the renewal in it.
     */
    private void republish(MountAction.Republish action, MountFacts facts, Optional<MountPoints> table) {
        queries.callBegins();
        NodeVolumeId id = Objects.requireNonNull(record.entry().id(), "a mount without the ids of its volume");
        Optional<NodePlugin> plugin = ports.plugins().find(id.pluginId());
        if (plugin.isEmpty() || !record.write()) {
            if (plugin.isEmpty()) {
                record.entry()
                        .use(action.use())
                        .ifPresent(use -> renewals.failed(use, "its plugin is not there, or not healthy"));
            }
            ports.republish().release(id.pluginId());
            return;
        }
        waiters.completeDone(facts);
        calling = true;
        CompletableFuture<?> call = calls.make(record.entry(), action, plugin, table);
        view.callBegins(action, null);
        var unused = call.whenComplete((answer, error) -> tasks.run(() -> {
            calling = false;
            view.callEnded();
            ports.republish().release(id.pluginId());
            if (!tasks.isClosed()) {
                tableValidFrom = inspector.moment();
                republished(action, answer, error == null ? null : Futures.unwrap(error));
                advance();
            }
        }));
    }

    private void republished(MountAction.Republish action, @Nullable Object answer, @Nullable Throwable error) {
        VolumeEntry entry = record.entry();
        if (error != null && NodeFailures.outcomeUnknown(error)) {
            withoutCall.lateCallPossible();
            if (!record.write(entry.uncertainAt(ports.clock().millis()))) {
                return;
            }
        }
        Optional<UseEntry> use = record.entry().use(action.use()).filter(now -> now.phase() == UsePhase.PUBLISHED);
        if (use.isEmpty()) {
            return;
        }
        Optional<MountPoints> after = table();
        if (error != null) {
            renewals.failed(use.get(), NodeFailures.text(error));
        } else {
            renewed(action.use(), answer, after);
        }
        String was = use.get().renewal().mount();
        Path target = ports.paths().target(key, action.use());
        boolean changed = after.isPresent()
                && ((use.get().observed() && !after.get().contains(target))
                        || (!was.isEmpty() && !after.get().entry(target).equals(was)));
        if (changed) {
            record.set(record.entry()
                    .change(action.use(), now -> now.with(now.renewal().withChangedMount())));
            reports.mountChanged(record.entry(), action.use(), after.get().contains(target));
            waiters.failMount(action.use(), DesiredState.changedMount(key, action.use()));
        }
    }

    /** Records when the next NodePublishVolume of a use is due, after a successful one. */
    private void renewed(UseId use, @Nullable Object answer, Optional<MountPoints> table) {
        long expires = answer instanceof PublishTokens tokens ? tokens.expiresMillis() : 0;
        String seen = table.map(points -> points.entry(ports.paths().target(key, use)))
                .orElse("");
        record.set(record.entry()
                .change(
                        use,
                        now -> now.phase().published()
                                        && now.renewal().options().repeats()
                                ? now.with(renewals.succeeded(now, expires, seen))
                                : now));
    }

    private static boolean ends(VolumeEntry entry, UseId use) {
        return entry.use(use).map(UseEntry::phase).filter(UsePhase::living).isEmpty();
    }

    private void callFailed(MountAction action, Throwable error) {
        VolumeEntry entry = record.entry();
        String text = NodeFailures.text(error);
        reports.failed(entry, action, text);
        if (action.isUnmaking()) {
            patience.failed(action, error);
        }
        if (action.isMaking() && NodeFailures.outcomeUnknown(error)) {
            withoutCall.lateCallPossible();
            record.write(entry.uncertainAt(ports.clock().millis()));
        }
        if (!action.isUnmaking()) {
            for (UseEntry use : entry.living()) {
                boolean concerned =
                        action instanceof MountAction.Stage || use.id().equals(action.use());
                // The host has to place the workload of an inline volume elsewhere.
                boolean full = use.terms().inline() && NodeFailures.noRoom(error);
                if (concerned && (full || NodeFailures.permanent(error))) {
                    waiters.fail(use.id(), error);
                }
            }
        }
        retries.failed(action, text);
    }

    /** Stores the plugin's id of this machine before the first mount of the plugin; false if that failed. */
    private boolean learnMachine(@Nullable NodeVolumeId id) {
        try {
            if (id != null) {
                Object unused = desired.learnMachine(id.pluginId());
            }
            return true;
        } catch (IOException e) {
            retries.stall("the id of this machine could not be stored: " + NodeFailures.text(e));
            return false;
        }
    }

    private Optional<MountPoints> table() {
        return inspector.table(tableValidFrom);
    }
}
