package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.OneLine;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.OvertakenException;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.call.VolumeCalls;
import io.csi4j.core.lifecycle.internal.call.VolumeCalls.Side;
import io.csi4j.core.lifecycle.internal.step.CallEnd;
import io.csi4j.core.lifecycle.internal.step.CallStep;
import io.csi4j.core.lifecycle.internal.step.ControllerStep;
import io.csi4j.core.lifecycle.internal.step.NodeStep;
import io.csi4j.core.lifecycle.internal.wait.RowCall;
import io.csi4j.core.spi.CommandTooLargeException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the planned calls of one term of leadership. It is the only class that calls a plugin or a node for a volume's
 * row: it waits for earlier calls, records the begin, gets secrets and a permit, checks the intent right before the call
 * is sent, and stores the result together with the steps that follow from it.
 */
final class CallRunner {
    private static final System.Logger LOG = System.getLogger(CallRunner.class.getName());

    /** The value that replaces the node id in calls that are not about a node. */
    private static final NodeId NO_NODE = NodeId.of("-");

    private final VolumeWorkers workers;
    private final Operations operations;
    private final Term term;

    CallRunner(VolumeWorkers workers) {
        this.workers = workers;
        this.operations = workers.operations();
        this.term = workers.term();
    }

    /**
     * Starts a call, unless the same call is already in flight; the worker plans for the volume when that call ends. A
     * call counts as in flight until its result is stored.
     */
    void begin(CallStep<?> step, PluginId plugin) {
        VolumeKey key = step.key();
        NodeId nodeId = step.nodeId().orElse(NO_NODE);
        Side side = Side.of(step.rpc());
        VolumeCalls calls = operations.volumeCalls();
        if (!calls.begin(key, side, nodeId)) {
            return;
        }
        var unused = Futures.start(() -> run(step, plugin)).whenComplete((done, failure) -> {
            calls.end(key, side, nodeId);
            if (term.ended()) {
                workers.events().lateCallEnded(key);
                return;
            }
            workers.callEnded(key, failure == null ? null : Futures.unwrap(failure));
        });
    }

    /**
     * Makes a call. The future completes normally when the result is stored, also if the call failed and will be
     * retried. It fails if the plugin refused permanently, or if the result could not be stored.
     */
    private CompletableFuture<Void> run(CallStep<?> step, PluginId plugin) {
        return switch (Side.of(step.rpc())) {
            case VOLUME -> operations.volumeCalls().exclusively(step.key(), () -> inTurn(step));
            case CONTROLLER ->
                operations
                        .volumeCalls()
                        .concurrently(
                                step.key(),
                                operations.ports().callSettings(plugin).callsPerVolume(),
                                () -> inTurn(step));
            case NODE -> inTurn(step);
        };
    }

    /** Makes the call after all earlier ones, unless its intent is gone. */
    private <R> CompletableFuture<Void> inTurn(CallStep<R> step) {
        Optional<Volume> volume = current(step);
        if (volume.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        RowCall call = workers.waits().callBegins(step.target(volume.get()), volume.get());
        CompletableFuture<CallEnd> ended = Futures.start(() -> begun(step, volume.get())
                .thenCompose(begun -> Futures.compose(
                        sent(step, begun, call),
                        answer -> {
                            StateReader state = operations.state();
                            call.answers(answer);
                            workers.events().callEnded(step.rpc(), begun, null);
                            return stored(step, begun, call, state, step.done(state, begun, answer));
                        },
                        failure -> {
                            StateReader state = operations.state();
                            call.fails(failure);
                            workers.events().callEnded(step.rpc(), begun, failure);
                            return stored(step, begun, call, state, step.failed(state, begun, failure));
                        })));
        return ended.handle((known, lost) -> report(step, known, lost, call));
    }

    /** Reports the end of a call to the callers that wait for it, after it is stored. */
    private static @Nullable Void report(
            CallStep<?> step, @Nullable CallEnd end, @Nullable Throwable lost, RowCall call) {
        Throwable failure = end == null ? Futures.unwrap(Objects.requireNonNull(lost)) : end.failure();
        if (failure != null && end != null && end.refused() && !call.isAwaited()) {
            // The caller waits at another server, and gets no words of the plugin there.
            LOG.log(
                    Level.INFO,
                    () -> step.rpc().csiName() + " for volume " + step.key() + " was refused: "
                            + OneLine.of(Failures.text(failure)));
        }
        call.ended(failure);
        if (end == null || end.refused()) {
            throw new CompletionException(failure);
        }
        return null;
    }

    private Optional<Volume> current(CallStep<?> step) {
        return term.mayCall() ? step.current(operations.state()) : Optional.empty();
    }

    /** Records that the call begins, and returns the volume with that record. */
    private CompletableFuture<Volume> begun(CallStep<?> step, Volume volume) {
        return step.begins(volume)
                .map(begin -> operations.submit(begin).thenApply(Operations::stored))
                .orElseGet(() -> CompletableFuture.completedFuture(volume));
    }

    private <R> CompletableFuture<R> sent(CallStep<R> step, Volume volume, RowCall call) {
        CallSubject subject = CallSubject.of(step.rpc(), volume, step.attempt(volume));
        if (step instanceof NodeStep<R> onNode) {
            CompletableFuture<Secrets> secrets = onNode.takesSecrets()
                    ? secrets(subject, Optional.of(onNode.node()), volume, call)
                    : CompletableFuture.completedFuture(Secrets.empty());
            return secrets.thenCompose(known -> {
                var send = onNode.request(volume, known);
                return operations
                        .calls()
                        .node(
                                subject,
                                onNode.node(),
                                ifCurrent(
                                        step,
                                        () -> send.apply(operations.ports().gateway())));
            });
        }
        ControllerStep<R> controller = (ControllerStep<R>) step;
        CallSubject routed = step.nodeId().map(subject::on).orElse(subject);
        return secrets(routed, routed.target(), volume, call).thenCompose(known -> {
            var send = controller.request(volume, known);
            return operations
                    .calls()
                    .controller(
                            routed,
                            service ->
                                    ifCurrent(step, () -> send.apply(service)).get());
        });
    }

    private CompletableFuture<Secrets> secrets(
            CallSubject subject, Optional<NodeId> node, Volume volume, RowCall call) {
        return operations
                .secrets()
                .of(call.secretsOf(), volume, subject.rpc())
                .whenComplete((known, failure) -> operations.calls().failures().secrets(subject, node, failure));
    }

    /** Checks the intent right before the call is sent. */
    private <R> Supplier<CompletableFuture<R>> ifCurrent(CallStep<R> step, Supplier<CompletableFuture<R>> send) {
        return () -> {
            if (current(step).isEmpty()) {
                throw new OvertakenException(step.key());
            }
            return send.get();
        };
    }

    /**
     * Stores what the end of a call means. An answer that does not fit the log is a failure of the call: the row then
     * has the reason, and the time of the next attempt.
     *
     * @param begun the volume for which the call was sent
     * @param state the state after the end of the call
     * @return what was stored: the given end, or what it means that the state did not accept it
     */
    private CompletableFuture<CallEnd> stored(
            CallStep<?> step, Volume begun, RowCall call, StateReader state, CallEnd end) {
        if (end.facts().isEmpty() || (term.ended() && !step.outlivesTerm())) {
            return CompletableFuture.completedFuture(end);
        }
        return submit(step, state, end).thenApply(accepted -> end).exceptionallyCompose(failure -> {
            Throwable lost = Operations.uncertainIfChanged(Futures.unwrap(failure));
            Optional<CallEnd> other = lost instanceof CommandTooLargeException large && end.failure() == null
                    ? tooLarge(step, begun, call, state, end, large)
                    : end.otherwise().apply(lost);
            return other.map(known -> stored(step, begun, call, state, known))
                    .orElseGet(() -> CompletableFuture.failedFuture(lost));
        });
    }

    private static Optional<CallEnd> tooLarge(
            CallStep<?> step,
            Volume begun,
            RowCall call,
            StateReader state,
            CallEnd end,
            CommandTooLargeException large) {
        CsiCallException failed = unstorable(step, begun, large);
        call.fails(failed);
        return end.otherwise().apply(failed).or(() -> Optional.of(step.failed(state, begun, failed)));
    }

    private static CsiCallException unstorable(CallStep<?> step, Volume volume, CommandTooLargeException large) {
        String subject = volume.externalVolumeId().map(ExternalVolumeId::value).orElseGet(volume::name);
        String message = step.rpc().csiName() + " for " + subject + " at plugin " + volume.pluginId()
                + " succeeded, and its answer is too large to be stored: " + large.getMessage()
                + ". It is repeated later; report it to the plugin's vendor";
        return new CsiCallException(
                step.rpc(),
                volume.pluginId().value(),
                subject,
                StatusCode.INTERNAL,
                CallOutcome.OUTCOME_UNKNOWN,
                message,
                message,
                large);
    }

    private CompletableFuture<Outcome.Accepted> submit(CallStep<?> step, StateReader state, CallEnd end) {
        List<Command> all = end.followed() ? withFollowUps(step, state, end.facts()) : end.facts();
        Command facts = WorkerWrites.asOneCommand(operations, end.facts());
        if (all.size() == end.facts().size()) {
            return operations.submit(facts);
        }
        // The state rejects the batch if the state has changed since the follow-ups were planned, and the log refuses a
        // batch that is too large. The result of the
        // call is valid all the same. So the result is then stored without the follow-ups, and the worker plans the
        // follow-ups again.
        return operations
                .submit(WorkerWrites.asOneCommand(operations, all))
                .exceptionallyCompose(failure -> Futures.unwrap(failure) instanceof RejectedException
                                || Futures.unwrap(failure) instanceof CommandTooLargeException
                        ? operations.submit(facts)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Adds the steps that follow from the facts, planned as if the call had already ended. */
    private List<Command> withFollowUps(CallStep<?> step, StateReader state, List<Command> facts) {
        InFlightSnapshot others = VolumeCalls.without(
                operations.volumeCalls().inFlight(step.key()),
                Side.of(step.rpc()),
                step.nodeId().orElse(NO_NODE));
        return state.volume(step.key())
                .map(volume -> workers.followUps().of(state, volume, others, facts))
                .orElse(facts);
    }
}
