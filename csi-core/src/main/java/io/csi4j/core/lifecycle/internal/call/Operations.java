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
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.lifecycle.UnfinishedException;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.SecretsQuery;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The parts that all operations share: access control, and access to the state, the log, the secrets and the plugins.
 */
public final class Operations {
    private final EnginePorts ports;
    private final PluginCalls calls;
    private final CallQueues callQueues;
    private final RetryLoop retryLoop;
    private final Timeouts timeouts;

    public Operations(EnginePorts ports, CallLimiter limiter, CallQueues callQueues) {
        this.ports = ports;
        this.calls = new PluginCalls(ports, limiter);
        this.callQueues = callQueues;
        this.retryLoop = new RetryLoop(ports);
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
    }

    public EnginePorts ports() {
        return ports;
    }

    public PluginCalls calls() {
        return calls;
    }

    /**
     * Returns the current row of a volume that was read before.
     *
     * @param asked the volume as it was read before
     * @param participle the operation for the error message, for example {@code deleted}
     * @throws CsiException if the volume was removed since then, even if a new volume has the same key
     */
    public Volume same(Volume asked, String participle) {
        return same(state(), asked, participle);
    }

    /**
     * Returns the row that a snapshot of the state has for a volume that was read before. Fails if the volume was
     * removed since then, even if a new volume has the same key.
     */
    public static Volume same(StateReader state, Volume asked, String participle) {
        Volume now = volume(state, asked.key());
        if (now.createIndex() != asked.createIndex()) {
            throw new CsiException("volume " + asked.key() + " was forgotten while it was being " + participle
                    + ", and there is another one of that name; look whether that one needs it too");
        }
        return now;
    }

    public CallQueues callQueues() {
        return callQueues;
    }

    public RetryLoop retryLoop() {
        return retryLoop;
    }

    public Instant now() {
        return ports.clock().instant();
    }

    /**
     * Starts an operation. If the operation throws a {@link CsiException}, the returned future fails with it. Dependent
     * stages of the future run in the callback executor.
     */
    public <R> CompletableFuture<R> run(Supplier<CompletableFuture<R>> operation) {
        return reported(begun(operation));
    }

    /**
     * Starts an operation that may wait long for a permit or a response. The caller's future fails after the operation
     * timeout; the operation itself continues, and its result is recorded.
     *
     * @param what a description of the operation, for operators
     */
    public <R> CompletableFuture<R> run(String what, Supplier<CompletableFuture<R>> operation) {
        return run(what, Optional::empty, operation);
    }

    /**
     * Starts an operation as {@link #run(String, Supplier)}.
     *
     * @param left what the operation leaves behind after the operation timeout, for operators; empty if it continues
     */
    public <R> CompletableFuture<R> run(
            String what, Supplier<Optional<String>> left, Supplier<CompletableFuture<R>> operation) {
        CompletableFuture<R> work = begun(operation);
        CompletableFuture<R> result = reported(work);
        if (!work.isDone()) {
            Duration max = ports.options().operationTimeout();
            Cancellable limit = ports.timer()
                    .schedule(
                            max,
                            () -> ports.callbacks()
                                    .execute(() -> result.completeExceptionally(unfinished(what, max, left.get()))));
            var unused = result.whenComplete((value, failure) -> limit.cancel());
        }
        return result;
    }

    /**
     * Starts an operation that consists of many calls and leaves nothing behind, such as a listing. The caller's future
     * fails after the operation timeout. The operation makes no further call then, nor after the caller has completed or
     * cancelled its future.
     *
     * @param what a description of the operation, for operators
     * @param operation starts the operation; it asks the given query before each call whether to stop
     */
    public <R> CompletableFuture<R> runUnlessStopped(
            String what, Function<BooleanSupplier, CompletableFuture<R>> operation) {
        CompletableFuture<R> result = new CompletableFuture<>();
        AtomicBoolean late = new AtomicBoolean();
        Duration max = ports.options().operationTimeout();
        Cancellable limit = ports.timer().schedule(max, () -> {
            late.set(true);
            ports.callbacks()
                    .execute(() -> result.completeExceptionally(new UnfinishedException(
                            what + " is not done after " + max + " and was stopped; nothing continues, repeat it",
                            null)));
        });
        var unused = result.whenComplete((value, failure) -> limit.cancel());
        var ignored = begun(() -> operation.apply(() -> late.get() || result.isDone()))
                .whenCompleteAsync((value, failure) -> Futures.complete(result, value, failure), ports.callbacks());
        return result;
    }

    private static UnfinishedException unfinished(String what, Duration max, Optional<String> left) {
        return new UnfinishedException(
                what + " is not done after " + max
                        + left.map(text -> ": " + text)
                                .orElse(", and continues: it waits for a permit of the plugin, or for an answer; repeat"
                                        + " it to wait for it again"),
                null);
    }

    private static <R> CompletableFuture<R> begun(Supplier<CompletableFuture<R>> operation) {
        try {
            return operation.get();
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private <R> CompletableFuture<R> reported(CompletableFuture<R> work) {
        CompletableFuture<R> result = new CompletableFuture<>();
        var unused =
                work.whenCompleteAsync((value, failure) -> Futures.complete(result, value, failure), ports.callbacks());
        return result;
    }

    /**
     * Checks the caller's permissions. An operation calls this method first.
     *
     * @throws AccessDeniedException if the caller lacks one of the permissions
     */
    public void allow(Caller caller, Access... accesses) {
        for (Access access : accesses) {
            if (!allows(caller, access)) {
                throw new AccessDeniedException(caller.principal().getName(), access);
            }
        }
    }

    /** Returns whether the caller has a permission. */
    public boolean allows(Caller caller, Access access) {
        try {
            return ports.access().allows(caller.principal(), access);
        } catch (RuntimeException | Error e) {
            // A request that cannot be decided is not allowed.
            ports.host().failed("AccessControl.allows", e);
            return false;
        }
    }

    /** Returns whether the caller may read a volume. */
    public boolean mayRead(Caller caller, VolumeKey key) {
        return allows(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
    }

    /**
     * Returns whether the caller has a permission for a volume at the storage provider. If the state has a row for the
     * volume, the permission has to cover the namespace of the row. Otherwise the caller needs the permission
     * MANAGEMENT.
     */
    public boolean owns(Caller caller, PluginId plugin, ExternalVolumeId externalVolumeId, Permission permission) {
        Access access = state().volumeByExternalId(plugin, externalVolumeId)
                .map(key -> Access.in(key.namespace(), permission))
                .orElse(Access.of(Permission.MANAGEMENT));
        return allows(caller, access);
    }

    public StateReader state() {
        return ports.log().state().snapshot();
    }

    /**
     * Returns the current row of a volume.
     *
     * @throws RejectedException if the state does not have the volume
     */
    public Volume volume(VolumeKey key) {
        return volume(state(), key);
    }

    /**
     * Returns the row that a snapshot of the state has for a volume.
     *
     * @throws RejectedException if it has none
     */
    public static Volume volume(StateReader state, VolumeKey key) {
        return state.volume(key).orElseThrow(() -> new RejectedException(new Rejection.VolumeNotFound(key)));
    }

    /**
     * Returns the current row of a volume, if the volume is in the phase AVAILABLE. The external id of such a volume is
     * known.
     *
     * @throws RejectedException if the state does not have the volume, or the volume is being created or deleted
     */
    public Volume available(VolumeKey key) {
        return available(volume(key));
    }

    /**
     * Returns the given volume if it is in the phase AVAILABLE.
     *
     * @throws RejectedException if the volume is being created or deleted
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
     * Submits a command that was derived from an earlier read of a volume. If the volume has changed since that read,
     * the future fails with a retryable exception.
     */
    public CompletableFuture<Outcome.Accepted> submitUnlessChanged(Command command) {
        return submit(command)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(uncertainIfChanged(Futures.unwrap(failure))));
    }

    /**
     * Returns a retryable exception in place of a rejection that only says that the volume has changed since it was
     * read; returns each other failure as it is.
     */
    public static Throwable uncertainIfChanged(Throwable failure) {
        return failure instanceof RejectedException rejected && changed(rejected.reason())
                ? new UncertainCommandException(rejected)
                : failure;
    }

    /** Returns the volume that an accepted command has stored. */
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

    /** Returns the secrets for a call about a volume: the caller's own, or else those of the secrets provider. */
    public CompletableFuture<Secrets> secrets(Caller caller, Volume volume, Rpc rpc) {
        return secrets(caller, new SecretsQuery(volume.spec().pluginId(), Optional.of(volume), rpc));
    }

    /**
     * Returns the secrets for a call that is not about a volume: the caller's own, or else those of the secrets
     * provider.
     */
    public CompletableFuture<Secrets> secrets(Caller caller, PluginId plugin, Rpc rpc) {
        return secrets(caller, new SecretsQuery(plugin, Optional.empty(), rpc));
    }

    /**
     * Returns the secrets for a call about a snapshot. They are those of the snapshot's source volume if that volume is
     * registered (R67).
     */
    public CompletableFuture<Secrets> secrets(
            Caller caller, PluginId plugin, Optional<ExternalVolumeId> source, Rpc rpc) {
        StateReader state = state();
        return source.flatMap(id -> state.volumeByExternalId(plugin, id))
                .flatMap(state::volume)
                .map(volume -> secrets(caller, volume, rpc))
                .orElseGet(() -> secrets(caller, plugin, rpc));
    }

    /**
     * Asks the secrets provider if the caller has given no secrets. Replaces an exception of the provider by a
     * {@link NoSecretsException}, because the provider's message may contain a secret.
     */
    private CompletableFuture<Secrets> secrets(Caller caller, SecretsQuery query) {
        if (caller.secrets().isPresent()) {
            return CompletableFuture.completedFuture(caller.secrets().get());
        }
        Duration timeout = ports.options().secretsTimeout();
        CompletableFuture<Optional<Secrets>> asked =
                ports.host().call("SecretsProvider", () -> ports.secrets().secrets(query));
        CompletableFuture<Secrets> answer = asked.thenApply(
                        found -> ports.host().required("SecretsProvider", found))
                .exceptionallyCompose(failure ->
                        CompletableFuture.<Optional<Secrets>>failedFuture(NoSecretsException.notReturned(query)))
                .thenApply(found -> found.orElseThrow(() -> NoSecretsException.absent(query)));
        return timeouts.limit(answer, timeout, () -> {
            ports.host().givenUp(asked, timeout);
            return NoSecretsException.late(query, timeout);
        });
    }
}
