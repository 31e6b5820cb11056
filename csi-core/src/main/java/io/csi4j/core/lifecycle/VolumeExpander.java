package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Grows volumes: the wish is written first, then the controller grows the volume (R82), its new size is
 * written at once, and then each claim's node is told, by itself (R83, R94).
 */
final class VolumeExpander {
    private final Operations operations;

    VolumeExpander(Operations operations) {
        this.operations = operations;
    }

    CompletableFuture<ExpandResult> expand(Caller caller, VolumeKey key, CapacityRange range) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        StateReader state = operations.state();
        Volume volume = operations.volume(key);
        if (volume.phase() != VolumePhase.AVAILABLE) {
            throw new RejectedException(new Rejection.WrongPhase(key, volume.phase(), VolumePhase.AVAILABLE));
        }
        boolean repeat = volume.spec().capacityRange().equals(Optional.of(range))
                && !volume.claims().isEmpty();
        boolean due = range.requiredBytes() > volume.facts().capacityBytes() || (repeat && range.requiredBytes() > 0);
        if (due) {
            offer(state, volume);
        }
        return operations
                .repetition()
                .untilDone("wish to expand volume " + key, n -> wish(key, range))
                .thenCompose(wished -> due
                        ? operations
                                .repetition()
                                .untilDone("expansion of volume " + key, n -> step(caller, key, range, n))
                        : CompletableFuture.completedFuture(nothingToDo(wished)));
    }

    private static ExpandResult nothingToDo(Volume volume) {
        return new ExpandResult(volume, CompletableFuture.completedFuture(List.of()));
    }

    /** A plugin may grow its volumes by the controller, or by the node alone (R42). */
    private void offer(StateReader state, Volume volume) {
        PluginOffer offer = PluginOffer.of(state, volume.pluginId());
        boolean byNode = offer.knownWithout(ControllerCapability.EXPAND_VOLUME) && offer.nodeExpands();
        if (!byNode) {
            offer.needs(ControllerCapability.EXPAND_VOLUME, "expanding volumes");
        }
        if (volume.inUse() && offer.expandsOfflineOnly()) {
            offer.refuse(
                    "is " + volume.pluginId() + ", which expands volumes only while they are not in use (R82)",
                    "release the claims of the volume first");
        }
        offer.check("expansion of volume " + volume.key());
    }

    /** The wish goes through the same merging as every change, on the volume as it is then. */
    private CompletableFuture<Volume> wish(VolumeKey key, CapacityRange range) {
        Volume volume = operations.volume(key);
        var command = new VolumeCommand.UpdateVolume(
                key, volume.spec().toBuilder().capacityRange(range).build(), volume.modifyIndex(), operations.now());
        return operations.submitUnlessChanged(command).thenApply(written -> operations.volume(key));
    }

    private CompletableFuture<ExpandResult> step(Caller caller, VolumeKey key, CapacityRange range, int attempt) {
        return operations.turns().in(key, () -> {
            Volume volume = operations.volume(key);
            PluginOffer offer = PluginOffer.of(operations.state(), volume.pluginId());
            if (offer.knownWithout(ControllerCapability.EXPAND_VOLUME)) {
                return CompletableFuture.completedFuture(new ExpandResult(volume, nodes(caller, volume, range)));
            }
            // It may have been claimed since it was asked for.
            offer(operations.state(), volume);
            return send(caller, volume, range, attempt)
                    .thenCompose(answer -> grown(volume, range, answer.capacityBytes())
                            .thenApply(now -> new ExpandResult(
                                    now,
                                    answer.nodeExpansionRequired()
                                            ? nodes(caller, now, range)
                                            : CompletableFuture.completedFuture(List.of()))));
        });
    }

    private CompletableFuture<ControllerExpandVolumeResponse> send(
            Caller caller, Volume volume, CapacityRange range, int attempt) {
        return operations.secrets(caller, volume, Rpc.CONTROLLER_EXPAND_VOLUME).thenCompose(secrets -> {
            ControllerExpandVolumeRequest request = RequestFactory.expand(volume, range, secrets);
            return operations
                    .calls()
                    .controller(
                            CallSubject.of(Rpc.CONTROLLER_EXPAND_VOLUME, volume, attempt),
                            controller -> controller.controllerExpandVolume(request));
        });
    }

    /** The size is written before any node is told: what the controller did is done. */
    private CompletableFuture<Volume> grown(Volume volume, CapacityRange range, long capacityBytes) {
        if (capacityBytes < range.requiredBytes()) {
            throw new WrongAnswerException(
                    Rpc.CONTROLLER_EXPAND_VOLUME,
                    "volume " + volume.key(),
                    "it has " + capacityBytes + " bytes, and " + range.requiredBytes() + " are required");
        }
        return operations
                .submit(new VolumeCommand.RecordProviderFacts(
                        volume.key(),
                        volume.facts().toBuilder().capacityBytes(capacityBytes).build(),
                        operations.now()))
                .thenApply(written -> operations.volume(volume.key()));
    }

    private CompletableFuture<List<ExpandResult.NodePart>> nodes(Caller caller, Volume volume, CapacityRange range) {
        List<CompletableFuture<ExpandResult.NodePart>> parts = new ArrayList<>();
        for (Claim claim : volume.claims()) {
            if (claim.state() == ClaimState.TAKEN) {
                parts.add(node(caller, volume, claim, range));
            }
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> parts.stream().map(CompletableFuture::join).toList());
    }

    /** Repeated like any call; FAILED_PRECONDITION must not be (R95). */
    private CompletableFuture<ExpandResult.NodePart> node(
            Caller caller, Volume volume, Claim claim, CapacityRange range) {
        String what = "expansion of volume " + volume.key() + " for allocation " + claim.allocationId();
        return operations
                .repetition()
                .untilDone(what, attempt -> nodeStep(caller, volume, claim, range, attempt))
                .handle((answer, failure) -> new ExpandResult.NodePart(
                        claim.allocationId(),
                        claim.nodeId(),
                        failure == null ? answer.capacityBytes() : 0,
                        failure == null ? Optional.empty() : Optional.of(Failures.text(failure))));
    }

    private CompletableFuture<NodeExpansion> nodeStep(
            Caller caller, Volume volume, Claim claim, CapacityRange range, int attempt) {
        return operations
                .turns()
                .on(claim.nodeId(), volume.key(), () -> nodeInTurn(caller, volume, claim, range, attempt));
    }

    private CompletableFuture<NodeExpansion> nodeInTurn(
            Caller caller, Volume volume, Claim claim, CapacityRange range, int attempt) {
        boolean stillTaken = operations
                .volume(volume.key())
                .claims()
                .get(claim.allocationId())
                .filter(now -> now.state() == ClaimState.TAKEN)
                .isPresent();
        if (!stillTaken) {
            throw new CsiRequestException(
                    "expansion of volume " + volume.key(),
                    List.of(new Problem(
                            "allocationId",
                            "is " + claim.allocationId() + ", which released the volume meanwhile",
                            "nothing is left to do there")));
        }
        return operations
                .secrets(caller, volume, Rpc.NODE_EXPAND_VOLUME)
                .thenCompose(secrets -> operations
                        .calls()
                        .node(
                                CallSubject.of(Rpc.NODE_EXPAND_VOLUME, volume, attempt),
                                claim.nodeId(),
                                () -> operations
                                        .ports()
                                        .gateway()
                                        .expand(claim.nodeId(), NodeExpand.of(volume, claim, range, secrets))));
    }
}
