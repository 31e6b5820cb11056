package io.csi4j.simulation;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeGateway;
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
    private final SimWorld world;
    private final Map<Object, ListVolumesResponse> listed = new HashMap<>();
    private int tries;

    PlantedCalls(Mutation mutation, SimWorld world) {
        this.mutation = mutation;
        this.truth = world.store();
        this.world = world;
    }

    private boolean is(Mutation other) {
        return mutation == other;
    }

    NodeGateway of(NodeGateway gateway) {
        return Proxies.of(NodeGateway.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "controller" -> controller(gateway.controller((InstanceKey) arguments[0]));
            case "groupController" -> groups(gateway.groupController((InstanceKey) arguments[0]));
            case "detach" -> detach(gateway, (NodeId) arguments[0], (NodeDetach) arguments[1]);
            case "refreshNodeInfo" ->
                is(Mutation.FULL_NODE_IS_NOT_ASKED)
                        ? CompletableFuture.completedFuture(null)
                        : Proxies.invoke(gateway, method, arguments);
            default -> Proxies.invoke(gateway, method, arguments);
        });
    }

    private ControllerService controller(ControllerService service) {
        return Proxies.of(ControllerService.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "controllerPublishVolume" ->
                service.controllerPublishVolume(publishing((ControllerPublishVolumeRequest) arguments[0]));
            case "controllerUnpublishVolume" ->
                forgiving(
                        Mutation.NOT_FOUND_IS_DONE,
                        service.controllerUnpublishVolume((ControllerUnpublishVolumeRequest) arguments[0]),
                        null);
            case "listVolumes" -> {
                ListVolumesRequest request = (ListVolumesRequest) arguments[0];
                yield listing(service.listVolumes(request), request);
            }
            case "controllerExpandVolume" -> {
                ControllerExpandVolumeRequest request = (ControllerExpandVolumeRequest) arguments[0];
                yield expanding(service.controllerExpandVolume(request), request);
            }
            case "createVolume" -> making(service.createVolume((CreateVolumeRequest) arguments[0]));
            case "createSnapshot" -> cutting(service.createSnapshot(cutting((CreateSnapshotRequest) arguments[0])));
            default -> Proxies.invoke(service, method, arguments);
        });
    }

    private GroupControllerService groups(GroupControllerService service) {
        return Proxies.of(GroupControllerService.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "deleteVolumeGroupSnapshot" ->
                service.deleteVolumeGroupSnapshot(ungrouping((DeleteVolumeGroupSnapshotRequest) arguments[0]));
            default -> Proxies.invoke(service, method, arguments);
        });
    }

    private CompletableFuture<Void> detach(NodeGateway gateway, NodeId nodeId, NodeDetach request) {
        if (is(Mutation.DETACH_BEFORE_NODE_STEP)) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> answer = gateway.detach(nodeId, request);
        if (is(Mutation.UNSTAGED_UNDER_OTHERS)) {
            return answer.thenRun(
                    () -> Optional.ofNullable(world.node(nodeId)).ifPresent(node -> node.unstage(request.volume())));
        }
        return forgiving(Mutation.NODE_STEP_UNCONFIRMED, answer, null);
    }

    /** A page of ListVolumes as the engine gets it. */
    private CompletableFuture<ListVolumesResponse> listing(
            CompletableFuture<ListVolumesResponse> answer, Object request) {
        if (is(Mutation.PAGES_ARE_OLD)) {
            return answer.thenApply(
                    page -> Optional.ofNullable(listed.put(request, page)).orElse(page));
        }
        return is(Mutation.MISSING_IS_NOT_SEEN) ? answer.thenApply(this::asWanted) : answer;
    }

    /** Everything is where it is wanted, and nothing else is told. */
    private ListVolumesResponse asWanted(ListVolumesResponse page) {
        return new ListVolumesResponse(
                page.entries().stream().map(this::asWanted).toList(), page.nextToken());
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
                entry.volume(), Optional.of(new ExternalVolumeStatus(List.copyOf(nodes), Optional.empty())));
    }

    /** CreateSnapshot as it is sent. */
    private CreateSnapshotRequest cutting(CreateSnapshotRequest request) {
        if (!is(Mutation.SNAPSHOT_HAS_A_NEW_NAME)) {
            return request;
        }
        tries++;
        return request.toBuilder().name(request.name() + "-" + tries).build();
    }

    /** The answer of CreateSnapshot as the engine gets it. */
    private CompletableFuture<CreateSnapshotResponse> cutting(CompletableFuture<CreateSnapshotResponse> answer) {
        return is(Mutation.SNAPSHOT_IS_TAKEN_FOR_READY)
                ? answer.thenApply(cut -> new CreateSnapshotResponse(
                        cut.snapshot().toBuilder().readyToUse(true).build()))
                : answer;
    }

    /** DeleteVolumeGroupSnapshot as it is sent. */
    private DeleteVolumeGroupSnapshotRequest ungrouping(DeleteVolumeGroupSnapshotRequest request) {
        return is(Mutation.GROUP_LOSES_A_MEMBER)
                ? DeleteVolumeGroupSnapshotRequest.builder(
                                request.groupSnapshotId(),
                                request.snapshotIds()
                                        .subList(0, request.snapshotIds().size() - 1))
                        .build()
                : request;
    }

    /** ControllerPublishVolume as it is sent. */
    private ControllerPublishVolumeRequest publishing(ControllerPublishVolumeRequest request) {
        return is(Mutation.DEVICE_IS_MOUNTED) && request.volumeCapability().isBlock()
                ? request.toBuilder()
                        .volumeCapability(VolumeCapability.mount(
                                request.volumeCapability().accessMode()))
                        .build()
                : request;
    }

    /** The answer of CreateVolume as the engine gets it. */
    private CompletableFuture<CreateVolumeResponse> making(CompletableFuture<CreateVolumeResponse> answer) {
        return is(Mutation.PLACE_OF_MADE_IS_LOST)
                ? answer.thenApply(made -> new CreateVolumeResponse(
                        made.volume().toBuilder().accessibleTopology(List.of()).build()))
                : answer;
    }

    /** The answer of ControllerExpandVolume as the engine gets it. */
    private CompletableFuture<ControllerExpandVolumeResponse> expanding(
            CompletableFuture<ControllerExpandVolumeResponse> answer, ControllerExpandVolumeRequest request) {
        return is(Mutation.EXPANSION_UNCONFIRMED)
                ? answer.exceptionally(failure -> new ControllerExpandVolumeResponse(
                        request.capacityRange().requiredBytes(), true))
                : answer;
    }

    /** The answer of a call as the engine gets it. */
    private <R> CompletableFuture<R> forgiving(Mutation forgives, CompletableFuture<R> answer, @Nullable R done) {
        if (!is(forgives)) {
            return answer;
        }
        return answer.exceptionallyCompose(failure -> forgives == Mutation.NODE_STEP_UNCONFIRMED
                        || (failure instanceof CsiCallException call && call.code() == StatusCode.NOT_FOUND)
                ? CompletableFuture.completedFuture(done)
                : CompletableFuture.failedFuture(failure));
    }
}
