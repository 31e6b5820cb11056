package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Modifies mutable parameters of a volume (R74). A refusal ends the change only if all calls for it have a known
 * outcome. If a response was lost, on any server, the call is retried.
 */
public final class ModifyStep extends IntentStep<Void> {
    private final Modification change;

    ModifyStep(Operations operations, Volume planned) {
        super(operations, planned, VolumePhase.AVAILABLE);
        this.change = planned.modification().orElseThrow();
    }

    @Override
    public Rpc rpc() {
        return Rpc.CONTROLLER_MODIFY_VOLUME;
    }

    @Override
    public CallTarget target(Volume volume) {
        return new CallTarget.OfModification(change.index());
    }

    @Override
    boolean stands(StateReader state, Volume now) {
        return same(now)
                .filter(known -> known.changes().equals(change.changes())
                        && !known.retry().refused())
                .isPresent();
    }

    private Optional<Modification> same(Volume volume) {
        return volume.modification().filter(known -> known.index() == change.index());
    }

    @Override
    public int attempt(Volume volume) {
        return change.retry().attempts() + 1;
    }

    @Override
    public Optional<Command> begins(Volume volume) {
        return Optional.of(
                new CallCommand.BeginCall(key(), target(volume), operations().now()));
    }

    @Override
    public Function<ControllerService, CompletableFuture<Void>> request(Volume volume, Secrets secrets) {
        var request = request(volume, change.changes(), secrets);
        return service -> service.controllerModifyVolume(request);
    }

    /** Builds the request, which has the changed keys only. */
    public static ControllerModifyVolumeRequest request(Volume volume, Map<String, String> changes, Secrets secrets) {
        return ControllerModifyVolumeRequest.builder(volume.remoteId(), changes)
                .secrets(secrets)
                .build();
    }

    @Override
    public CallEnd done(StateReader state, Volume begun, @Nullable Void answer) {
        return CallEnd.done(new ChangeCommand.RecordModified(
                key(),
                begun.createIndex(),
                change.index(),
                change.changes(),
                operations().now()));
    }

    @Override
    public CallEnd failed(StateReader state, Volume begun, Throwable failure) {
        Optional<Modification> stored = same(begun);
        if (stored.isEmpty()) {
            return CallEnd.failed(failure);
        }
        long call = stored.get().retry().unresolved().orElseThrow().index();
        Attempt attempt = Failed.attempt(
                operations(), failure, change.retry(), call, stored.get().settledBy(call));
        return CallEnd.failed(
                new CallCommand.RecordCallError(
                        key(), target(begun), attempt, operations().now()),
                failure);
    }
}
