package io.csi4j.testkit.sim;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Defects in the calls that the engine makes, and in what it hears of them. */
final class PlantedCalls {
    private final Mutation mutation;

    PlantedCalls(Mutation mutation) {
        this.mutation = mutation;
    }

    private boolean is(Mutation other) {
        return mutation == other;
    }

    /** Whether a node unstages a volume that others use there. */
    boolean unstages() {
        return is(Mutation.UNSTAGED_UNDER_OTHERS);
    }

    /** ControllerPublishVolume as it is sent. */
    ControllerPublishVolumeRequest publishing(ControllerPublishVolumeRequest request) {
        return is(Mutation.DEVICE_IS_MOUNTED) && request.volumeCapability().isBlock()
                ? request.toBuilder()
                        .volumeCapability(VolumeCapability.mount(
                                request.volumeCapability().accessMode()))
                        .build()
                : request;
    }

    /** The answer of CreateVolume as the engine gets it. */
    CompletableFuture<CreateVolumeResponse> making(CompletableFuture<CreateVolumeResponse> answer) {
        return is(Mutation.PLACE_OF_MADE_IS_LOST)
                ? answer.thenApply(made -> CreateVolumeResponse.builder(made.volume().toBuilder()
                                .accessibleTopology(List.of())
                                .build())
                        .build())
                : answer;
    }

    /** The answer of ControllerExpandVolume as the engine gets it. */
    CompletableFuture<ControllerExpandVolumeResponse> expanding(
            CompletableFuture<ControllerExpandVolumeResponse> answer, ControllerExpandVolumeRequest request) {
        return is(Mutation.EXPANSION_UNCONFIRMED)
                ? answer.exceptionally(failure -> ControllerExpandVolumeResponse.builder()
                        .capacityBytes(request.capacityRange().requiredBytes())
                        .nodeExpansionRequired(true)
                        .build())
                : answer;
    }

    /** Whether no plugin is asked how much room a node has. */
    boolean leavesFullNodes() {
        return is(Mutation.FULL_NODE_IS_NOT_ASKED);
    }

    /** Whether the engine goes on without the node's part of a release. */
    boolean skipsNodeStep() {
        return is(Mutation.DETACH_BEFORE_NODE_STEP);
    }

    /** The answer of a call as the engine gets it. */
    <R> CompletableFuture<R> forgiving(boolean nodeStep, CompletableFuture<R> answer, @Nullable R done) {
        if (!is(nodeStep ? Mutation.NODE_STEP_UNCONFIRMED : Mutation.NOT_FOUND_IS_DONE)) {
            return answer;
        }
        return answer.exceptionallyCompose(
                failure -> nodeStep || (failure instanceof CsiCallException call && call.code() == StatusCode.NOT_FOUND)
                        ? CompletableFuture.completedFuture(done)
                        : CompletableFuture.failedFuture(failure));
    }
}
