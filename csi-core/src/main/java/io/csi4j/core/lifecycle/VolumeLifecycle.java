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
 * The engine of volumes, for one caller. Its operations are in four views: {@link #claims()} for what runs workloads, {@link
 * #volumes()} and {@link #snapshots()} for what manages storage, {@link #operator()} for people and their tools. {@link #cluster()} takes the reports of the host about nodes and
 * allocations.
 *
 * <p>Every operation asks for the caller's authority first, then checks the request, and only then reads, writes or sends
 * anything. It may be repeated any number of times. A future fails with a {@link io.csi4j.core.call.CsiException}; where
 * that is {@linkplain io.csi4j.core.call.CsiException#retryable() retryable}, the operation may have had effect, or may
 * have it yet, and a repetition resumes where it stopped. Futures complete in the {@linkplain
 * VolumeLifecycleBuilder#callbackExecutor callback executor}, and stages that depend on them may block. Safe for use by
 * many threads.
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
     * An engine with defaults: threads and time of its own, secrets of the volumes, no access control, no events.
     *
     * @param log the only way state is changed
     * @param gateway the only way plugins and nodes are reached
     * @return ready for use; the caller closes it
     */
    public static VolumeLifecycle of(CommandLog log, NodeGateway gateway) {
        return builder().log(log).gateway(gateway).build();
    }

    /**
     * A builder; log and gateway have to be set.
     *
     * @return a new builder
     */
    public static VolumeLifecycleBuilder builder() {
        return new VolumeLifecycleBuilder();
    }

    /**
     * The same engine, on behalf of somebody. Without it, operations run on behalf of the host itself, and
     * access control is asked about that one.
     *
     * @param principal who
     * @return operations as that caller, with no secrets of its own
     */
    public VolumeLifecycle as(Principal principal) {
        Objects.requireNonNull(principal, "principal");
        return new VolumeLifecycle(engine, new Caller(principal, Optional.empty()), closeEnvironment);
    }

    /**
     * The same engine and caller, with secrets for the calls of its operations in place of the provider's (S4).
     *
     * @param secrets go into requests and nowhere else; what the engine repeats later, by itself, uses the
     *     provider's
     * @return operations with these secrets
     */
    public VolumeLifecycle withSecrets(Secrets secrets) {
        return new VolumeLifecycle(
                engine,
                new Caller(caller.principal(), Optional.of(Objects.requireNonNull(secrets, "secrets"))),
                closeEnvironment);
    }

    /**
     * Claims of allocations: take, release, and see where they stand.
     *
     * @return the view of this caller
     */
    public VolumeClaims claims() {
        return claims;
    }

    /**
     * Volumes: register, create, change, delete, list, and see their health.
     *
     * @return the view of this caller
     */
    public ManagedVolumes volumes() {
        return volumes;
    }

    /**
     * Snapshots, group snapshots and their metadata.
     *
     * @return the view of this caller
     */
    public VolumeSnapshots snapshots() {
        return snapshots;
    }

    /**
     * Plugins, repair, and the decisions of an operator.
     *
     * @return the view of this caller
     */
    public OperatorActions operator() {
        return operator;
    }

    /**
     * Reports of the host about its cluster: nodes, allocations, plugins.
     *
     * @return the view of this caller
     */
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
     * The log as the engine's own commands go: what the host submits through it, the end of an allocation, a fenced node
     * or a reservation above all, is told to the {@link io.csi4j.core.spi.EventListener} like what the engine writes.
     * Submitted past it, a command does the same and is not told. One that the host's log does not answer within {@link
     * LifecycleOptions#logTimeout()} fails: what came of it is not known.
     *
     * @return the host's log, observed
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    public CommandLog log() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        return engine.operations().ports().log();
    }

    /**
     * Begins to lead: takes claims, and brings every volume to where its claims say it should be, beginning
     * with what a former leader left. Exactly one engine of a cluster leads; does nothing if this one does. Its log has to
     * have applied all that was committed before. Two that lead for a while, because one has not noticed that it was
     * overtaken, do no harm as long as the state of each is up to date; {@link #stopLeading} has to come before it is not.
     *
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    public void startLeading() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        engine.claims().start();
        engine.housekeeping().start();
    }

    /**
     * Ends leading. Those who wait for a claim are told to ask the next leader; calls under way are not
     * cancelled, as that would undo nothing (R30). Does nothing if this engine does not lead.
     *
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    public void stopLeading() {
        engine.operations().allow(caller, Access.of(Permission.MANAGEMENT));
        engine.housekeeping().stop();
        engine.claims().stop();
    }

    /**
     * Ends leading, and the threads of an engine that was built without an {@link Environment}. Close agents and servers
     * that use the engine first; then the engine; then gateway, store and the host's own environment. Does not wait: calls
     * in flight end by themselves, and the next leader repeats those whose outcome is unknown. Does nothing the second
     * time.
     *
     * @throws AccessDeniedException if the caller has not {@link Permission#MANAGEMENT}
     */
    @Override
    public void close() {
        stopLeading();
        closeEnvironment.run();
    }
}
