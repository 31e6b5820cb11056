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

/** What all operations share: authority, state, log, secrets, calls and turns. */
public final class Operations {
    private final EnginePorts ports;
    private final PluginCalls calls;
    private final CallQueues turns;
    private final RetryLoop repetition;
    private final AnswerTimeout secretsLimit;
    private final PendingOperations pending;

    public Operations(EnginePorts ports, CallLimiter share, CallQueues turns) {
        this.ports = ports;
        this.calls = new PluginCalls(ports, share);
        this.turns = turns;
        this.repetition = new RetryLoop(ports);
        this.pending = new PendingOperations(ports);
        this.secretsLimit = new AnswerTimeout(
                ports.timer(), ports.executor(), ports.options().secretsTimeout());
    }

    public EnginePorts ports() {
        return ports;
    }

    public PluginCalls calls() {
        return calls;
    }

    /**
     * The volume as it is now, if it is still that one.
     *
     * @throws CsiException if it was forgotten, and another one has its name
     */
    public Volume same(Volume asked, String participle) {
        return same(state(), asked, participle);
    }

    /** The same in a state that was read. */
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

    /** Runs an operation: what it throws fails the future, and whoever waits goes on in the executor. */
    public <R> CompletableFuture<R> run(Supplier<CompletableFuture<R>> operation) {
        return told(begun(operation));
    }

    /**
     * The same for one that may wait long for its place at a plugin, and for its answer. Whoever waits is told in time
     * that it is not done; the operation itself goes on, and whatever comes of it is written as if somebody waited.
     *
     * @param what what is being done, for an operator
     */
    public <R> CompletableFuture<R> run(String what, Supplier<CompletableFuture<R>> operation) {
        CompletableFuture<R> work = begun(operation);
        CompletableFuture<R> result = told(work);
        if (!work.isDone()) {
            Duration most = ports.options().operationTimeout();
            Cancellable limit = ports.timer()
                    .schedule(
                            most,
                            () -> ports.executor().tell(() -> result.completeExceptionally(unfinished(what, most))));
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
                ports.executor()::tell);
        return result;
    }

    /**
     * Asks for authority, before anything else.
     *
     * @throws AccessDeniedException if it is refused
     */
    public void allow(Caller caller, Access... accesses) {
        for (Access access : accesses) {
            if (!ports.access().allows(caller.principal(), access)) {
                throw new AccessDeniedException(caller.principal().getName(), access);
            }
        }
    }

    /** Whether the caller may do something with a provider's volume: by the namespace it has here, or as management. */
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
     * A volume as it is now.
     *
     * @throws RejectedException if there is none
     */
    public Volume volume(VolumeKey key) {
        return volume(state(), key);
    }

    private static Volume volume(StateReader state, VolumeKey key) {
        return state.volume(key).orElseThrow(() -> new RejectedException(new Rejection.VolumeNotFound(key)));
    }

    /**
     * A volume that the provider has, so that its id there is known.
     *
     * @throws RejectedException if there is none, or it is in another phase
     */
    public Volume available(VolumeKey key) {
        return available(volume(key));
    }

    /**
     * The same of a volume that was read.
     *
     * @throws RejectedException if it is in another phase
     */
    public static Volume available(Volume volume) {
        if (volume.phase() != VolumePhase.AVAILABLE) {
            throw new RejectedException(new Rejection.WrongPhase(volume.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        return volume;
    }

    /** Proposes a command; a refusal fails with a {@link RejectedException}. */
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

    /** The same for a change of what was read before: if it changed meanwhile, that is cured by repeating. */
    public CompletableFuture<Outcome.Accepted> submitUnlessChanged(Command command) {
        return submit(command)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Failures.of(failure) instanceof RejectedException rejected && changed(rejected.reason())
                                ? new UncertainCommandException(rejected)
                                : Failures.of(failure)));
    }

    /** The volume as a command stored it. */
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

    /** The secrets of a call about a volume: the caller's own, or the provider's. */
    public CompletableFuture<Secrets> secrets(Caller caller, Volume volume, Rpc rpc) {
        return caller.secrets()
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> given(
                        () -> "volume " + volume.key(),
                        rpc,
                        () -> ports.secrets().forVolume(volume, rpc)));
    }

    /** The secrets of a call about no volume: the caller's own, or the provider's. */
    public CompletableFuture<Secrets> secrets(Caller caller, PluginId plugin, Rpc rpc) {
        return caller.secrets()
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> given(
                        () -> "plugin " + plugin, rpc, () -> ports.secrets().forPlugin(plugin, rpc)));
    }

    /** The secrets of a call about a snapshot: those of the volume that it was cut of, if that one is known here (R67). */
    public CompletableFuture<Secrets> secrets(
            Caller caller, PluginId plugin, Optional<ExternalVolumeId> source, Rpc rpc) {
        StateReader state = state();
        return source.flatMap(id -> state.volumeByExternalId(plugin, id))
                .flatMap(state::volume)
                .map(volume -> secrets(caller, volume, rpc))
                .orElseGet(() -> secrets(caller, plugin, rpc));
    }

    /** What the provider throws may hold anything, a secret too: it goes no further than this (I10). */
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
        return secretsLimit.within(
                answer.exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(new NoSecretsException(subject.get(), rpc))),
                timeout -> new NoSecretsException(subject.get(), rpc, timeout));
    }

    /**
     * Right before a request that makes or deletes a volume leaves: it may have waited long for its place, or for an
     * instance that gave no answer, and another server may have ended meanwhile what it is for.
     *
     * @throws OvertakenException if the intent does not stand any more
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
     * The same for a request that a wish is about.
     *
     * @throws OvertakenException if the wish is another one by now, or fulfilled
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
