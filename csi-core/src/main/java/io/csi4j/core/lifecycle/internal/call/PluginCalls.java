package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Repeat;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.internal.call.OpenCalls.OpenCall;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.EventListener;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes every call to a plugin: waits for a permit, selects a plugin instance, limits the time, and reports events. The
 * futures complete in the engine's executor.
 *
 * <p>If {@link CallRules#nextInstance} allows it, a failed request is sent to the next candidate instance, and to each
 * candidate at most once. Sending the same request to another instance is safe (R29). After a timeout no other instance
 * is called, because the first instance may still process the call (R26).
 */
public final class PluginCalls {
    private static final String ASKED_BEFORE =
            "; an instance that was asked before gave no answer, so whether it took effect is not known";

    /**
     * RPCs whose futures never complete with null. Those of other RPCs may, because the response is empty. An unmount has
     * an answer of the node, and a success without it would detach a volume that is mounted.
     */
    private static final Set<Rpc> WITH_RESPONSE = Collections.unmodifiableSet(EnumSet.of(
            Rpc.GET_PLUGIN_INFO,
            Rpc.CREATE_VOLUME,
            Rpc.CONTROLLER_PUBLISH_VOLUME,
            Rpc.CONTROLLER_EXPAND_VOLUME,
            Rpc.CREATE_SNAPSHOT,
            Rpc.LIST_VOLUMES,
            Rpc.LIST_SNAPSHOTS,
            Rpc.NODE_UNPUBLISH_VOLUME));

    private final EnginePorts ports;
    /** The limits of the plugins, so that a hung plugin delays no other plugin. */
    private final ConcurrentMap<PluginId, AdaptiveLimiter> limiters = new ConcurrentHashMap<>();

    private final NodeLimiter nodes;
    private final OpenCalls open = new OpenCalls();
    private final LastFailures failures;

    PluginCalls(EnginePorts ports) {
        this.ports = ports;
        this.nodes = new NodeLimiter(ports.options().callsPerNode(), ports.executor());
        this.failures = new LastFailures(ports);
    }

    /** Returns the last failures of calls, with the plugins' own words. */
    public LastFailures failures() {
        return failures;
    }

    /**
     * Returns the calls that wait for a permit or are in flight, by their positions, oldest first.
     *
     * @param after the position after which the list begins; 0 to begin with the oldest call
     */
    public SortedMap<Long, PluginCall> open(long after) {
        return open.list(after);
    }

    /** Calls the plugin's controller service. */
    public <R> CompletableFuture<R> controller(
            CallSubject subject, Function<ControllerService, CompletableFuture<R>> send) {
        CompletableFuture<R> answer =
                routed(subject, instance -> send.apply(ports.gateway().controller(instance)));
        return ports.callSettings(subject.plugin()).rules().countsAsDone(subject.rpc(), StatusCode.NOT_FOUND)
                ? answer.exceptionally(failure -> {
                    if (notFound(Futures.unwrap(failure))) {
                        return null;
                    }
                    throw new CompletionException(Futures.unwrap(failure));
                })
                : answer;
    }

    /** Returns whether the plugin itself answered NOT_FOUND; the response of such a call has no content. */
    private static boolean notFound(Throwable failure) {
        return failure instanceof CsiCallException call && call.code() == StatusCode.NOT_FOUND;
    }
    /** Calls the plugin's group controller service. */
    public <R> CompletableFuture<R> groupController(
            CallSubject subject, Function<GroupControllerService, CompletableFuture<R>> send) {
        return routed(subject, instance -> send.apply(ports.gateway().groupController(instance)));
    }

    /** Requests a page of snapshot metadata. */
    public <R> CompletableFuture<R> metadata(CallSubject subject, Function<MetadataPages, CompletableFuture<R>> send) {
        return routed(subject, instance -> send.apply(ports.gateway().snapshotMetadata(instance)));
    }

    /** Calls the agent of a node. The call needs a permit for the node, and no permit for the plugin's controllers. */
    public <R> CompletableFuture<R> node(CallSubject subject, NodeId nodeId, Supplier<CompletableFuture<R>> send) {
        Moment asked = ports.moment();
        OpenCall call = open.begin(subject, asked);
        return nodes.acquire(nodeId, subject.kind())
                .thenCompose(permit -> timed(call, subject.on(nodeId), nodeId, asked.age(), send)
                        .whenComplete((result, failure) -> nodes.release(nodeId, permit)))
                .whenComplete((result, failure) -> call.ended());
    }

    private <R> CompletableFuture<R> routed(CallSubject subject, Function<InstanceKey, CompletableFuture<R>> send) {
        Moment asked = ports.moment();
        OpenCall call = open.begin(subject, asked);
        return limiter(subject.plugin())
                .acquire(subject.kind())
                .thenCompose(permit -> admitted(call, subject, permit, asked.age(), send))
                .whenComplete((result, failure) -> call.ended());
    }

    private AdaptiveLimiter limiter(PluginId plugin) {
        int max = ports.callsInFlight(plugin);
        AdaptiveLimiter limiter = limiters.computeIfAbsent(plugin, id -> new AdaptiveLimiter(max, ports.executor()));
        limiter.max(max);
        return limiter;
    }

    /** Limits the calls of each plugin as its profile says now, so that a raised limit admits calls that wait. */
    public void limitsChanged() {
        limiters.forEach((plugin, limiter) -> limiter.max(ports.callsInFlight(plugin)));
    }

    private <R> CompletableFuture<R> admitted(
            OpenCall call,
            CallSubject subject,
            CallPermit permit,
            Duration age,
            Function<InstanceKey, CompletableFuture<R>> send) {
        CompletableFuture<R> answer = Futures.start(() -> {
            List<InstanceKey> candidates =
                    ControllerRouting.candidates(ports.log().state().snapshot(), ports, subject);
            return ask(call, subject, candidates, age, send);
        });
        return answer.whenComplete((result, failure) -> {
            StatusCode code = Failures.code(failure);
            if (!reportsMissingCapacity(subject, code)) {
                permit.outcome(code);
            }
            permit.close();
        });
    }

    /**
     * Returns whether the status code reports missing capacity, for example because a node already has its maximum
     * number of volumes. Such a code does not mean that the plugin is overloaded.
     */
    private boolean reportsMissingCapacity(CallSubject subject, StatusCode code) {
        return code == StatusCode.RESOURCE_EXHAUSTED
                && ports.callSettings(subject.plugin())
                                .rules()
                                .of(subject.rpc(), code, false)
                                .repeat()
                        == Repeat.NEVER;
    }

    private <R> CompletableFuture<R> ask(
            OpenCall call,
            CallSubject subject,
            List<InstanceKey> candidates,
            Duration age,
            Function<InstanceKey, CompletableFuture<R>> send) {
        InstanceKey instance = candidates.get(0);
        List<InstanceKey> others = candidates.subList(1, candidates.size());
        CompletableFuture<R> answer = timed(call, subject, instance.nodeId(), age, () -> send.apply(instance));
        return others.isEmpty()
                ? answer
                : answer.exceptionallyCompose(failure -> nextInstance(subject, Futures.unwrap(failure))
                        ? ask(call, subject, others, age, send)
                                .exceptionallyCompose(later -> CompletableFuture.failedFuture(
                                        uncertain(subject, Futures.unwrap(failure), Futures.unwrap(later))))
                        : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }

    /**
     * Returns whether the request may be sent to another instance. The plugin's rules decide; only failures of the
     * plugin or of the transport can allow it.
     */
    private boolean nextInstance(CallSubject subject, Throwable failure) {
        return failure instanceof CsiCallException call
                && ports.callSettings(subject.plugin()).rules().nextInstance(subject.rpc(), call.code());
    }

    /**
     * Returns the failure of a request that was sent to two instances. Its outcome is unknown: the earlier instance may
     * have performed the request, and a refusal by the later one does not show whether it did. If the request was not sent
     * to the later one, the failure of the earlier one counts.
     */
    private static Throwable uncertain(CallSubject subject, Throwable earlier, Throwable failure) {
        if (!(failure instanceof CsiCallException call)) {
            return earlier;
        }
        return subject.rpc().changesState() && call.outcome() != CallOutcome.OUTCOME_UNKNOWN
                ? new CsiCallException(
                        call.rpc(),
                        call.plugin(),
                        call.volume().orElse(null),
                        call.code(),
                        CallOutcome.OUTCOME_UNKNOWN,
                        call.getMessage() + ASKED_BEFORE,
                        call.summary() + ASKED_BEFORE,
                        call)
                : failure;
    }

    private <R> CompletableFuture<R> timed(
            OpenCall call, CallSubject subject, NodeId nodeId, Duration age, Supplier<CompletableFuture<R>> send) {
        Moment sent = ports.moment();
        call.sent(nodeId, sent);
        CompletableFuture<R> answer = bounded(subject, ports.host().call(name(subject), send))
                .whenComplete((result, failure) -> failures.ended(subject, subject.target(), failure));
        if (EventListener.none().equals(ports.listener())) {
            return answer;
        }
        return answer.whenComplete((result, failure) -> ports.listener()
                .callFinished(new CallEvent(
                        subject.rpc(),
                        subject.plugin(),
                        nodeId,
                        subject.volume(),
                        Failures.code(failure),
                        subject.attempt(),
                        sent.age(),
                        age,
                        ports.clock().instant())));
    }

    /** Limits the time of a call, in case the transport ignores its own deadline. */
    private <R> CompletableFuture<R> bounded(CallSubject subject, CompletableFuture<R> call) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        Duration timeout = ports.options().callTimeout();
        Cancellable deadline = ports.timer()
                .schedule(
                        timeout,
                        () -> ports.executor().execute(() -> {
                            ports.host().givenUp(call, timeout);
                            answer.completeExceptionally(tooLate(subject, timeout));
                            call.cancel(true);
                        }));
        var unused = call.whenCompleteAsync(
                (result, failure) -> {
                    deadline.cancel();
                    if (failure == null && result == null && WITH_RESPONSE.contains(subject.rpc())) {
                        Futures.complete(answer, null, ports.host().nullAnswer(name(subject)));
                    } else {
                        Futures.complete(answer, result, failure);
                    }
                },
                ports.executor());
        return answer;
    }

    /** Returns the name of a callback, for operators. */
    private static String name(CallSubject subject) {
        return "NodeGateway for " + subject.rpc().csiName();
    }

    private static CsiCallException tooLate(CallSubject subject, Duration timeout) {
        String message = subject.rpc().csiName() + " of plugin " + subject.plugin() + " gave no answer within "
                + Durations.text(timeout) + "; whether it took effect is not known, and it is repeated";
        return new CsiCallException(
                subject.rpc(),
                subject.plugin().value(),
                subject.volume().map(Object::toString).orElse(null),
                StatusCode.DEADLINE_EXCEEDED,
                CallOutcome.OUTCOME_UNKNOWN,
                message,
                message,
                null);
    }
}
