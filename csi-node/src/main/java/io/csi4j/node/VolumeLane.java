package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
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
    private final LaneTurns turns;
    private final LaneSight sight;
    private final LaneRecord record;
    private final LaneUsers users;
    private final LaneCalls calls;
    private final LaneCleaning cleaning;
    private final LaneRetries retries;
    private final LaneEnd end;
    private final LaneRest rest;
    private final DeniedTargets denied;
    private final Deque<Errand<?>> errands = new ArrayDeque<>();

    private boolean calling;
    private boolean errandIsNext;
    private boolean unrecorded;
    private volatile LaneView view;

    /** A lane for a record; without one, give an empty entry. */
    VolumeLane(VolumeEntry entry, LanePorts ports, NodeLookout lookout, Predicate<VolumeLane> retire) {
        this.key = entry.key();
        // A record that says that nothing is left knows at least what it was about.
        this.unrecorded = entry.hasNothing() && entry.uncertainSince() == 0 && entry.id() == null;
        this.ports = ports;
        this.lookout = lookout;
        this.sight = new LaneSight(lookout);
        this.turns = new LaneTurns(ports, key, this::lookBack);
        this.retries = new LaneRetries(ports, this::inTurn);
        this.record = new LaneRecord(entry, ports, retries);
        this.calls = new LaneCalls(ports, turns);
        this.cleaning = new LaneCleaning(ports, key);
        this.users = new LaneUsers(ports.paths(), record, calls, turns::tell, this::inTurn);
        this.end = new LaneEnd(ports, record, users, calls, cleaning, retries);
        this.rest = new LaneRest(ports, record, users, retries, () -> retire.test(this));
        this.denied = new DeniedTargets(ports.paths());
        this.view = LaneView.of(entry, lookout.unlooked(), atFirst(entry), "");
    }

    /** A record that says that nothing is left is there only because a crash came before it could be removed. */
    private static MountAction atFirst(VolumeEntry entry) {
        boolean nothing = entry.hasNothing() && !entry.rebuilt() && entry.uncertainSince() == 0;
        return nothing ? new MountAction.Forget() : new MountAction.Settled();
    }

    /** What it was about at its last turn. */
    LaneView view() {
        return view;
    }

    void wake() {
        turns.runIfStill(this::advance);
    }

    private void inTurn(Runnable task) {
        turns.run(() -> {
            task.run();
            advance();
        });
    }

    /** Without a record, what is there belongs to somebody who is not known. */
    private void lookBack() {
        if (unrecorded) {
            unrecorded = false;
            boolean suspect = true;
            try {
                suspect = sight.somethingIsThere(record.entry());
            } catch (UncheckedIOException e) {
                ports.reporter().tell(Kind.STEP_FAILED, key, null, "Volume " + key + ": " + e.getMessage());
            }
            record.begin(VolumeEntry.empty(key, suspect));
        }
    }

    /** Asked in a turn: whether nobody would miss it. */
    boolean removable() {
        return turns.nothingWaits() && users.none() && errands.isEmpty();
    }

    CompletableFuture<MountedVolume> mount(NodeMount request) {
        CompletableFuture<MountedVolume> future = new CompletableFuture<>();
        turns.runFor(future, () -> {
            if (future.isDone()) {
                // Whoever wished it has left; a lane that was made for it goes.
                advance();
                return;
            }
            AllocationId allocation = request.allocationId();
            try {
                users.comes(allocation, wish(request), request.secrets());
            } catch (NodeVolumeException e) {
                turns.fail(future, e);
                return;
            } catch (IOException e) {
                turns.fail(future, record.error(e));
                return;
            }
            retries.clear();
            users.waits().mount(await(allocation, future, ports.options().mountLimit(), "mounted"));
            advance();
            if (!turns.isClosed() && !record.write(record.entry())) {
                // It could not be written, so it is no wish.
                record.takeBack();
                users.refuse(allocation, record.error(new IOException(retries.lastError())));
            }
        });
        return future;
    }

    /** Notes a wish, and tells whether it is a new one. */
    private boolean wish(NodeMount request) throws IOException {
        VolumeEntry entry = record.entry();
        VolumeEntry wished = LaneWishes.mount(entry, request, lookout);
        if (wished.equals(entry)) {
            return false;
        }
        boolean isNew = entry.user(request.allocationId())
                .filter(user -> user.phase().living())
                .isEmpty();
        if (calling || !record.isWritten()) {
            record.save(wished);
        } else {
            // It goes into the ledger with the intent of the first call, or before anybody is told.
            record.set(wished);
        }
        return isNew;
    }

    CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        return unmount(request, entry -> LaneWishes.unmount(entry, request, lookout, ports.paths()));
    }

    CompletableFuture<@Nullable Void> unmountDirectly(NodeUnmount request, UnmountOrder order) {
        return unmount(request, entry -> LaneWishes.unmountDirectly(entry, request, order, lookout, ports.paths()));
    }

    private CompletableFuture<@Nullable Void> unmount(NodeUnmount request, UnaryOperator<VolumeEntry> change) {
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        turns.runFor(future, () -> {
            AllocationId allocation = request.allocationId();
            try {
                VolumeEntry wished = change.apply(record.entry());
                if (!wished.equals(record.entry())) {
                    record.save(wished);
                }
            } catch (NodeVolumeException e) {
                turns.fail(future, e);
                advance();
                return;
            } catch (IOException | UncheckedIOException e) {
                turns.fail(future, record.error(e));
                return;
            }
            users.goes(allocation);
            retries.clear();
            users.waits().unmount(await(allocation, future, ports.options().unmountLimit(), "unmounted"));
            advance();
        });
        return future;
    }

    <T> CompletableFuture<T> errand(Function<VolumeEntry, CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        turns.runFor(result, () -> {
            errands.add(new Errand<>(call, result));
            advance();
        });
        return result;
    }

    /** Changes the record in a turn, for example because a mount was found broken. */
    void change(UnaryOperator<VolumeEntry> change) {
        turns.run(() -> {
            VolumeEntry changed = change.apply(record.entry());
            if (!turns.isClosed() && !changed.equals(record.entry()) && record.write(changed)) {
                retries.clear();
            }
            advance();
        });
    }

    /** Nothing is written, and no call begun, once it has completed; also where the executor takes no more work. */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        turns.end(() -> {
            retries.close();
            users.waits().failAll(turns.closedError());
            errands.forEach(errand -> turns.fail(errand.result(), turns.closedError()));
            errands.clear();
            turns.tell(() -> done.complete(null));
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
                                () -> turns.run(() -> turns.fail(
                                        future,
                                        new NodeVolumeException(
                                                Reason.UNFINISHED,
                                                "Volume " + key + " was not " + what + " for allocation " + allocation
                                                        + " within " + limit + ": " + view.reason())))));
        Ends.of(future, (value, error) -> {
            if (error != null) {
                turns.run(() -> {
                    users.abandon(wait);
                    advance();
                });
            }
        });
        return wait;
    }

    private void advance() {
        if (!turns.isClosed() && !retries.stalled()) {
            // Also while a call is under way: a crash before it ends must not bring the wish back.
            users.endWishes();
        }
        boolean again = true;
        while (again && !turns.isClosed() && !calling && !retries.stalled()) {
            users.endWishes();
            again = !retries.stalled() && step();
        }
    }

    /** Does what is next. Tells whether to ask again. */
    private boolean step() {
        Optional<MountPoints> table = sight.table();
        MountFacts facts;
        try {
            facts = lookout.facts(record.entry(), retries.deferred(), cleaning.dealtWith(), table)
                    .withDenied(
                            denied.mounted(record.entry(), table),
                            ports.options().directUnmount());
        } catch (UncheckedIOException e) {
            retries.stall(String.valueOf(e.getMessage()));
            return false;
        }
        if (table.isPresent()
                && record.entry().rebuilt()
                && facts.strayTargets().isEmpty()
                && facts.strayStagings().isEmpty()) {
            record.set(record.entry().complete());
        }
        MountAction action = MountPlan.next(record.entry(), facts);
        view = LaneView.of(record.entry(), facts, action, retries.lastError());
        boolean errand = !errands.isEmpty() && (errandIsNext || !action.isCall());
        boolean call = !errand && action.isCall();
        if (!call && !record.write(record.entry())) {
            return false;
        }
        if (users.tell(facts) && !action.isCall() && (record.entry().hasNothing() || cleaning.isDue())) {
            // Who is told need not wait for what is left to be done, which is a turn of its own.
            wake();
            return false;
        }
        if (!(action instanceof MountAction.Unstage)) {
            cleaning.clean(table);
        }
        if (errand) {
            runErrand();
            return true;
        }
        if (call) {
            begin(action, facts, table);
            return true;
        }
        if (record.entry().hasNothing()
                && (action instanceof MountAction.Forget || action instanceof MountAction.Settled)) {
            // The record may stay until no late work is to be expected.
            table.ifPresent(cleaning::sweep);
        }
        LaneRest.Next next = rest.settle(action);
        if (next == LaneRest.Next.GONE) {
            turns.gone();
        }
        return next == LaneRest.Next.AGAIN;
    }

    private void runErrand() {
        Errand<?> errand = errands.remove();
        errandIsNext = false;
        calling = true;
        Ends.of(errand.run(record.entry()), (telling, never) -> {
            boolean heard = turns.answered(() -> {
                calling = false;
                turns.tell(telling);
                advance();
            });
            if (!heard) {
                // Whoever waits for the answer need not wait for the lane's turns.
                telling.run();
            }
        });
    }

    private void begin(MountAction action, MountFacts facts, Optional<MountPoints> table) {
        errandIsNext = true;
        NodeVolumeId id = record.entry().id();
        Optional<NodePlugin> plugin =
                id == null ? Optional.empty() : ports.plugins().find(id.pluginId());
        if (plugin.isEmpty() && !(action instanceof MountAction.DirectUnmount)) {
            // It went since the facts were gathered; the next look finds that.
            record.write(record.entry());
            return;
        }
        calls.announce(record.entry(), action);
        cleaning.used(calls.path(record.entry(), action));
        if (!record.writeIntent(MountStep.begun(record.entry(), action, lookout.bootId()))) {
            return;
        }
        users.tell(facts);
        calling = true;
        CompletableFuture<?> call;
        try {
            call = action instanceof MountAction.DirectUnmount unmount
                    ? calls.unmount(record.entry(), unmount)
                    : calls.make(record.entry(), action, plugin.orElseThrow(), table);
        } catch (IOException | RuntimeException | Error e) {
            call = CompletableFuture.failedFuture(e);
        }
        if (action instanceof MountAction.Stage) {
            // While the plugin is busy: targets are in nobody's way.
            cleaning.willPublish();
        }
        Ends.of(
                call,
                (answer, error) -> turns.answered(() -> {
                    calling = false;
                    if (!turns.isClosed()) {
                        sight.callEnded();
                        Throwable cause = error == null ? null : Causes.of(error);
                        Optional<MountPoints> after = sight.table();
                        denied.ended(record.entry(), action, cause, after);
                        end.ended(action, cause, after);
                        advance();
                    }
                }));
    }
}
