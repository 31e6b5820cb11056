package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Invariants;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import io.csi4j.core.volume.Volume;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A log over a simple state that the test controls. It applies commands at once, checks the invariants, and can lose
 * answers or commands. It outlives the servers; each server has its own access to it.
 */
final class HandLog implements CommandLog, ObservableState {
    private final NaiveState state = new NaiveState();
    private final Executor executor;
    private final List<Watching> watches = new ArrayList<>();
    final List<Command> commands = new ArrayList<>();
    private NaiveState snapshot = state.copy();
    /** Whether all rows of the state were made by commands, so that the invariants hold. */
    private boolean sound = true;

    /** Decides how the next commands are handled. */
    Fate fate = Fate.APPLIED;

    /** The number of submitted commands, whether applied or not. */
    int submitted;

    /** The largest allowed number of commands; more would be an endless loop. */
    int maxSubmitted = Integer.MAX_VALUE;

    /** How the next commands are handled, before {@link #fate} applies. */
    private final Deque<Fate> next = new ArrayDeque<>();

    /** Runs right before each command; it may submit another one. */
    Consumer<Command> beforeSubmit = command -> {};

    /** Runs right after a command of a server. */
    Consumer<Command> afterCommand = command -> {};

    /** The server that is running; null if there is none. */
    private Server server;

    /** The largest size of the text of a command; a longer command is refused. */
    int longestCommand = Integer.MAX_VALUE;

    /** Runs right before each snapshot is taken. */
    Runnable beforeSnapshot = () -> {};

    /** Runs right after the next snapshot was taken; it may throw, as a closed log does. */
    Runnable afterSnapshot = () -> {};

    /** Completes the answers to commands that have been applied and are not durable yet. */
    final List<Runnable> notDurable = new ArrayList<>();

    enum Fate {
        APPLIED,
        /** The command is applied and visible at once, and answered when the test makes it durable. */
        NOT_DURABLE,
        /** The command is applied, but its answer is lost. */
        ANSWER_LOST,
        /** The command is not applied. */
        LOST,
        /** The command is not applied, and submit throws an exception. */
        THROWS,
        /** The command is not applied, and submit throws an error, as when a class cannot be loaded. */
        THROWS_ERROR,
        /** The command is not applied, and submit returns null. */
        NULL,
        /** The command is not applied, and its future completes with null. */
        NULL_OUTCOME,
        /** The command is answered as accepted, and is not applied yet. */
        ANSWERED_EARLY
    }

    HandLog(Executor executor) {
        this.executor = executor;
    }

    /** The next commands are applied and answered, before those that are lost by later calls of {@link #lose}. */
    void keep(int count) {
        next.addAll(Collections.nCopies(count, Fate.APPLIED));
    }

    /** The next commands are not answered. */
    void lose(int count, boolean applied) {
        next.addAll(Collections.nCopies(count, applied ? Fate.ANSWER_LOST : Fate.LOST));
    }

    /**
     * Returns the access of the next server. The former server has crashed: its commands change nothing, and it gets no
     * notifications.
     */
    CommandLog nextServer() {
        if (server != null) {
            server.die();
        }
        server = new Server();
        return server;
    }

    /** The access of one server to the log, while the server runs. */
    private final class Server implements CommandLog, ObservableState {
        private final List<Subscription> subscriptions = new ArrayList<>();
        private boolean dead;

        void die() {
            dead = true;
            subscriptions.forEach(Subscription::close);
        }

        @Override
        public CompletableFuture<Outcome> submit(Command command) {
            if (dead) {
                return new CompletableFuture<>();
            }
            int before = commands.size();
            CompletableFuture<Outcome> outcome = HandLog.this.submit(command);
            if (commands.size() > before) {
                afterCommand.accept(command);
            }
            return outcome;
        }

        @Override
        public ObservableState state() {
            return this;
        }

        @Override
        public StateReader snapshot() {
            return HandLog.this.snapshot();
        }

        @Override
        public CompletableFuture<Long> newerThan(StateScope scope, long index) {
            return HandLog.this.newerThan(scope, index);
        }

        @Override
        public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
            return kept(dead ? () -> {} : HandLog.this.subscribe(scope, index, listener));
        }

        @Override
        public Subscription subscribeUnsettled(long index, VolumeListener listener) {
            return kept(dead ? () -> {} : HandLog.this.subscribeUnsettled(index, listener));
        }

        private Subscription kept(Subscription subscription) {
            subscriptions.add(subscription);
            return subscription;
        }
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        beforeSubmit.accept(command);
        submitted++;
        if (submitted > maxSubmitted) {
            throw new AssertionError("too many commands: " + submitted + " were submitted");
        }
        int size = size(command);
        if (size > longestCommand) {
            return CompletableFuture.failedFuture(new CommandTooLargeException(
                    command.getClass().getSimpleName() + " has " + size + " bytes, and may have " + longestCommand));
        }
        Fate fate = next.isEmpty() ? this.fate : next.remove();
        if (fate == Fate.LOST) {
            return CompletableFuture.failedFuture(new CsiException("the log is not there"));
        }
        if (fate == Fate.THROWS) {
            throw new IllegalStateException("the log is not there");
        }
        if (fate == Fate.THROWS_ERROR) {
            throw new NoClassDefFoundError("the log is not there");
        }
        if (fate == Fate.NULL) {
            return null;
        }
        if (fate == Fate.NULL_OUTCOME) {
            return CompletableFuture.completedFuture(null);
        }
        if (fate == Fate.ANSWERED_EARLY) {
            return CompletableFuture.completedFuture(state.copy().apply(command));
        }
        commands.add(command);
        NaiveState before = snapshot;
        Outcome outcome = state.apply(command);
        snapshot = state.copy();
        if (sound) {
            Invariants.check(state);
        }
        if (sound && outcome.accepted()) {
            steps(before, command);
        }
        if (outcome instanceof Outcome.Accepted accepted && accepted.changed()) {
            for (Watching watch : List.copyOf(watches)) {
                watch.committed(before);
            }
        }
        if (fate == Fate.NOT_DURABLE) {
            CompletableFuture<Outcome> answer = new CompletableFuture<>();
            notDurable.add(() -> answer.complete(outcome));
            return answer;
        }
        return fate == Fate.ANSWER_LOST
                ? CompletableFuture.failedFuture(new CsiException("the log gave no answer"))
                : CompletableFuture.completedFuture(outcome);
    }

    /** Returns the size of the contexts in a command. */
    private static int size(Command command) {
        if (command instanceof Batch batch) {
            return batch.commands().stream().mapToInt(HandLog::size).sum();
        }
        Map<String, String> context = Map.of();
        if (command instanceof AttachmentCommand.RecordPublished published) {
            context = published.publishContext().asMap();
        } else if (command instanceof VolumeCommand.RecordProviderFacts facts) {
            context = facts.facts().volumeContext().asMap();
        }
        return context.values().stream().mapToInt(String::length).sum();
    }

    /** Changes rows directly, like rows that an older version or a defect left in the state. */
    void leftBehind(Consumer<NaiveState> edit) {
        sound = false;
        edit.accept(state);
        snapshot = state.copy();
    }

    /** Checks the invariants after each command of a batch. */
    private static void steps(NaiveState before, Command command) {
        NaiveState now = before.copy();
        for (Command step : command instanceof Batch batch ? batch.commands() : List.of(command)) {
            NaiveState was = now.copy();
            now.apply(step);
            Invariants.check(was, now);
        }
    }

    @Override
    public ObservableState state() {
        return this;
    }

    @Override
    public StateReader snapshot() {
        beforeSnapshot.run();
        NaiveState taken = snapshot;
        Runnable then = afterSnapshot;
        afterSnapshot = () -> {};
        then.run();
        return taken;
    }

    @Override
    public CompletableFuture<Long> newerThan(StateScope scope, long index) {
        throw new UnsupportedOperationException("the tests do not use it");
    }

    @Override
    public Subscription subscribe(StateScope scope, long index, LongConsumer listener) {
        Watch watch = new Watch(scope, listener);
        watches.add(watch);
        if (index < snapshot.index()) {
            watch.notifyWatchers();
        }
        return () -> watches.remove(watch);
    }

    @Override
    public Subscription subscribeUnsettled(long index, VolumeListener listener) {
        UnsettledWatch watch = new UnsettledWatch(listener);
        watches.add(watch);
        if (index < snapshot.index()) {
            watch.notifyWatchers(() -> listener.anyChanged(snapshot.index()));
        }
        return () -> watches.remove(watch);
    }

    int watches() {
        return watches.size();
    }

    /** Returns the number of watches of a part of the state. */
    long watches(StateScope scope) {
        return watches.stream()
                .filter(each -> each instanceof Watch watch && watch.scope.equals(scope))
                .count();
    }

    private interface Watching {
        void committed(StateReader before);
    }

    /** Reports the unsettled volumes that have changed. */
    private final class UnsettledWatch implements Watching {
        private final VolumeListener listener;

        UnsettledWatch(VolumeListener listener) {
            this.listener = listener;
        }

        @Override
        public void committed(StateReader before) {
            Set<VolumeKey> keys = new TreeSet<>();
            before.unsettledVolumes().forEach(keys::add);
            snapshot.unsettledVolumes().forEach(keys::add);
            NaiveState now = snapshot;
            for (VolumeKey key : keys) {
                if (!before.volume(key).equals(now.volume(key))) {
                    notifyWatchers(() -> listener.changed(key, now.index()));
                }
            }
        }

        void notifyWatchers(Runnable news) {
            executor.execute(() -> {
                if (watches.contains(this)) {
                    news.run();
                }
            });
        }
    }

    /** Reports a change in a scope. */
    private final class Watch implements Watching {
        private final StateScope scope;
        private final LongConsumer listener;

        Watch(StateScope scope, LongConsumer listener) {
            this.scope = scope;
            this.listener = listener;
        }

        @Override
        public void committed(StateReader before) {
            if (!rows(before).equals(rows(snapshot))) {
                notifyWatchers();
            }
        }

        void notifyWatchers() {
            executor.execute(() -> {
                if (watches.contains(this)) {
                    listener.accept(snapshot.index());
                }
            });
        }

        private List<Object> rows(StateReader of) {
            return switch (scope.table()) {
                case VOLUMES -> {
                    String[] parts = scope.text().split("\0", 2);
                    yield of(of.volume(VolumeKey.of(parts[0], parts[1])));
                }
                case UNSETTLED_VOLUMES -> volumes(of, of.unsettledVolumes());
                case VOLUMES_BY_NODE -> volumes(of, of.volumesOn(NodeId.of(scope.text())));
                case NODES -> scope.text().isEmpty() ? all(of.nodes()) : of(of.node(NodeId.of(scope.text())));
                case ALLOCATIONS -> of(of.allocation(AllocationId.of(scope.text())));
                case PLUGINS -> {
                    boolean every = scope.text().isEmpty();
                    List<Object> rows = all(every ? of.instances() : of.instancesOf(PluginId.of(scope.text())));
                    rows.addAll(every ? List.of() : all(of.unprovedOf(PluginId.of(scope.text()))));
                    rows.addAll(every ? all(of.facts()) : of(of.facts(PluginId.of(scope.text()))));
                    rows.addAll(every ? all(of.pluginProfiles()) : of(of.pluginProfile(PluginId.of(scope.text()))));
                    rows.addAll(all(every ? of.deployments() : of.deploymentsOf(PluginId.of(scope.text()))));
                    for (Allocation allocation : of.allocations()) {
                        if (allocation.deployment().isPresent() && !allocation.ended()) {
                            rows.add(allocation.id());
                        }
                    }
                    yield rows;
                }
                case REQUESTED_CLAIMS -> all(of.requestedClaims());
                case VOLUME_CLASSES -> all(of.volumeClasses());
                case SNAPSHOTS -> all(of.snapshots());
                default -> throw new UnsupportedOperationException("unexpected watch of " + scope);
            };
        }

        private static List<Object> of(Optional<?> row) {
            return List.of(row);
        }

        private static List<Object> all(Iterable<?> rows) {
            List<Object> all = new ArrayList<>();
            rows.forEach(all::add);
            return all;
        }

        private static List<Object> volumes(StateReader of, Iterable<VolumeKey> keys) {
            List<Object> all = new ArrayList<>();
            Iterator<VolumeKey> iterator = keys.iterator();
            while (iterator.hasNext()) {
                all.add(of.volume(iterator.next()).map(Volume::modifyIndex));
            }
            return all;
        }
    }
}
