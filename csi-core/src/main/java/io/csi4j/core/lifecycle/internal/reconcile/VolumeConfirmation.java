package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.change.Confirmation;
import io.csi4j.core.lifecycle.internal.step.VerifyStep;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Asks plugins whether they have a volume, and support it with its specification. */
public final class VolumeConfirmation implements Confirmation {
    private final Operations operations;
    private final DriverQuestion question;

    public VolumeConfirmation(Operations operations) {
        this.operations = operations;
        this.question = new DriverQuestion(operations);
    }

    @Override
    public CompletableFuture<Optional<String>> driver(Volume volume, List<NodeId> nodes, int attempt) {
        return question.ask(volume, nodes, attempt);
    }

    /**
     * Asks the plugin whether it supports the volume with its specification (R69). Changes nothing at the storage
     * provider.
     */
    @Override
    public CompletableFuture<Void> of(Caller caller, Volume volume, int attempt) {
        return operations
                .secrets()
                .of(caller, volume, Rpc.VALIDATE_VOLUME_CAPABILITIES)
                .thenCompose(secrets -> {
                    ValidateVolumeCapabilitiesRequest request = request(volume, secrets);
                    return operations
                            .calls()
                            .<ValidateVolumeCapabilitiesResponse>controller(
                                    CallSubject.of(Rpc.VALIDATE_VOLUME_CAPABILITIES, volume, attempt),
                                    controller -> controller.validateVolumeCapabilities(request))
                            .thenAccept(answer -> checkConfirmation(volume, request, answer));
                });
    }

    /** Builds the request, for all capabilities of the specification. */
    private static ValidateVolumeCapabilitiesRequest request(Volume volume, Secrets secrets) {
        return VerifyStep.request(volume).secrets(secrets).build();
    }

    /**
     * Compares the plugin's confirmation with the request, because older plugins confirm the fields that they know and
     * ignore the others.
     */
    private static void checkConfirmation(
            Volume volume, ValidateVolumeCapabilitiesRequest asked, ValidateVolumeCapabilitiesResponse answer) {
        Optional<ValidateVolumeCapabilitiesResponse.Confirmed> confirmed = answer.confirmed();
        boolean all =
                confirmed.isPresent() && confirmed.get().volumeCapabilities().containsAll(asked.volumeCapabilities());
        if (!all) {
            throw refused(volume, "requestedCapabilities", "are not all supported by the volume");
        }
        if (!confirmed.get().volumeContext().isEmpty()
                && !confirmed.get().volumeContext().equals(asked.volumeContext())) {
            throw refused(volume, "volumeContext", "is not the volume's");
        }
        if (!confirmed.get().parameters().isEmpty()
                && !confirmed.get().parameters().equals(asked.parameters())) {
            throw refused(volume, "parameters", "are not the volume's");
        }
        if (!confirmed.get().mutableParameters().isEmpty()
                && !confirmed.get().mutableParameters().equals(asked.mutableParameters())) {
            throw refused(volume, "mutableParameters", "are not the volume's");
        }
    }

    private static CsiRequestException refused(Volume volume, String field, String problem) {
        return CsiRequestException.afterQuestion(
                "volume " + volume.key(),
                List.of(new Problem(
                        field, problem + ", says plugin " + volume.pluginId(), "declare what the volume supports")));
    }
}
