package io.csi4j.core.lifecycle;

import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeGateway;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The engine of volumes. The host owns it: it starts and stops to lead, and closes it. The operations of the host itself
 * are those of {@link CallerOperations}; {@link #as} has them for another caller.
 */
public final class VolumeLifecycle extends CallerOperations implements AutoCloseable {
    private final Runnable closeEnvironment;
    private final boolean controllersSet;

    VolumeLifecycle(LifecycleEngine engine, Caller caller, boolean controllersSet, Runnable closeEnvironment) {
        super(engine, caller);
        this.controllersSet = controllersSet;
        this.closeEnvironment = closeEnvironment;
    }

    /**
     * Creates an engine with default settings: its own threads and clock, the secrets that the volumes declare, no
     * access control, and no events.
     *
     * @param log the only way to change the state
     * @param gateway the only way to call plugins and nodes
     * @return an engine; the caller closes it
     */
    public static VolumeLifecycle of(CommandLog log, NodeGateway gateway) {
        return builder().log(log).gateway(gateway).build();
    }

    /** Returns a builder. The log and the gateway have to be set. */
    public static VolumeLifecycleBuilder builder() {
        return new VolumeLifecycleBuilder();
    }

    /**
     * Returns the operations on behalf of another caller. Without this call, operations run on behalf of the host
     * itself, and access control checks the host. The result can neither close the engine nor act for another
     * caller.
     *
     * @param principal the caller
     * @return the operations of that caller; their calls use no secrets that were passed to {@link #withSecrets} before
     */
    public CallerOperations as(Principal principal) {
        Objects.requireNonNull(principal, "principal");
        return new CallerOperations(engine(), new Caller(principal, Optional.empty()));
    }

    /**
     * Returns a log for commands of the host. It forwards each command to the host's log, and the engine reports the
     * changes of the command as events, like those of its own commands. A command that the host submits directly to its
     * own log has the same effect, but causes no event. A command without an answer within
     * {@link LifecycleOptions#logTimeout()} fails with an unknown outcome.
     */
    public CommandLog log() {
        return engine().operations().ports().log();
    }

    /** Returns which controllers the engine calls. */
    public ControllerTrust controllers() {
        return engine().operations().ports().trust();
    }

    /**
     * Returns whether the host has said which controllers the engine calls, with {@link
     * VolumeLifecycleBuilder#controllers}. An engine without it must not be used for the agents of other machines.
     */
    public boolean controllersSet() {
        return controllersSet;
    }

    /**
     * Starts to lead: from now on this engine takes claims, and performs the remaining work of every volume, including
     * the work that the former leader did not finish. Exactly one engine of a cluster leads. Has no effect if this
     * engine leads already. The engine's log must have applied all committed commands before. Two engines that lead at
     * the same time for a short while do no harm as long as the state of each is up to date; call {@link #stopLeading}
     * before the state falls behind.
     */
    public void startLeading() {
        startLeading(() -> true);
    }

    /**
     * Starts to lead, as {@link #startLeading()}, and asks the log right before each call whether this server still leads.
     * A process that stood still for longer than its lease would otherwise send calls until {@link #stopLeading} is called.
     *
     * @param mayAct returns at once, from any thread, and does not throw; {@link
     *     io.csi4j.core.spi.ReplicatedLog#mayAct} of the log. When it has returned false, this engine sends no call that
     *     follows from the state until it was stopped and started again
     */
    public void startLeading(BooleanSupplier mayAct) {
        engine().claims().start(Objects.requireNonNull(mayAct, "mayAct"));
        engine().housekeeping().start();
        engine().capacity().start(engine().claims()::mayCall);
    }

    /** Returns whether this engine leads. Needs no permission. */
    public boolean isLeading() {
        return engine().claims().leadership().isPresent();
    }

    /**
     * Returns the times at which this engine began to lead, oldest first, by the clock of its {@link Environment}: at most the
     * last 100. Several within minutes mean that it loses the lead again and again. Needs no permission.
     */
    public List<Instant> leaderships() {
        return engine().claims().leaderships();
    }

    /**
     * Stops leading. Waiting claims fail with a {@link NotLeadingException}, so that their callers can send them to the
     * next leader. Calls in flight are not cancelled, because a cancelled call may still have an effect (R30). The engine
     * drops what only a leader renews: the reports of nodes, the reported health of volumes, the
     * known capacity of storage, and the last failures of calls. Has no further effect if this engine does not lead.
     */
    public void stopLeading() {
        engine().stopLeading();
    }

    /**
     * Stops leading, and ends the threads of an engine that was built without an {@link Environment}. Close the agents
     * and servers that use the engine first, then the engine, then the gateway, the store and the host's own
     * environment. This method does not wait for calls in flight. If the outcome of such a call stays unknown, the next
     * leader sends the call again. Further calls have no effect.
     */
    @Override
    public void close() {
        stopLeading();
        closeEnvironment.run();
    }
}
