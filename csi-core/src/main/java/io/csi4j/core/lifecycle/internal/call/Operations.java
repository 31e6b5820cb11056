package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Shared parts of all operations: access control, state, log, secrets, and calls. */
public final class Operations {
    private final EnginePorts ports;
    private final PluginCalls calls;
    private final CallQueues turns;
    private final RetryLoop repetition;
    private final Timeouts timeouts;
    private final PendingOperations pending;

    public Operations(EnginePorts ports, CallLimiter share, CallQueues turns) {
        this.ports = ports;
        this.calls = new PluginCalls(ports, share);
        this.turns = turns;
        this.repetition = new RetryLoop(ports);
        this.pending = new PendingOperations(ports);
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
    }

    public EnginePorts ports() {
        return ports;
    }

    public PluginCalls calls() {
        return calls;
    }

    /**
     * Returns the current volume if it is still the same one.
     *
     * @throws CsiException if the volume was removed, and another volume has its key
     */
    public Volume same(Volume asked, String participle) {
        return same(state(), asked, participle);
    }

    /** Returns the volume in a state if it is still the same one. */
    public static Volume same(StateReader state, Volume asked, String participle) {
        Volume now = volume(state, asked.key());
        if (now.createIndex() != asked.createIndex()) {
            throw new CsiException("volume " + asked.key() + " was forgotten while it was being " + participle
                    + ", and there is another one of that name; look whether that one needs it too");
        }
        return now;
    }

    public CallQueues turns() {
        return turns;
    }

    public RetryLoop repetition() {
        return repetition;
    }

    public PendingOperations pending() {
        return pending;
    }

    public Instant now() {
        return ports.clock().instant();
    }

    /** Runs an operation. An exception fails the future; dependent stages run in the executor. */
    public <R> CompletableFuture<R> run(Supplier<CompletableFuture<R>> operation) {
        return told(begun(operation));
    }

    /**
     * Runs an operation that may wait long for a permit or a response. The caller's future fails after the operation timeout; the
     * operation itself continues, and its result is recorded.
     *
     * @param what the operation, for operators
     */
    public <R> CompletableFuture<R> run(String what, Supplier<CompletableFuture<R>> operation) {
        CompletableFuture<R> work = begun(operation);
        CompletableFuture<R> result = told(work);
        if (!work.isDone()) {
            Duration most = ports.options().operationTimeout();
            Cancellable limit = ports.timer()
                    .schedule(
                            most,
                            () -> ports.callbacks()
                                    .execute(() -> result.completeExceptionally(unfinished(what, most))));
            var unused = result.whenComplete((value, failure) -> limit.cancel());
        }
        return result;
    }

    private static UnfinishedException unfinished(String what, Duration most) {
        return new UnfinishedException(
                what + " is not done after " + most + ", and goes on: it waits for its place at the plugin, or for an"
                        + " answer; repeat it to wait for it again",
                null);
    }

    private static <R> CompletableFuture<R> begun(Supplier<CompletableFuture<R>> operation) {
        try {
            return operation.get();
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <R> CompletableFuture<R> told(CompletableFuture<R> work) {
        CompletableFuture<R> result = new CompletableFuture<>();
        var unused = work.whenCompleteAsync(
                (value, failure) -> {
                    if (failure == null) {
                        result.complete(value);
                    } else {
                        result.completeExceptionally(Failures.of(failure));
                    }
                },
                ports.callbacks());
        return result;
    }

    /**
     * Checks permissions, before anything else.
     *
     * @throws AccessDeniedException if the caller does not have them
     */
    public void allow(Caller caller, Access... accesses) {
        for (Access access : accesses) {
            if (!ports.access().allows(caller.principal(), access)) {
                throw new AccessDeniedException(caller.principal().getName(), access);
            }
        }
    }

    /**
     * Returns whether the caller has a permission for a provider's volume: by the namespace of its row, or by MANAGEMENT.
     */
    public boolean owns(Caller caller, PluginId plugin, ExternalVolumeId externalVolumeId, Permission permission) {
        Access access = state().volumeByExternalId(plugin, externalVolumeId)
                .map(key -> Access.in(key.namespace(), permission))
                .orElse(Access.of(Permission.MANAGEMENT));
        return ports.access().allows(caller.principal(), access);
    }

    public StateReader state() {
        return ports.log().state().snapshot();
    }

    /**
     * Returns the current volume.
     *
     * @throws RejectedException if the state does not have it
     */
    public Volume volume(VolumeKey key) {
        return volume(state(), key);
    }

    private static Volume volume(StateReader state, VolumeKey key) {
        return state.volume(key).orElseThrow(() -> new RejectedException(new Rejection.VolumeNotFound(key)));
    }

    /**
     * Returns the current volume, which has to be available, so that its external id is known.
     *
     * @throws RejectedException if the state does not have it, or it is in another phase
     */
    public Volume available(VolumeKey key) {
        return available(volume(key));
    }

    /**
     * Returns the volume if it is available.
     *
     * @throws RejectedException if it is in another phase
     */
    public static Volume available(Volume volume) {
        if (volume.phase() != VolumePhase.AVAILABLE) {
            throw new RejectedException(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        return volume;
    }

    /** Submits a command; a rejection fails the future with a {@link RejectedException}. */
    public CompletableFuture<Outcome.Accepted> submit(Command command) {
        return ports.log().submit(command).handle((outcome, failure) -> {
            if (failure != null) {
                throw Failures.ofLog(failure);
            }
            return outcome.<Outcome.Accepted>fold(accepted -> accepted, rejected -> {
                throw new RejectedException(rejected.reason());
            });
        });
    }

    /**
     * Submits a command that was derived from an earlier read. If the volume has changed since, the failure is retryable.
     */
    public CompletableFuture<Outcome.Accepted> submitUnlessChanged(Command command) {
        return submit(command)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Failures.of(failure) instanceof RejectedException rejected && changed(rejected.reason())
                                ? new UncertainCommandException(rejected)
                                : Failures.of(failure)));
    }

    /** Returns the volume as a command stored it. */
    public static Volume stored(Outcome.Accepted written) {
        return written.effects().stream()
                .filter(Effect.VolumeStored.class::isInstance)
                .map(Effect.VolumeStored.class::cast)
                .map(Effect.VolumeStored::volume)
                .findFirst()
                .orElseThrow();
    }

    private static boolean changed(Rejection reason) {
        return reason instanceof Rejection.VolumeChanged
                || (reason instanceof Rejection.InBatch batch && changed(batch.cause()));
    }

    /** Returns the secrets for a call about a volume: the caller's own, or those of the secrets provider. */
    public CompletableFuture<Secrets> secrets(Caller caller, Volume volume, Rpc rpc) {
        return caller.secrets()
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> given(
                        () -> "volume " + volume.key(),
                        rpc,
                        () -> ports.secrets().forVolume(volume, rpc)));
    }

    /**
     * Returns the secrets for a call that is not about a volume: the caller's own, or those of the secrets provider.
     */
    public CompletableFuture<Secrets> secrets(Caller caller, PluginId plugin, Rpc rpc) {
        return caller.secrets()
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> given(
                        () -> "plugin " + plugin, rpc, () -> ports.secrets().forPlugin(plugin, rpc)));
    }

    /** Returns the secrets for a call about a snapshot: those of its source volume if that is registered (R67). */
    public CompletableFuture<Secrets> secrets(
            Caller caller, PluginId plugin, Optional<ExternalVolumeId> source, Rpc rpc) {
        StateReader state = state();
        return source.flatMap(id -> state.volumeByExternalId(plugin, id))
                .flatMap(state::volume)
                .map(volume -> secrets(caller, volume, rpc))
                .orElseGet(() -> secrets(caller, plugin, rpc));
    }

    /** Hides the exceptions of the secrets provider, because they may contain a secret. */
    private CompletableFuture<Secrets> given(
            Supplier<String> subject, Rpc rpc, Supplier<CompletableFuture<Secrets>> ask) {
        CompletableFuture<Secrets> answer;
        try {
            answer = Objects.requireNonNull(ask.get(), "SecretsProvider answered null");
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        if (answer.isDone() && !answer.isCompletedExceptionally()) {
            return answer;
        }
        Duration timeout = ports.options().secretsTimeout();
        return timeouts.limit(
                answer.exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(new NoSecretsException(subject.get(), rpc))),
                timeout,
                () -> new NoSecretsException(subject.get(), rpc, timeout));
    }

    /**
     * Checks right before a request that creates or deletes a volume is sent that its intent still exists. The request may have waited
     * long, and another server may have ended its purpose.
     *
     * @throws OvertakenException if the intent does not exist any more
     */
    public void intended(Volume volume) {
        boolean stands = state().volume(volume.key())
                .filter(now -> now.createIndex() == volume.createIndex() && now.phase() == volume.phase())
                .isPresent();
        if (!stands) {
            throw new OvertakenException(volume.key());
        }
    }

    /**
     * Checks right before a request is sent that the requested change still exists.
     *
     * @throws OvertakenException if the change was replaced or fulfilled
     */
    public void wished(Volume volume, Predicate<Volume> wish) {
        boolean stands = state().volume(volume.key())
                .filter(now -> now.createIndex() == volume.createIndex() && now.phase() == VolumePhase.AVAILABLE)
                .filter(wish)
                .isPresent();
        if (!stands) {
            throw new OvertakenException(volume.key());
        }
    }
}
