package io.csi4j.client.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginSnapshot;
import io.csi4j.client.registry.instance.PluginState;
import io.csi4j.client.registry.internal.connection.ConnectionModel;
import io.csi4j.client.registry.internal.connection.ConnectionRules;
import io.csi4j.client.registry.internal.connection.ConnectionStep;
import io.csi4j.client.registry.internal.connection.Moment;
import io.csi4j.client.registry.internal.connection.Question;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.client.registry.internal.connection.RpcQuestions;
import io.csi4j.client.registry.internal.connection.SocketPoller;
import io.csi4j.client.registry.internal.connection.WatchedCalls;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.spi.Cancellable;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one plugin instance. All probes of the instance are made by this connection. The connection remains in use when the
 * plugin restarts or its socket is replaced. {@link ConnectionRules} decide about one event at a time, and this class executes the
 * decisions. No lock is held while the connection waits or calls a listener. The {@link PluginRegistry} creates and closes it. Thread-safe.
 */
public final class PluginConnection {
    private static final System.Logger LOG = System.getLogger(PluginConnection.class.getName());

    /** The RPCs that a node refuses when it has reached its volume limit. */
    private static final Set<Rpc> LIMITED = Set.of(Rpc.NODE_STAGE_VOLUME, Rpc.NODE_PUBLISH_VOLUME);

    private final PluginRegistration registration;
    private final CsiClient client;
    private final RpcQuestions questions;
    private final ConnectionRules rules;
    private final RegistryEnvironment environment;
    private final Consumer<PluginSnapshot> listener;
    private final SerialExecutor serial;
    private final NodeService node;
    /**
     * The futures of callers that wait for the next NodeGetInfo. The queue is thread-safe, because other threads use it when the executor
     * rejects tasks.
     */
    private final Queue<CompletableFuture<@Nullable Void>> nodeInfoWaiters = new ConcurrentLinkedQueue<>();

    // The fields from here to "watch" are used in the serial executor only.
    private ConnectionModel model;
    private @Nullable InstanceFacts facts;
    private @Nullable Cancellable wake;
    private long wakeAt;
    private long wakes;
    private @Nullable Cancellable watch;
    private volatile PluginSnapshot snapshot;

    /**
     * Creates a connection that does nothing before {@link #start}.
     *
     * @param setup the parts of the connection
     * @param known the facts that the same instance reported to an earlier connection
     * @param listener gets each new snapshot, in order, in a task of this connection
     */
    PluginConnection(ConnectionSetup setup, Optional<InstanceFacts> known, Consumer<PluginSnapshot> listener) {
        this.registration = setup.registration();
        this.client = setup.client();
        this.questions = setup.questions();
        this.rules = setup.rules();
        this.environment = setup.environment();
        this.listener = listener;
        this.serial = environment.serialExecutor();
        this.node = WatchedCalls.over(NodeService.class, client.node(), this::failed);
        this.facts = known.orElse(null);
        this.model = ConnectionModel.opened(environment.elapsed().nanos(), known.isPresent());
        this.snapshot = currentSnapshot();
    }

    /** Starts to watch the socket. */
    void start(SocketPoller poller) {
        environment.execute(
                serial,
                () -> {
                    if (model.state() != PluginState.GONE) {
                        watch = poller.watch(
                                registration.endpoint(),
                                socket -> handle((now, moment) -> rules.seen(now, socket, moment)));
                        handle(rules::woken);
                    }
                },
                () -> {});
    }

    /** Returns the instance and its socket, as registered. */
    public PluginRegistration registration() {
        return registration;
    }

    /**
     * Returns the client of the instance. The client always calls the process that has the socket now, even after a restart of the plugin.
     * The registry closes the client with the connection. A caller should call {@link #suspect} after a call that ended with UNAVAILABLE;
     * {@link #node} does so itself.
     */
    public CsiClient client() {
        return client;
    }

    /**
     * Returns the node service of {@link #client}. A call that ends with UNAVAILABLE triggers {@link #suspect}, so that the end of the process is detected at
     * once.
     */
    public NodeService node() {
        return node;
    }

    /** Returns the newest snapshot of the instance's state. */
    public PluginSnapshot snapshot() {
        return snapshot;
    }

    /**
     * Reports a failed call after which the plugin may have ended. The instance is then probed soon, but not before the
     * shortest time between two probes has passed (R41). Has no effect unless the instance is ready. Never blocks.
     */
    public void suspect() {
        handle(rules::suspected);
    }

    /** Handles a failed call that a caller made through {@link #node}. */
    private void failed(CsiCallException call) {
        if (call.code() == StatusCode.UNAVAILABLE) {
            suspect();
        } else if (call.code() == StatusCode.RESOURCE_EXHAUSTED && LIMITED.contains(call.rpc())) {
            handle(rules::full);
        }
    }

    /**
     * Queries the volume limit and the topology of the node again (NodeGetInfo, R93). One query is in flight at a time, and {@link
     * ConnectionOptions#nodeInfoSpacing()} lies between two queries; all requests in between are served by the next query. A stage or
     * publish through {@link #node} that is refused with RESOURCE_EXHAUSTED triggers the same query.
     *
     * @return completes when {@link #snapshot} has the response; the registry's listeners get that snapshot, too. Fails with the plugin's
     *     failure; with UNAVAILABLE if the instance is not ready, because it is queried when it is ready again, or if the registry is
     *     closed. Cancelling the future ends the waiting only
     */
    public CompletableFuture<@Nullable Void> refreshNodeInfo() {
        CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
        environment.execute(
                serial,
                () -> {
                    nodeInfoWaiters.add(asked);
                    apply(rules::full);
                },
                () -> {
                    nodeInfoWaiters.add(asked);
                    unwatched();
                });
        return asked.copy();
    }

    /**
     * Calls GetPluginInfo (R37). If the plugin cannot be reached, it is probed.
     *
     * @return the response; fails with the plugin's failure
     */
    CompletableFuture<GetPluginInfoResponse> pluginInfo() {
        CompletableFuture<GetPluginInfoResponse> answer = client.identity().getPluginInfo();
        var unused = answer.whenComplete((info, failure) -> {
            if (Futures.unwrap(failure) instanceof CsiCallException call) {
                failed(call);
            }
        });
        return answer;
    }

    /** Reports that the host has restarted the plugin. */
    void restarted() {
        handle(rules::restarted);
    }

    /** Stops watching the socket and closes the client, which may take a short time; calls in flight fail. */
    void close() {
        // The client must be closed even if the environment rejects the task.
        environment.execute(serial, this::end, () -> {
            unwatched();
            end();
        });
    }

    private void end() {
        apply((now, moment) -> rules.closed(now));
        if (watch != null) {
            watch.cancel();
        }
        questions.close();
    }

    private void handle(BiFunction<ConnectionModel, Moment, ConnectionStep> decision) {
        environment.execute(serial, () -> apply(decision), this::unwatched);
    }

    /** Fails the futures of the waiting callers, because the environment rejects tasks and no query will be made. */
    private void unwatched() {
        complete(takeWaiting(), unsent("the plugin registry is closed, or its environment rejects tasks"));
    }

    private void apply(BiFunction<ConnectionModel, Moment, ConnectionStep> decision) {
        ConnectionStep step = decision.apply(model, environment.moment());
        model = step.model();
        if (step.abandon()) {
            questions.abandon();
        }
        publish();
        ask(step.ask());
        if (!nodeInfoWaiters.isEmpty() && (!model.room().wanted() || model.state() != PluginState.READY)) {
            complete(takeWaiting(), notReady());
        }
        plan();
    }

    /** Returns the failure for a caller whose query was not made because the instance is not ready. */
    private CsiCallException notReady() {
        return unsent(snapshot.summary() + "; it is asked for what it has to tell once it is ready");
    }

    private CsiCallException unsent(String reason) {
        return new CsiCallException(
                Rpc.NODE_GET_INFO,
                registration.key().pluginId().value(),
                null,
                StatusCode.UNAVAILABLE,
                CallOutcome.of(Rpc.NODE_GET_INFO, StatusCode.UNAVAILABLE, false),
                "NodeGetInfo was not sent: " + reason,
                null);
    }

    /** Completes futures outside of the serial executor. */
    private void complete(List<CompletableFuture<@Nullable Void>> waiting, @Nullable Throwable failure) {
        if (waiting.isEmpty()) {
            return;
        }
        // Maps the failure of an abandoned query, which was sent to the former process, to UNAVAILABLE.
        Throwable reason = failure == null || failure instanceof CsiCallException ? failure : notReady();
        environment.complete(() -> waiting.forEach(each -> {
            if (reason == null) {
                each.complete(null);
            } else {
                each.completeExceptionally(reason);
            }
        }));
    }

    private List<CompletableFuture<@Nullable Void>> takeWaiting() {
        List<CompletableFuture<@Nullable Void>> waiting = new ArrayList<>();
        for (var next = nodeInfoWaiters.poll(); next != null; next = nodeInfoWaiters.poll()) {
            waiting.add(next);
        }
        return waiting;
    }

    private void ask(Question question) {
        long turn = model.turn().number();
        if (question == Question.PROBE) {
            var unused = answer(
                    turn,
                    questions::probe,
                    (Boolean ready, ConnectionModel now) -> moment -> rules.probed(now, turn, ready, moment));
        } else if (question == Question.FACTS) {
            // Only the first query of the first process may use the capabilities that another instance of the same
            // version has reported. Later queries ask the process itself, because it may be of another version.
            boolean fresh = model.process().number() > 1 || model.process().factsRead();
            var unused = answer(
                    turn, () -> questions.facts(fresh), (InstanceFacts reported, ConnectionModel now) -> moment -> {
                        if (now.turn().number() == turn && !now.idle()) {
                            facts = reported;
                        }
                        return rules.reported(now, turn, moment);
                    });
        } else if (question == Question.NODE_INFO) {
            askRoom(turn);
        }
    }

    private void askRoom(long turn) {
        List<CompletableFuture<@Nullable Void>> waiting = takeWaiting();
        var unused = answer(turn, questions::nodeInfo, (Optional<NodeInfo> reported, ConnectionModel now) -> moment -> {
                    InstanceFacts before = facts;
                    if (now.turn().number() == turn && !now.idle() && before != null && reported.isPresent()) {
                        facts = before.withNodeInfo(reported.get());
                    }
                    return rules.nodeInfoReported(now, turn);
                })
                .whenComplete((reported, failure) -> {
                    Runnable telling = () -> complete(waiting, failure == null ? null : Futures.unwrap(failure));
                    environment.execute(serial, telling, telling);
                });
    }

    /**
     * Sends a query. The returned future completes with the response, after the task that handles the response was
     * queued.
     */
    private <T> CompletableFuture<T> answer(
            long turn,
            Supplier<CompletableFuture<T>> question,
            BiFunction<T, ConnectionModel, Function<Moment, ConnectionStep>> answered) {
        CompletableFuture<T> asked;
        try {
            asked = question.get();
        } catch (RuntimeException | Error refused) {
            asked = CompletableFuture.failedFuture(refused);
        }
        return asked.whenComplete((reported, failure) -> handle((now, moment) -> failure == null
                ? answered.apply(reported, now).apply(moment)
                : rules.failed(now, turn, read(Futures.unwrap(failure)), moment)));
    }

    private static ConnectionRules.Failure read(Throwable failure) {
        if (failure instanceof CsiCallException call) {
            boolean unreachable = call.code() == StatusCode.UNAVAILABLE
                    || call.code() == StatusCode.DEADLINE_EXCEEDED
                    || call.code() == StatusCode.CANCELLED;
            return new ConnectionRules.Failure(unreachable, call.summary());
        }
        return new ConnectionRules.Failure(
                false,
                "it could not be asked, that failed with " + failure.getClass().getName());
    }

    private PluginSnapshot currentSnapshot() {
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
        PluginSnapshot now = currentSnapshot();
        if (!now.equals(snapshot)) {
            log(snapshot, now);
            snapshot = now;
            listener.accept(now);
        }
    }

    private static void log(PluginSnapshot before, PluginSnapshot now) {
        if (now.ready() && !before.ready()) {
            String driver = now.facts()
                    .map(known -> known.provider() + " " + known.vendorVersion())
                    .orElse("a driver without a name");
            LOG.log(Level.INFO, () -> "Plugin instance " + now.key() + " is ready: " + Text.printable(driver));
        } else if (before.ready() && now.state() != PluginState.GONE) {
            LOG.log(Level.INFO, () -> "Plugin instance " + now.key() + " is not ready any more: " + now.description());
        }
        if (now.exceeded().isPresent() && !now.exceeded().equals(before.exceeded())) {
            LOG.log(
                    Level.WARNING,
                    () -> "Plugin instance " + now.key() + " has not become ready in time: " + now.description()
                            + "; look at the log of the plugin");
        }
    }

    /** Sets one timer for the earliest time at which the rules have to decide something. */
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
                    Duration.ofNanos(Math.max(0, wakeAt - environment.elapsed().nanos()));
            long number = ++wakes;
            wake = environment.schedule(
                    wait, () -> handle((now, moment) -> awake(number, now, moment)), this::unwatched);
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
        return "PluginConnection[" + snapshot.summary() + "]";
    }
}
