package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** A CreateVolume call. The plugin returns the volume that it has by the name, or makes it (R29, R56). */
abstract class NamedVolumeStep extends PhaseStep<CreateVolumeResponse> {
    NamedVolumeStep(Operations operations, Volume planned, VolumePhase phase) {
        super(operations, planned, phase);
    }

    @Override
    public final Rpc rpc() {
        return Rpc.CREATE_VOLUME;
    }

    @Override
    public final Function<ControllerService, CompletableFuture<CreateVolumeResponse>> request(
            Volume volume, Secrets secrets) {
        CreateVolumeRequest request = createVolume(volume, secrets);
        return service -> service.createVolume(request);
    }

    /** Builds the request from what was stored with the intent (R51-R54). */
    private static CreateVolumeRequest createVolume(Volume volume, Secrets secrets) {
        VolumeSpec spec = volume.spec();
        CreateVolumeRequest.Builder builder = CreateVolumeRequest.builder(volume.name(), spec.volumeCapabilities())
                .parameters(volume.creationParameters())
                .mutableParameters(spec.mutableParameters())
                .secrets(secrets);
        spec.capacityRange().ifPresent(builder::capacityRange);
        spec.contentSource().ifPresent(builder::volumeContentSource);
        spec.accessibilityRequirements().ifPresent(builder::accessibilityRequirements);
        return builder.build();
    }

    /** Returns the command that records the volume of the answer. */
    final Command created(Volume begun, CreateVolumeResponse answer) {
        return new VolumeCommand.RecordProviderFacts(
                begun.key(),
                VolumeAnswer.facts(answer.volume()),
                begun.createIndex(),
                operations().now());
    }
}
