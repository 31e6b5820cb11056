package io.csi4j.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one instance of a plugin: its only prober, and where it stands. It outlives restarts of the
 * plugin and changes of its socket. Safe for use by many threads; the {@link PluginRegistry} makes and closes it.
 *
 * <p>What happens is decided by {@link ConnectionRules}, one event at a time; here the decisions are only carried
 * out. No lock is held while anything is waited for or anybody is told.
 */
public final class PluginConnection {
    private final PluginRegistration registration;
    private final CsiClient client;
    private final PluginQuestions questions;
    private final ConnectionRules rules;
    private final Surroundings around;
    private final Consumer<PluginSnapshot> listener;
    private final Turns turns;
    private final NodeService node;
    private final ControllerService controller;
    private final GroupControllerService groupController;
    // From here to the snapshot: in turns only.
    private ConnectionModel model;
    private @Nullable InstanceFacts facts;
    private @Nullable Cancellable wake;
    private long wakeAt;
    private long wakes;
    private @Nullable Cancellable watch;
    private volatile PluginSnapshot snapshot;

    /**
     * A connection that does nothing before {@link #start}.
     *
     * @param setup what it is made of
     * @param known what an earlier connection was told by the same instance
     * @param listener is told of each new snapshot, in order, in a turn of this connection
     */
    PluginConnection(ConnectionSetup setup, Optional<InstanceFacts> known, Consumer<PluginSnapshot> listener) {
        this.registration = setup.registration();
        this.client = setup.client();
        this.questions = setup.questions();
        this.rules = setup.rules();
        this.around = setup.around();
        this.listener = listener;
        this.turns = new Turns(around.executor());
        this.node = WatchedCalls.over(NodeService.class, client.node(), this::suspect);
        this.controller = WatchedCalls.over(ControllerService.class, client.controller(), this::suspect);
        this.groupController = WatchedCalls.over(GroupControllerService.class, client.groupController(), this::suspect);
        this.facts = known.orElse(null);
        this.model = ConnectionModel.opened(around.elapsed().nanos(), known.isPresent());
        this.snapshot = seen();
    }

    /** Begins to watch the socket. */
    void start(SocketLook look) {
        turns.run(() -> {
            if (model.state() != PluginState.GONE) {
                watch = look.watch(
                        registration.socket(), socket -> turn((now, moment) -> rules.seen(now, socket, moment)));
                turn(rules::woken);
            }
        });
    }

    /**
     * Which instance this is a connection to, and where.
     *
     * @return as it was registered
     */
    public PluginRegistration registration() {
        return registration;
    }

    /**
     * Calls the instance. It finds the process that has the socket now, also after a restart. The registry closes
     * it with the connection. Who calls the instance by it should {@link #suspect} what ends with UNAVAILABLE; the
     * services of this connection do.
     *
     * @return the one client of this instance
     */
    public CsiClient client() {
        return client;
    }

    /**
     * The node service of {@link #client}. A call that ends with UNAVAILABLE is told to {@link #suspect}, so that a
     * process that died is found out at once.
     *
     * @return the same each time
     */
    public NodeService node() {
        return node;
    }

    /**
     * The controller service of {@link #client}, watched like {@link #node}.
     *
     * @return the same each time
     */
    public ControllerService controller() {
        return controller;
    }

    /**
     * The group controller service of {@link #client}, watched like {@link #node}.
     *
     * @return the same each time
     */
    public GroupControllerService groupController() {
        return groupController;
    }

    /**
     * Where it stands.
     *
     * @return the newest snapshot; costs nothing
     */
    public PluginSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Tells that a call to the plugin failed as if nobody were there, so that it is probed soon, though not sooner
     * than the spacing of probes allows (R41). Does nothing unless the instance counts as ready. Never waits.
     */
    public void suspect() {
        turn(rules::suspected);
    }

    /** Tells that the host has started the plugin again. */
    void restarted() {
        turn(rules::restarted);
    }

    /** Watches no more and closes the client, which may take a moment; calls in flight fail. */
    void close() {
        turns.run(() -> {
            apply((now, moment) -> rules.closed(now));
            if (watch != null) {
                watch.cancel();
            }
            questions.close();
        });
    }

    private void turn(BiFunction<ConnectionModel, Moment, ConnectionStep> decision) {
        turns.run(() -> apply(decision));
    }

    private void apply(BiFunction<ConnectionModel, Moment, ConnectionStep> decision) {
        ConnectionStep step = decision.apply(model, around.moment());
        model = step.model();
        if (step.abandon()) {
            questions.abandon();
        }
        publish();
        ask(step.ask());
        plan();
    }

    private void ask(Question question) {
        long turn = model.turn().number();
        if (question == Question.PROBE) {
            answer(
                    turn,
                    questions::probe,
                    (Boolean ready, ConnectionModel now) -> moment -> rules.probed(now, turn, ready, moment));
        } else if (question == Question.FACTS) {
            // The first process may be one of many instances of a version; one that took over may be of a new one.
            boolean fresh = model.process().number() > 1 || model.process().factsRead();
            answer(turn, () -> questions.facts(fresh), (InstanceFacts told, ConnectionModel now) -> moment -> {
                if (now.turn().number() == turn && !now.idle()) {
                    facts = told;
                }
                return rules.told(now, turn, moment);
            });
        }
    }

    private <T> void answer(
            long turn,
            Supplier<CompletableFuture<T>> question,
            BiFunction<T, ConnectionModel, Function<Moment, ConnectionStep>> answered) {
        CompletableFuture<T> asked;
        try {
            asked = question.get();
        } catch (RuntimeException refused) {
            asked = CompletableFuture.failedFuture(refused);
        }
        var unused = asked.whenComplete((told, failure) -> turn((now, moment) -> failure == null
                ? answered.apply(told, now).apply(moment)
                : rules.failed(now, turn, read(RpcQuestions.cause(failure)), moment)));
    }

    private static ConnectionRules.Failure read(Throwable failure) {
        if (failure instanceof CsiCallException call) {
            boolean unreachable = call.code() == StatusCode.UNAVAILABLE
                    || call.code() == StatusCode.DEADLINE_EXCEEDED
                    || call.code() == StatusCode.CANCELLED;
            return new ConnectionRules.Failure(unreachable, String.valueOf(call.getMessage()));
        }
        return new ConnectionRules.Failure(false, "it could not be asked: " + failure);
    }

    private PluginSnapshot seen() {
        ConnectionModel.Trouble trouble = model.trouble();
        return new PluginSnapshot(
                registration.key(),
                model.state(),
                model.problem(),
                model.process().number(),
                Optional.ofNullable(facts),
                trouble != null && trouble.exceeded() ? Optional.of(trouble.limit()) : Optional.empty());
    }

    private void publish() {
        PluginSnapshot now = seen();
        if (!now.equals(snapshot)) {
            snapshot = now;
            listener.accept(now);
        }
    }

    /** One timer for whatever comes first. */
    private void plan() {
        OptionalLong at = model.wakeAt(rules);
        if (wake != null && at.isPresent() && at.getAsLong() == wakeAt) {
            return;
        }
        if (wake != null) {
            wake.cancel();
            wake = null;
        }
        if (at.isPresent()) {
            wakeAt = at.getAsLong();
            Duration wait =
                    Duration.ofNanos(Math.max(0, wakeAt - around.elapsed().nanos()));
            long number = ++wakes;
            wake = around.timer().schedule(wait, () -> turn((now, moment) -> awake(number, now, moment)));
        }
    }

    private ConnectionStep awake(long number, ConnectionModel now, Moment moment) {
        if (number == wakes) {
            wake = null;
        }
        return rules.woken(now, moment);
    }

    @Override
    public String toString() {
        return "PluginConnection[" + snapshot.inWords() + "]";
    }
}
