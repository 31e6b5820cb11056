package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.UncertainCommandException;
import io.csi4j.core.lifecycle.VolumeRemovedException;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** The parts that all operations share. It reads the state and submits commands to the log. */
public final class Operations {
    private final EnginePorts ports;
    private final PluginCalls calls;
    private final VolumeCalls volumeCalls;
    private final RetryLoop retryLoop;
    private final Permissions permissions;
    private final CallSecrets secrets;
    private final OperationStarter starter;

    public Operations(EnginePorts ports) {
        this.ports = ports;
        this.calls = new PluginCalls(ports);
        this.volumeCalls = new VolumeCalls(ports.executor());
        this.retryLoop = new RetryLoop(ports);
        this.permissions = new Permissions(ports);
        this.secrets = new CallSecrets(ports);
        this.starter = new OperationStarter(ports);
    }

    public EnginePorts ports() {
        return ports;
    }

    public Permissions permissions() {
        return permissions;
    }

    public CallSecrets secrets() {
        return secrets;
    }

    public OperationStarter starter() {
        return starter;
    }

    /** Returns the starter of a caller's operations, whose failures name only what the caller may see. */
    public OperationStarter starter(Caller caller) {
        return starter.withVisible(failure -> VisibleRejections.of(failure, key -> permissions.mayRead(caller, key)));
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
            throw new VolumeRemovedException(
                    asked.key(),
                    "volume " + asked.key() + " was removed from the state while it was being " + participle
                            + ", and there is another one of that name; look whether that one needs it too",
                    null);
        }
        return now;
    }

    public VolumeCalls volumeCalls() {
        return volumeCalls;
    }

    public RetryLoop retryLoop() {
        return retryLoop;
    }

    public Instant now() {
        return ports.clock().instant();
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

    /**
     * Returns the given volume if it can be changed or copied: it is in the phase AVAILABLE and not lost. A volume of a
     * restored state that is not verified can be: the call itself shows whether the storage provider has it.
     *
     * @throws RejectedException if the volume is being created or deleted, or is lost
     */
    public static Volume changeable(Volume volume) {
        Verifications.lost(volume).ifPresent(reason -> {
            throw new RejectedException(reason);
        });
        return available(volume);
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
}
