package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Brings one volume to where it should be on this node. It asks {@link MountPlan}, writes the intent, makes the call,
 * writes the outcome, and asks again. Its turns never overlap; nothing waits in them but for the ledger and the mount
 * table.
 */
final class VolumeLane {
    final VolumeKey key;
    private final LanePorts ports;
    private final NodeLookout lookout;
    private final Predicate<VolumeLane> retire;
    private final SerialRunner turns;
    private final LaneCalls calls;
    private final LaneCleaning cleaning;
    private final LaneWaits waits = new LaneWaits();
    private final LaneRetries retries;
    private final Deque<Errand<?>> errands = new ArrayDeque<>();
    /** Whose wish ends; on record as soon as that can be written. */
    private final Set<AllocationId> ending = new LinkedHashSet<>();
    /** Whose first mount is under way, for somebody who can be told that it failed. */
    private final Set<AllocationId> fresh = new HashSet<>();

    private VolumeEntry entry;
    /** As it is in the ledger. The outcome of a call may go there with the intent of the next. */
    private VolumeEntry recorded;
    /** The mount table has to be read after it: when the lane came to be, or its last call ended. */
    private long moment;

    private boolean calling;
    private boolean errandIsNext;
    private boolean closed;
    private boolean unrecorded;
    private MountAction.@Nullable Why told;
    private volatile LaneView view;

    /** A lane for a record; without one, give an empty entry. */
    VolumeLane(VolumeEntry entry, LanePorts ports, NodeLookout lookout, Predicate<VolumeLane> retire) {
        this.key = entry.key();
        this.entry = entry;
        this.recorded = entry;
        this.moment = lookout.moment();
        this.unrecorded = entry.hasNothing() && entry.uncertainSince() == 0;
        this.ports = ports;
        this.lookout = lookout;
        this.retire = retire;
        this.turns = new SerialRunner(ports.executor());
        this.calls = new LaneCalls(ports, this::unlessClosed);
        this.cleaning = new LaneCleaning(ports, key);
        this.retries = new LaneRetries(ports, this::inTurn);
        this.view = LaneView.of(entry, lookout.unlooked(), new MountAction.Settled(), "");
    }

    /** What it was about at its last turn. */
    LaneView view() {
        return view;
    }

    private void run(Runnable task) {
        turns.execute(() -> {
            lookBack();
            task.run();
        });
    }

    void wake() {
        inTurn(() -> {});
    }

    /** Without a record, what is there belongs to somebody who is not known. */
    private void lookBack() {
        if (unrecorded) {
            unrecorded = false;
            boolean suspect = true;
            try {
                suspect = lookout.somethingIsThere(entry, moment);
            } catch (UncheckedIOException e) {
                ports.reporter().tell(Kind.STEP_FAILED, key, null, "Volume " + key + ": " + e.getMessage());
            }
            entry = VolumeEntry.empty(key, suspect);
            recorded = entry;
        }
    }

    private void inTurn(Runnable task) {
        try {
            run(() -> {
                task.run();
                advance();
            });
        } catch (RejectedExecutionException e) {
            // The host has shut its executor down: the ledger knows where to go on.
            ports.reporter()
                    .tell(
                            Kind.STEP_FAILED,
                            key,
                            null,
                            "The executor takes no more work; volume " + key + " stays as it is until the next start");
        }
    }

    private CompletableFuture<?> unlessClosed(Supplier<CompletableFuture<?>> work) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        turns.execute(() -> {
            if (closed) {
                result.completeExceptionally(closedError());
                return;
            }
            try {
                Ends.of(work.get(), (answer, error) -> {
                    if (error == null) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(Causes.of(error));
                    }
                });
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Asked in a turn: whether nobody would miss it. */
    boolean removable() {
        return turns.nothingWaits() && waits.none() && errands.isEmpty() && ending.isEmpty();
    }

    CompletableFuture<MountedVolume> mount(NodeMount request) {
        CompletableFuture<MountedVolume> future = new CompletableFuture<>();
        run(() -> {
            if (closed) {
                future.completeExceptionally(closedError());
                return;
            }
            try {
                VolumeEntry wished = LaneWishes.mount(entry, request, lookout);
                if (!wished.equals(entry)) {
                    boolean isNew = entry.user(request.allocationId())
                            .filter(user -> user.phase().living())
                            .isEmpty();
                    if (calling || !entry.equals(recorded)) {
                        save(wished);
                    } else {
                        // It goes into the ledger with the intent of the first call, or before anybody is told.
                        entry = wished;
                    }
                    if (isNew) {
                        fresh.add(request.allocationId());
                    }
                }
            } catch (NodeVolumeException e) {
                future.completeExceptionally(e);
                return;
            } catch (IOException e) {
                future.completeExceptionally(ledgerError(e));
                return;
            }
            ending.remove(request.allocationId());
            waits.failUnmount(
                    request.allocationId(),
                    new NodeVolumeException(
                            Reason.WITHDRAWN,
                            "Volume " + key + " was mounted again for allocation " + request.allocationId()
                                    + " before it was unmounted"));
            calls.secrets(request.allocationId(), request.secrets());
            retries.clear();
            waits.mount(await(request.allocationId(), future, ports.options().mountLimit(), "mounted"));
            advance();
            if (!closed && !write(entry)) {
                // It could not be written, so it is no wish.
                entry = recorded;
                fresh.remove(request.allocationId());
                waits.failMount(request.allocationId(), ledgerError(new IOException(retries.lastError())));
            }
        });
        return future;
    }

    CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        run(() -> {
            if (closed) {
                future.completeExceptionally(closedError());
                return;
            }
            AllocationId allocation = request.allocationId();
            try {
                VolumeEntry wished = LaneWishes.unmount(entry, request, lookout, ports.paths());
                if (!wished.equals(entry)) {
                    save(wished);
                }
            } catch (IOException | UncheckedIOException e) {
                future.completeExceptionally(ledgerError(e));
                return;
            }
            waits.failMount(
                    allocation,
                    new NodeVolumeException(
                            Reason.WITHDRAWN,
                            "Volume " + key + " was unmounted for allocation " + allocation
                                    + " before it was mounted"));
            ending.add(allocation);
            retries.clear();
            waits.unmount(await(allocation, future, ports.options().unmountLimit(), "unmounted"));
            advance();
        });
        return future;
    }

    <T> CompletableFuture<T> errand(Function<VolumeEntry, CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        run(() -> {
            if (closed) {
                result.completeExceptionally(closedError());
                return;
            }
            errands.add(new Errand<>(call, result));
            advance();
        });
        return result;
    }

    /** Changes the record in a turn, for example because a mount was found broken. */
    void change(UnaryOperator<VolumeEntry> change) {
        run(() -> {
            VolumeEntry changed = change.apply(entry);
            if (!closed && !changed.equals(entry) && write(changed)) {
                retries.clear();
            }
            advance();
        });
    }

    /** Nothing is written, and no call begun, once it has completed; also where the executor takes no more work. */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        turns.executeOrHere(() -> {
            closed = true;
            retries.close();
            waits.failAll(allocation -> closedError());
            errands.forEach(errand -> errand.result().completeExceptionally(closedError()));
            errands.clear();
            done.complete(null);
        });
        return done;
    }

    private <T> MountWait<T> await(AllocationId allocation, CompletableFuture<T> future, Duration limit, String what) {
        MountWait<T> wait = new MountWait<>(
                allocation,
                future,
                ports.timer()
                        .schedule(
                                limit,
                                () -> run(() -> future.completeExceptionally(new NodeVolumeException(
                                        Reason.UNFINISHED,
                                        "Volume " + key + " was not " + what + " for allocation " + allocation
                                                + " within " + limit + ": " + view.reason())))));
        Ends.of(future, (value, error) -> {
            if (error != null) {
                run(() -> abandon(wait));
            }
        });
        return wait;
    }

    /** A wait ended without success. The wish ends with it, if it was its own and has not come true. */
    private void abandon(MountWait<?> wait) {
        AllocationId allocation = wait.allocationId();
        if (waits.abandon(wait) && fresh.contains(allocation)) {
            ending.add(allocation);
        }
        advance();
    }

    private void advance() {
        if (!closed && !retries.stalled()) {
            // Also while a call is under way: a crash before it ends must not bring the wish back.
            endWishes();
        }
        while (!closed && !calling && !retries.stalled()) {
            endWishes();
            if (retries.stalled()) {
                return;
            }
            MountFacts facts;
            try {
                facts = lookout.facts(entry, retries.deferred(), cleaning.dealtWith(), lookout.table(moment));
            } catch (UncheckedIOException e) {
                retries.stall(String.valueOf(e.getMessage()));
                return;
            }
            if (entry.rebuilt()
                    && facts.strayTargets().isEmpty()
                    && facts.strayStagings().isEmpty()) {
                entry = entry.complete();
            }
            MountAction action = MountPlan.next(entry, facts);
            view = LaneView.of(entry, facts, action, retries.lastError());
            boolean errand = !errands.isEmpty() && (errandIsNext || !action.isCall());
            boolean writesAnyway = !errand && (action.isCall() || action instanceof MountAction.Forget);
            if (!writesAnyway && !write(entry)) {
                return;
            }
            tellWaits(facts);
            if (errand) {
                runErrand();
            } else if (action.isCall()) {
                begin(action, facts);
            } else if (!settle(action, facts)) {
                return;
            }
        }
    }

    private void endWishes() {
        for (AllocationId allocation : Set.copyOf(ending)) {
            VolumeEntry without = entry.leave(allocation);
            if (without.equals(entry) || write(without)) {
                ending.remove(allocation);
                fresh.remove(allocation);
                calls.forgetSecrets(allocation);
            }
        }
    }

    /** Nobody is told what is not on record. */
    private void tellWaits(MountFacts facts) {
        if (!entry.equals(recorded)) {
            return;
        }
        for (UserEntry user : entry.users()) {
            if (user.phase() == UserPhase.PUBLISHED && !facts.lost(user)) {
                AllocationId allocation = user.allocationId();
                fresh.remove(allocation);
                calls.forgetSecrets(allocation);
                waits.mounted(
                        allocation,
                        new MountedVolume(
                                key,
                                allocation,
                                ports.paths().target(key, allocation),
                                user.terms().capability().attachmentMode(),
                                user.terms().readonly()));
            }
        }
        boolean othersStay = !entry.living().isEmpty()
                || (entry.rebuilt() && !facts.strayTargets().isEmpty());
        boolean down = entry.staging() == null
                && facts.strayTargets().isEmpty()
                && facts.strayStagings().isEmpty();
        waits.unmounted(
                allocation -> entry.user(allocation).isEmpty() && !ending.contains(allocation) && (othersStay || down));
    }

    /** Does what is no call. Tells whether to ask again. */
    private boolean settle(MountAction action, MountFacts facts) {
        if (action instanceof MountAction.Refuse refuse) {
            if (write(entry.without(refuse.allocationId()))) {
                fresh.remove(refuse.allocationId());
                waits.failMount(refuse.allocationId(), LaneWishes.conflict(key, refuse));
                return true;
            }
            return false;
        }
        if (action instanceof MountAction.Forget) {
            return forget(facts);
        }
        if (action instanceof MountAction.Await await) {
            tellOnce(await.why());
            if (await.why() == MountAction.Why.PLUGIN) {
                retries.lookAgain(ports.options().pluginPoll());
            }
            return false;
        }
        told = null;
        return entry.hasNothing() && entry.uncertainSince() != 0 && lateWorkIsOver();
    }

    private boolean forget(MountFacts facts) {
        try {
            lookout.table().ifPresent(cleaning::sweep);
            ports.ledger().remove(key);
            recorded = entry;
            tellWaits(facts);
            // A record that comes after this one belongs to another lane.
            closed = retire.test(this);
        } catch (IOException | UncheckedIOException e) {
            retries.failed(new MountAction.Forget(), "the record could not be removed: " + Causes.text(e));
        }
        return false;
    }

    private boolean lateWorkIsOver() {
        Duration since = Duration.ofMillis(ports.clock().millis() - entry.uncertainSince());
        Duration left = ports.options().lateWork().minus(since);
        if (left.isNegative() || left.isZero()) {
            return write(entry.uncertainAt(0));
        }
        retries.lookAgain(left);
        return false;
    }

    private void tellOnce(MountAction.Why why) {
        if (why != told && (why == MountAction.Why.OWNERS || why == MountAction.Why.IDENTITY)) {
            ports.reporter().tell(Kind.OWNER_UNKNOWN, key, null, "Volume " + key + ": " + why.text);
        }
        told = why;
    }

    private void runErrand() {
        Errand<?> errand = errands.remove();
        errandIsNext = false;
        calling = true;
        Ends.of(
                errand.run(entry),
                (value, error) -> run(() -> {
                    calling = false;
                    advance();
                }));
    }

    private void begin(MountAction action, MountFacts facts) {
        errandIsNext = true;
        NodeVolumeId id = entry.id();
        Optional<NodePlugin> plugin =
                id == null ? Optional.empty() : ports.plugins().find(id.pluginId());
        if (plugin.isEmpty()) {
            // It went since the facts were gathered; the next look finds that.
            write(entry);
            return;
        }
        announce(action);
        cleaning.used(calls.path(entry, action));
        if (!write(MountStep.begun(entry, action, lookout.bootId()))) {
            return;
        }
        tellWaits(facts);
        calling = true;
        CompletableFuture<?> call;
        try {
            call = calls.make(entry, action, plugin.get(), lookout.table(moment));
        } catch (IOException | RuntimeException e) {
            call = CompletableFuture.failedFuture(e);
        }
        Ends.of(
                call,
                (answer, error) -> run(() -> {
                    calling = false;
                    if (!closed) {
                        ended(action, error == null ? null : Causes.of(error));
                        advance();
                    }
                }));
    }

    private void announce(MountAction action) {
        AllocationId user = LaneCalls.user(action);
        // Neither is called for somebody who has it, unless it is not there.
        if (user != null
                && entry.user(user)
                        .filter(found -> found.phase() == UserPhase.PUBLISHED)
                        .isPresent()) {
            ports.reporter()
                    .tell(
                            Kind.MOUNT_MISSING,
                            key,
                            user,
                            "Volume " + key + " is no longer mounted for allocation " + user
                                    + "; it is being mounted again");
        }
        if (action instanceof MountAction.UnpublishStray || action instanceof MountAction.UnstageStray) {
            ports.reporter()
                    .tell(
                            Kind.ORPHAN_FOUND,
                            key,
                            null,
                            "Volume " + key + " is mounted at " + calls.path(entry, action)
                                    + " for nobody; it is being removed");
        }
    }

    private void ended(MountAction action, @Nullable Throwable error) {
        moment = lookout.moment();
        Optional<MountPoints> table = lookout.table(moment);
        LaneOutcome outcome = LaneOutcome.of(entry, action, calls.path(entry, action), error, table);
        if (outcome.problem() != null) {
            entry = outcome.vain() ? MountStep.vain(entry, action) : entry;
            failed(action, outcome.problem());
            return;
        }
        AllocationId user = LaneCalls.user(action);
        boolean leaving = user != null
                && entry.user(user)
                        .map(UserEntry::phase)
                        .filter(UserPhase::living)
                        .isEmpty();
        Path path = calls.path(entry, action);
        entry = MountStep.done(entry, action, outcome.seen());
        retries.succeeded(action);
        if (action instanceof MountAction.Publish && !leaving) {
            ports.reporter().tell(Kind.MOUNTED, key, user, "Volume " + key + " is mounted at " + path);
        }
        if (!(action instanceof MountAction.Stage || action instanceof MountAction.Publish)) {
            cleaning.gone(path, table);
        }
        if (action instanceof MountAction.Unpublish && leaving) {
            ports.reporter().tell(Kind.UNMOUNTED, key, user, "Volume " + key + " is unmounted from " + path);
        }
    }

    private void failed(MountAction action, Throwable error) {
        boolean making = action instanceof MountAction.Stage || action instanceof MountAction.Publish;
        String text = Causes.text(error);
        ports.reporter()
                .tell(
                        Kind.STEP_FAILED,
                        key,
                        LaneCalls.user(action),
                        "Volume " + key + ", " + action.getClass().getSimpleName() + ": " + text);
        if (making && Causes.outcomeUnknown(error)) {
            write(entry.uncertainAt(ports.clock().millis()));
        }
        if (making && Causes.forGood(error)) {
            for (UserEntry user : entry.living()) {
                boolean concerned = action instanceof MountAction.Stage
                        || user.allocationId().equals(LaneCalls.user(action));
                if (concerned && fresh.contains(user.allocationId())) {
                    waits.failMount(user.allocationId(), error);
                    ending.add(user.allocationId());
                }
            }
        }
        retries.failed(action, text);
    }

    private boolean write(VolumeEntry next) {
        if (next.equals(recorded)) {
            entry = next;
            return true;
        }
        try {
            save(next);
            return true;
        } catch (IOException e) {
            String text = "the ledger cannot be written: " + Causes.text(e);
            ports.reporter()
                    .tell(
                            Kind.STEP_FAILED,
                            key,
                            null,
                            "Volume " + key + ": " + text + "; nothing is called until it can be");
            retries.stall(text);
            return false;
        }
    }

    private void save(VolumeEntry next) throws IOException {
        ports.ledger().save(next);
        entry = next;
        recorded = next;
    }

    private NodeVolumeException ledgerError(Exception cause) {
        return new NodeVolumeException(
                Reason.LEDGER,
                "Volume " + key + ": the ledger cannot be written, so nothing was done; make room in "
                        + ports.paths().ledger() + " and try again",
                cause);
    }

    private NodeVolumeException closedError() {
        return new NodeVolumeException(
                Reason.CLOSED,
                "The node volumes were closed; what was begun for volume " + key + " goes on at the next start");
    }
}
