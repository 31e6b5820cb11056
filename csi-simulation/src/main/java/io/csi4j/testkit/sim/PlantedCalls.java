package io.csi4j.testkit.sim;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeStatus;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Defects in the calls that the engine makes, and in what it hears of them. */
final class PlantedCalls {
    private final Mutation mutation;
    private final ObservableState truth;
    private final Map<Object, ListVolumesResponse> listed = new HashMap<>();
    private int tries;

    PlantedCalls(Mutation mutation, ObservableState truth) {
        this.mutation = mutation;
        this.truth = truth;
    }

    private boolean is(Mutation other) {
        return mutation == other;
    }

    /** Whether a node unstages a volume that others use there. */
    boolean unstages() {
        return is(Mutation.UNSTAGED_UNDER_OTHERS);
    }

    /** A page of ListVolumes as the engine gets it. */
    CompletableFuture<ListVolumesResponse> listing(CompletableFuture<ListVolumesResponse> answer, Object request) {
        if (is(Mutation.PAGES_ARE_OLD)) {
            return answer.thenApply(
                    page -> Optional.ofNullable(listed.put(request, page)).orElse(page));
        }
        return is(Mutation.MISSING_IS_NOT_SEEN) ? answer.thenApply(this::asWanted) : answer;
    }

    /** Everything is where it is wanted, and nothing else is told. */
    private ListVolumesResponse asWanted(ListVolumesResponse page) {
        return page.toBuilder()
                .entries(page.entries().stream().map(this::asWanted).toList())
                .build();
    }

    private ListVolumesResponse.Entry asWanted(ListVolumesResponse.Entry entry) {
        Set<ExternalNodeId> nodes =
                new LinkedHashSet<>(entry.status().orElseThrow().publishedNodeIds());
        StateReader state = truth.snapshot();
        state.volumeByExternalId(SimVolumes.ATTACHING, entry.volume().volumeId())
                .flatMap(state::volume)
                .ifPresent(volume -> volume.attachments()
                        .forEach(attachment -> attachment.externalNodeId().ifPresent(nodes::add)));
        return new ListVolumesResponse.Entry(
                entry.volume(), Optional.of(new VolumeStatus(List.copyOf(nodes), Optional.empty())));
    }

    /** CreateSnapshot as it is sent. */
    CreateSnapshotRequest cutting(CreateSnapshotRequest request) {
        if (!is(Mutation.SNAPSHOT_HAS_A_NEW_NAME)) {
            return request;
        }
        tries++;
        return request.toBuilder().name(request.name() + "-" + tries).build();
    }

    /** The answer of CreateSnapshot as the engine gets it. */
    CompletableFuture<CreateSnapshotResponse> cutting(CompletableFuture<CreateSnapshotResponse> answer) {
        return is(Mutation.SNAPSHOT_IS_TAKEN_FOR_READY)
                ? answer.thenApply(cut -> CreateSnapshotResponse.builder(
                                cut.snapshot().toBuilder().readyToUse(true).build())
                        .build())
                : answer;
    }

    /** DeleteVolumeGroupSnapshot as it is sent. */
    DeleteVolumeGroupSnapshotRequest ungrouping(DeleteVolumeGroupSnapshotRequest request) {
        return is(Mutation.GROUP_LOSES_A_MEMBER)
                ? DeleteVolumeGroupSnapshotRequest.builder(
                                request.groupSnapshotId(),
                                request.snapshotIds()
                                        .subList(0, request.snapshotIds().size() - 1))
                        .build()
                : request;
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
