package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeResponse;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Changes mutable parameters (R74). They are recorded once the plugin took them: a refusal means that
 * nothing was applied, and what is recorded could not be taken back. An interrupted change leaks nothing and
 * is finished by repeating it.
 */
final class VolumeModification {
    private final Operations operations;

    VolumeModification(Operations operations) {
        this.operations = operations;
    }

    CompletableFuture<Volume> modify(Caller caller, VolumeKey key, Map<String, String> changes) {
        operations.allow(
                caller, Access.in(key.namespace(), Permission.VOLUME_WRITE), Access.of(Permission.PLUGIN_READ));
        Map<String, String> wanted = new LinkedHashMap<>(changes);
        Volume volume = operations.volume(key);
        if (volume.phase() != VolumePhase.AVAILABLE) {
            throw new RejectedException(new Rejection.WrongPhase(key, volume.phase(), VolumePhase.AVAILABLE));
        }
        PluginOffer.of(operations.state(), volume.pluginId())
                .needs(ControllerCapability.MODIFY_VOLUME, "changing volumes")
                .check("change of volume " + key);
        return operations
                .repetition()
                .untilDone("change of volume " + key, attempt -> step(caller, key, wanted, attempt))
                .thenCompose(taken -> operations
                        .repetition()
                        .untilDone("record of the change of volume " + key, attempt -> record(key, wanted)));
    }

    private CompletableFuture<ControllerModifyVolumeResponse> step(
            Caller caller, VolumeKey key, Map<String, String> changes, int attempt) {
        return operations.turns().in(key, () -> {
            Volume volume = operations.volume(key);
            return operations
                    .secrets(caller, volume, Rpc.CONTROLLER_MODIFY_VOLUME)
                    .thenCompose(secrets -> {
                        ControllerModifyVolumeRequest request = RequestFactory.modify(volume, changes, secrets);
                        return operations
                                .calls()
                                .controller(
                                        CallSubject.of(Rpc.CONTROLLER_MODIFY_VOLUME, volume, attempt),
                                        controller -> controller.controllerModifyVolume(request));
                    });
        });
    }

    private CompletableFuture<Volume> record(VolumeKey key, Map<String, String> changes) {
        Volume volume = operations.volume(key);
        Map<String, String> all = new LinkedHashMap<>(volume.spec().mutableParameters());
        all.putAll(changes);
        var command = new VolumeCommand.UpdateVolume(
                key, volume.spec().toBuilder().mutableParameters(all).build(), volume.modifyIndex(), operations.now());
        return operations.submitUnlessChanged(command).thenApply(written -> operations.volume(key));
    }
}
