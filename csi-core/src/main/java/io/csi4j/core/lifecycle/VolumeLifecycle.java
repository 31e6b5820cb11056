package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.Permission;
import java.security.Principal;
import java.util.Objects;
import java.util.Optional;

/**
 * The engine of volumes, for one caller. Its operations are grouped into five objects: {@link #claims()} for programs
 * that run workloads, {@link #volumes()} and {@link #snapshots()} for programs that manage storage, {@link #operator()}
 * for operators, and {@link #cluster()} for the host's reports about nodes and allocations.
 *
 * <p>Every operation checks the caller's permission first and then the request, before it reads, writes or sends
 * anything. Every operation may be called again with the same arguments. A future fails with a
 * {@link io.csi4j.core.call.CsiException}; if that exception is
 * {@linkplain io.csi4j.core.call.CsiException#retryable() retryable}, the operation may have had an effect, or may have
 * one later, and another call resumes it. Futures complete in the
 * {@linkplain VolumeLifecycleBuilder#callbackExecutor callback executor}, and dependent stages may block. Thread-safe.
 */
public final class VolumeLifecycle implements AutoCloseable {
    private final LifecycleEngine engine;
    private final Caller caller;
    private final Runnable closeEnvironment;
    private final VolumeClaims claims;
    private final ManagedVolumes volumes;
    private final VolumeSnapshots snapshots;
    private final OperatorActions operator;
    private final Cluster cluster;

    VolumeLifecycle(LifecycleEngine engine, Caller caller, Runnable closeEnvironment) {
        this.engine = engine;
        this.caller = caller;
        this.closeEnvironment = closeEnvironment;
        this.claims = new VolumeClaims(engine, caller);
        this.volumes = new ManagedVolumes(engine, caller);
        this.snapshots = new VolumeSnapshots(engine, caller);
        this.operator = new OperatorActions(engine, caller);
        this.cluster = new Cluster(engine.operations(), caller);
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
     * Returns this engine for operations on behalf of another caller. Without this call, operations run on behalf of
     * the host itself, and access control checks the host.
     *
     * @param principal the caller
     * @return the engine for that caller; its calls use no secrets that were passed to {@link #withSecrets} before
     */
    public VolumeLifecycle as(Principal principal) {
        Objects.requireNonNull(principal, "principal");
        return new VolumeLifecycle(engine, new Caller(principal, Optional.empty()), closeEnvironment);
    }

    /**
     * Returns this engine for the same caller, with secrets for the calls of its operations. These secrets replace
     * those of the secrets provider.
     *
     * @param secrets the secrets; they go into requests only. Calls that the engine retries after the operation has
     *     ended use the secrets provider
     */
    public VolumeLifecycle withSecrets(Secrets secrets) {
        return new VolumeLifecycle(
                engine,
                new Caller(caller.principal(), Optional.of(Objects.requireNonNull(secrets, "secrets"))),
                closeEnvironment);
    }

    /** Returns the operations on claims of allocations. */
    public VolumeClaims claims() {
        return claims;
    }

    /** Returns the operations on volumes: registration, creation, changes, deletion, lists and health. */
    public ManagedVolumes volumes() {
        return volumes;
    }

    /** Returns the operations on snapshots, group snapshots and their metadata. */
    public VolumeSnapshots snapshots() {
        return snapshots;
    }

    /** Returns the operations for operators: plugins, repair and overrides. */
    public OperatorActions operator() {
        return operator;
    }

    /** Returns the operations with which the host reports about nodes, allocations and plugins. */
    public Cluster cluster() {
        return cluster;
    }

    LifecycleEngine engine() {
        return engine;
    }

    Caller caller() {
        return caller;
    }

    /**
     * Returns a log for commands of the host. It forwards each command to the host's log, and the engine reports the
     * changes of the command as events, like those of its own commands. A command that the host submits directly to its
     * own log has the same effect, but causes no event. A command without an answer within
     * {@link LifecycleOptions#logTimeout()} fails with an unknown outcome.
     *
     * @throws AccessDeniedException if the caller does not have {@link Permission#MANAGEMENT}
     */
    public CommandLog log() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        return engine.operations().ports().log();
    }

    /**
     * Starts to lead: from now on this engine takes claims, and performs the remaining work of every volume, including
     * the work that the former leader did not finish. Exactly one engine of a cluster leads. Has no effect if this
     * engine leads already. The engine's log must have applied all committed commands before. Two engines that lead at
     * the same time for a short while do no harm as long as the state of each is up to date; call {@link #stopLeading}
     * before the state falls behind.
     *
     * @throws AccessDeniedException if the caller does not have {@link Permission#MANAGEMENT}
     */
    public void startLeading() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        engine.claims().start();
        engine.housekeeping().start();
    }

    /** Returns whether this engine leads. Needs no permission. */
    public boolean isLeading() {
        return engine.claims().leadership().isPresent();
    }

    /**
     * Stops leading. Waiting claims fail with a {@link NotLeadingException}, so that their callers can send them to the
     * next leader. Calls in flight are not cancelled, because a cancelled call may still have an effect (R30). Has no
     * effect if this engine does not lead.
     *
     * @throws AccessDeniedException if the caller does not have {@link Permission#MANAGEMENT}
     */
    public void stopLeading() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        engine.housekeeping().stop();
        engine.claims().stop();
    }

    /**
     * Stops leading, and ends the threads of an engine that was built without an {@link Environment}. Close the agents
     * and servers that use the engine first, then the engine, then the gateway, the store and the host's own
     * environment. This method does not wait for calls in flight. If the outcome of such a call stays unknown, the next
     * leader sends the call again. Further calls have no effect.
     *
     * @throws AccessDeniedException if the caller does not have {@link Permission#MANAGEMENT}
     */
    @Override
    public void close() {
        stopLeading();
        closeEnvironment.run();
    }
}
