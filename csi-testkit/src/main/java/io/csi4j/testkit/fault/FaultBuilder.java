package io.csi4j.testkit.fault;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Builds a fault and sets it at a plugin. First call the methods for the conditions, for example {@code forVolume};
 * then call one method for the change, for example {@code failWith}, which sets the fault. Not thread-safe.
 */
public final class FaultBuilder {
    private final Function<FaultRule, Fault> plugin;
    private final Optional<Rpc> rpc;
    private Optional<String> volume = Optional.empty();
    private Optional<String> node = Optional.empty();
    private long skip;
    private long times = FaultRule.ALWAYS;
    private double probability = 1;
    private long seed = 1;
    private Duration delay = Duration.ZERO;

    /**
     * Creates a builder.
     *
     * @param rpc the RPC whose calls change; empty: all RPCs
     * @param plugin sets the finished rule at the plugin
     */
    public FaultBuilder(Optional<Rpc> rpc, Function<FaultRule, Fault> plugin) {
        this.rpc = Objects.requireNonNull(rpc, "rpc");
        this.plugin = Objects.requireNonNull(plugin, "plugin");
    }

    /**
     * Limits the rule to a volume.
     *
     * @param volumeId the volume id in the request, or the volume of which a snapshot is made; for CreateVolume, the
     *     name of the new volume
     */
    public FaultBuilder forVolume(String volumeId) {
        volume = Optional.of(volumeId);
        return this;
    }

    /**
     * Limits the rule to a node.
     *
     * @param nodeId the node id of the request, or the node of the plugin for the calls of the node service
     */
    public FaultBuilder onNode(String nodeId) {
        node = Optional.of(nodeId);
        return this;
    }

    /** Lets the given number of matching calls pass unchanged before the rule acts. */
    public FaultBuilder skip(long calls) {
        skip = calls;
        return this;
    }

    /** Limits the number of calls that the rule changes. Default: no limit. */
    public FaultBuilder times(long calls) {
        times = calls;
        return this;
    }

    /** Limits the rule to one call. */
    public FaultBuilder once() {
        return times(1);
    }

    /**
     * Makes the rule change only a random part of the calls.
     *
     * @param ofEachCall the probability for each call; greater than 0, at most 1
     */
    public FaultBuilder withProbability(double ofEachCall) {
        probability = ofEachCall;
        return this;
    }

    /** Sets the seed of {@link #withProbability}. Default: 1. The same seed and the same calls give the same faults. */
    public FaultBuilder seed(long number) {
        seed = number;
        return this;
    }

    /** Sets a delay before the rule acts. Default: none. */
    public FaultBuilder after(Duration time) {
        delay = time;
        return this;
    }

    /** Handles each call as usual, but only after this time. */
    public Fault delay(Duration time) {
        delay = time;
        return add(FaultAction.of(FaultAction.Kind.CONTINUE));
    }

    /**
     * Fails each call, without an effect.
     *
     * @param code any code but OK
     */
    public Fault failWith(StatusCode code) {
        return failWith(code, "");
    }

    /**
     * Fails each call, without an effect.
     *
     * @param code any code but OK
     * @param text the error text of the plugin
     */
    public Fault failWith(StatusCode code, String text) {
        return add(FaultAction.fail(code, text));
    }

    /**
     * Fails each call with INVALID_ARGUMENT and a text that contains the secrets of the request, as careless plugins do. The caller must not show the text as it is.
     */
    public Fault failEchoingSecrets() {
        return add(FaultAction.failEchoingSecrets(StatusCode.INVALID_ARGUMENT));
    }

    /** Keeps each call waiting, without an effect, until the caller cancels it. {@link Fault#remove} lets waiting calls continue. */
    public Fault hang() {
        return add(FaultAction.of(FaultAction.Kind.HANG));
    }

    /** Lets each call take effect and never answers it, so that it ends with its deadline. */
    public Fault loseReplyAfterEffect() {
        return add(FaultAction.of(FaultAction.Kind.LOSE_REPLY));
    }

    /**
     * Cuts the connections of all callers in place of handling a call. A caller in the same process has no connection:
     * only its call fails, with UNAVAILABLE.
     */
    public Fault dropConnectionBeforeEffect() {
        return add(FaultAction.of(FaultAction.Kind.DROP_CONNECTION_BEFORE));
    }

    /**
     * Lets a call take effect, then cuts the connections of all callers. A caller in the same process has no
     * connection: only its call fails, with UNAVAILABLE.
     */
    public Fault dropConnectionAfterEffect() {
        return add(FaultAction.of(FaultAction.Kind.DROP_CONNECTION_AFTER));
    }

    /**
     * Ends the plugin in place of handling a call. A plugin that is a process of its own ends at once, as by SIGKILL; a
     * plugin in this process cuts its connections and does not serve until the test starts it again. Its storage is
     * kept.
     */
    public Fault crashBeforeEffect() {
        return add(FaultAction.of(FaultAction.Kind.CRASH_BEFORE));
    }

    /** Lets a call take effect, then ends the plugin as {@link #crashBeforeEffect} does. */
    public Fault crashAfterEffect() {
        return add(FaultAction.of(FaultAction.Kind.CRASH_AFTER));
    }

    /** Lets each call take effect and answers wrongly. */
    public Fault answerWrong(WrongAnswer how) {
        return add(FaultAction.answerWrong(how));
    }

    /** Lets each call take effect and answers with 17 MiB, which is more than a client accepts by default. */
    public Fault answerOversized() {
        return answerOversized(FaultAction.OVERSIZED_BYTES);
    }

    /**
     * Lets each call take effect, and answers with a message that is too large.
     *
     * @param bytes the minimum size of the message; greater than zero
     */
    public Fault answerOversized(int bytes) {
        return add(FaultAction.answerOversized(bytes));
    }

    /**
     * Answers each call with an empty message, as if it had succeeded, without an effect. For NodePublishVolume: the
     * plugin says that the volume is published, and mounts nothing.
     */
    public Fault answerWithoutEffect() {
        return add(FaultAction.of(FaultAction.Kind.ANSWER_WITHOUT_EFFECT));
    }

    /**
     * Answers NodePublishVolume as if it had succeeded, and puts a symbolic link at the target in place of the volume.
     *
     * @param destination where the link leads
     * @throws IllegalArgumentException if the rule is not for NodePublishVolume only
     */
    public Fault linkTarget(Path destination) {
        return add(FaultAction.linkTarget(destination.toString()));
    }

    private Fault add(FaultAction action) {
        return plugin.apply(new FaultRule(rpc, volume, node, skip, times, probability, seed, delay, action));
    }
}
