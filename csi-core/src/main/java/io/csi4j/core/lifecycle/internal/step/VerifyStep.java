package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Asks whether the storage provider has a volume of a restored state (R69). Each controller has this call, and answers
 * NOT_FOUND if the volume does not exist. If the plugin refuses the question itself, the volume counts as before the
 * restore: its attachment or its mount shows whether it can be used.
 */
public final class VerifyStep extends IntentStep<ValidateVolumeCapabilitiesResponse> {
    private final Verification verification;

    VerifyStep(Operations operations, Volume planned) {
        super(operations, planned, VolumePhase.AVAILABLE);
        this.verification = planned.verification().orElseThrow();
    }

    @Override
    public Rpc rpc() {
        return Rpc.VALIDATE_VOLUME_CAPABILITIES;
    }

    @Override
    public CallTarget target(Volume volume) {
        return target(volume, 0);
    }

    private CallTarget target(Volume volume, int notFound) {
        return new CallTarget.OfVerification(volume.createIndex(), verification.restoredIndex(), notFound);
    }

    @Override
    boolean stands(StateReader state, Volume now) {
        return now.toBeVerified() && now.verification().equals(Optional.of(verification));
    }

    @Override
    public int attempt(Volume volume) {
        return verification.retry().attempts() + 1;
    }

    @Override
    public Function<ControllerService, CompletableFuture<ValidateVolumeCapabilitiesResponse>> request(
            Volume volume, Secrets secrets) {
        ValidateVolumeCapabilitiesRequest request =
                request(volume).secrets(secrets).build();
        return service -> service.validateVolumeCapabilities(request);
    }

    /** Builds the request without secrets, for all capabilities of the specification. */
    public static ValidateVolumeCapabilitiesRequest.Builder request(Volume volume) {
        return ValidateVolumeCapabilitiesRequest.builder(
                        volume.remoteId(), volume.spec().volumeCapabilities())
                .volumeContext(volume.volumeContext())
                .parameters(volume.creationParameters())
                .mutableParameters(volume.spec().mutableParameters());
    }

    /** Returns what an answer means. It need not confirm the capabilities: the volume exists. */
    @Override
    public CallEnd done(StateReader state, Volume sent, ValidateVolumeCapabilitiesResponse answer) {
        return CallEnd.done(verified(sent));
    }

    private VolumeCommand verified(Volume sent) {
        return new VolumeCommand.RecordVerified(
                key(),
                sent.createIndex(),
                verification.restoredIndex(),
                operations().now());
    }

    @Override
    public CallEnd failed(StateReader state, Volume sent, Throwable failure) {
        StatusCode code = Failures.code(failure);
        if (code == StatusCode.UNIMPLEMENTED || code == StatusCode.INVALID_ARGUMENT) {
            return CallEnd.done(verified(sent));
        }
        boolean notFound = code == StatusCode.NOT_FOUND;
        return CallEnd.failed(
                new CallCommand.RecordCallError(
                        key(),
                        target(sent, notFound ? verification.notFound() + 1 : 0),
                        operations().retryLoop().failedAttempt(failure, verification.retry(), 0),
                        operations().now()),
                failure);
    }
}
