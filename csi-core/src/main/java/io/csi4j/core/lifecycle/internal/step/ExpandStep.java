package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.internal.apply.PluginOffer;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.lifecycle.WrongAnswerException;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Expands a volume by its controller (R82). */
final class ExpandStep extends IntentStep<ControllerExpandVolumeResponse> {
    private final Expansion expansion;

    ExpandStep(Operations operations, Volume planned) {
        super(operations, planned, VolumePhase.AVAILABLE);
        this.expansion = planned.expansion().orElseThrow();
    }

    @Override
    public Rpc rpc() {
        return Rpc.CONTROLLER_EXPAND_VOLUME;
    }

    @Override
    public CallTarget target(Volume volume) {
        return new CallTarget.OfExpansion(expansion.range());
    }

    @Override
    boolean stands(StateReader state, Volume now) {
        return now.expansionTo(expansion.range(), expansion.stage()).isPresent()
                && now.toBeExpanded()
                && !PluginOffer.blocksExpansion(state, now);
    }

    @Override
    public int attempt(Volume volume) {
        return expansion.retry().attempts() + 1;
    }

    @Override
    public Function<ControllerService, CompletableFuture<ControllerExpandVolumeResponse>> request(
            Volume volume, Secrets secrets) {
        ControllerExpandVolumeRequest request = request(volume, expansion.range(), secrets);
        return service -> service.controllerExpandVolume(request);
    }

    /**
     * Builds the request. If the volume is in use, the request has the capability with which it is used. If it is not in
     * use and the specification has exactly one capability, the request has that one. Otherwise the request has no
     * capability.
     */
    static ControllerExpandVolumeRequest request(Volume volume, CapacityRange range, Secrets secrets) {
        ControllerExpandVolumeRequest.Builder builder =
                ControllerExpandVolumeRequest.builder(volume.remoteId(), range).secrets(secrets);
        List<RequestedCapability> requested = volume.spec().requestedCapabilities();
        volume.currentCapability()
                .or(() ->
                        requested.stream().filter(only -> requested.size() == 1).findFirst())
                .ifPresent(used -> builder.volumeCapability(
                        used.toVolumeCapability(volume.spec().mountOptions().withoutGroup())));
        return builder.build();
    }

    @Override
    public CallEnd done(StateReader state, Volume sent, ControllerExpandVolumeResponse answer) {
        CapacityRange range = expansion.range();
        if (answer.capacityBytes() < range.requiredBytes()) {
            return failed(
                    state,
                    sent,
                    new WrongAnswerException(
                            Rpc.CONTROLLER_EXPAND_VOLUME,
                            "volume " + key(),
                            "it has " + answer.capacityBytes() + " bytes, and " + range.requiredBytes()
                                    + " are required"));
        }
        return CallEnd.done(new ChangeCommand.RecordExpanded(
                key(),
                sent.createIndex(),
                range,
                answer.capacityBytes(),
                answer.nodeExpansionRequired(),
                operations().now()));
    }

    @Override
    public CallEnd failed(StateReader state, Volume sent, Throwable failure) {
        return CallEnd.failed(
                new CallCommand.RecordCallError(
                        key(),
                        target(sent),
                        Failed.attempt(operations(), failure, expansion.retry(), 0, true),
                        operations().now()),
                failure);
    }
}
