package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.Caller;
import java.util.Objects;
import java.util.Optional;

/**
 * The operations of the engine of volumes, for one caller. They are grouped into eight objects: {@link #claims()} for
 * programs that run workloads, {@link #volumes()} and {@link #snapshots()} for programs that manage storage,
 * {@link #operator()} for operators, {@link #cluster()} for the host's reports about nodes and allocations,
 * {@link #classes()} for the classes from which volumes are made, {@link #quotas()} for the
 * limits of namespaces, and {@link #accessTokens()} for the tokens of callers.
 *
 * <p>Every operation checks the caller's permission first and then the request, before it reads, writes or sends
 * anything. Every operation may be called again with the same arguments. A future fails with a
 * {@link io.csi4j.core.call.CsiException}; if that exception is
 * {@linkplain io.csi4j.core.call.CsiException#retryable() retryable}, the operation may have had an effect, or may have
 * one later, and another call resumes it. Futures complete in the
 * {@linkplain VolumeLifecycleBuilder#callbackExecutor callback executor}, and dependent stages may block. Thread-safe.
 *
 * @see VolumeLifecycle#as
 */
public sealed class CallerOperations permits VolumeLifecycle {
    // The groups are made when they are asked for, so that a caller that waits costs two references.
    private final LifecycleEngine engine;
    private final Caller caller;

    CallerOperations(LifecycleEngine engine, Caller caller) {
        this.engine = engine;
        this.caller = caller;
    }

    /**
     * Returns the operations for the same caller, with secrets for their calls. These secrets replace those of the
     * secrets provider.
     *
     * @param secrets the secrets; they go into requests only. Calls that the engine retries after the operation has
     *     ended use the secrets provider
     */
    public final CallerOperations withSecrets(Secrets secrets) {
        return new CallerOperations(
                engine, new Caller(caller.principal(), Optional.of(Objects.requireNonNull(secrets, "secrets"))));
    }

    /** Returns the operations on claims of allocations. */
    public final VolumeClaims claims() {
        return new VolumeClaims(engine, caller);
    }

    /** Returns the operations on volumes: registration, creation, changes, deletion, lists and health. */
    public final ManagedVolumes volumes() {
        return new ManagedVolumes(engine, caller);
    }

    /** Returns the operations on snapshots, group snapshots and their metadata. */
    public final VolumeSnapshots snapshots() {
        return new VolumeSnapshots(engine, caller);
    }

    /** Returns the operations for operators: plugins, repair and overrides. */
    public final OperatorActions operator() {
        return new OperatorActions(engine, caller);
    }

    /** Returns the operations with which the host reports about nodes, allocations and plugins. */
    public final Cluster cluster() {
        return new Cluster(engine.operations(), engine.capacity(), caller);
    }

    /** Returns the operations on volume classes. */
    public final VolumeClasses classes() {
        return new VolumeClasses(engine.operations(), engine.capacity(), caller);
    }

    /** Returns the operations on quotas. */
    public final VolumeQuotas quotas() {
        return new VolumeQuotas(engine.operations(), caller);
    }

    /** Returns the operations on access tokens. */
    public final AccessTokens accessTokens() {
        return new AccessTokens(engine.operations(), caller);
    }

    final LifecycleEngine engine() {
        return engine;
    }

    final Caller caller() {
        return caller;
    }
}
