package io.csi4j.simulation.defect;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
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
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Plants defects in the engine's calls and in their responses. */
final class DefectiveCalls {
    private static final int REPETITIONS = 500;
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final PlantedDefect defect;
    private final ObservableState actualState;
    private final SimWorld world;
    private final TemplateDefects templates;
    private final Map<Object, ListVolumesResponse> earlierPages = new HashMap<>();
    private int attempts;
    private long leastCapacity = Long.MAX_VALUE;

    DefectiveCalls(PlantedDefect defect, SimWorld world) {
        this.defect = defect;
        this.actualState = world.store();
        this.world = world;
        this.templates = new TemplateDefects(defect, actualState);
    }

    private boolean is(PlantedDefect other) {
        return defect == other;
    }

    NodeGateway of(NodeGateway gateway) {
        return Proxies.of(NodeGateway.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "controller" -> controller(gateway.controller((InstanceKey) arguments[0]));
            case "groupController" -> groups(gateway.groupController((InstanceKey) arguments[0]));
            case "detach" -> detach(gateway, (NodeId) arguments[0], (NodeDetach) arguments[1]);
            case "ledger" ->
                is(PlantedDefect.MISSING_LEDGER_COUNTS_AS_EMPTY)
                        ? CompletableFuture.completedFuture(LedgerReport.empty())
                        : Proxies.invoke(gateway, method, arguments);
            case "refreshNodeInfo" ->
                is(PlantedDefect.FULL_NODE_IS_NOT_QUERIED)
                        ? CompletableFuture.completedFuture(null)
                        : Proxies.invoke(gateway, method, arguments);
            default -> Proxies.invoke(gateway, method, arguments);
        });
    }

    private ControllerService controller(ControllerService service) {
        return Proxies.of(ControllerService.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "controllerPublishVolume" ->
                service.controllerPublishVolume(alterPublish((ControllerPublishVolumeRequest) arguments[0]));
            case "controllerUnpublishVolume" ->
                succeedInsteadOf(
                        PlantedDefect.UNPUBLISH_NOT_FOUND_COUNTS_AS_DONE,
                        service.controllerUnpublishVolume((ControllerUnpublishVolumeRequest) arguments[0]),
                        null);
            case "listVolumes" -> {
                ListVolumesRequest request = (ListVolumesRequest) arguments[0];
                yield alterListing(service.listVolumes(request), request);
            }
            case "controllerExpandVolume" -> {
                ControllerExpandVolumeRequest request = (ControllerExpandVolumeRequest) arguments[0];
                yield alterExpansion(service.controllerExpandVolume(request), request);
            }
            case "createVolume" -> {
                CreateVolumeRequest request = templates.alter((CreateVolumeRequest) arguments[0]);
                yield templates.alter(request, alterCreation(service.createVolume(request)));
            }
            case "getCapacity" -> alterCapacity(service.getCapacity((GetCapacityRequest) arguments[0]));
            case "createSnapshot" ->
                alterSnapshot(service.createSnapshot(alterSnapshot((CreateSnapshotRequest) arguments[0])));
            default -> Proxies.invoke(service, method, arguments);
        });
    }

    /** Replaces the free capacity by the least one of all answers so far. */
    private CompletableFuture<GetCapacityResponse> alterCapacity(CompletableFuture<GetCapacityResponse> answer) {
        return is(PlantedDefect.OLD_CAPACITY_REFUSES_FOR_EVER)
                ? answer.thenApply(response -> {
                    leastCapacity = Math.min(leastCapacity, response.availableCapacity());
                    return new GetCapacityResponse(
                            leastCapacity, response.maximumVolumeSize(), response.minimumVolumeSize());
                })
                : answer;
    }

    private GroupControllerService groups(GroupControllerService service) {
        return Proxies.of(GroupControllerService.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "deleteVolumeGroupSnapshot" ->
                service.deleteVolumeGroupSnapshot(alterGroupDeletion((DeleteVolumeGroupSnapshotRequest) arguments[0]));
            default -> Proxies.invoke(service, method, arguments);
        });
    }

    private CompletableFuture<NodeDetached> detach(NodeGateway gateway, NodeId nodeId, NodeDetach request) {
        if (is(PlantedDefect.UNPUBLISH_BEFORE_NODE_DETACH)) {
            return CompletableFuture.completedFuture(NodeDetached.othersUnknown());
        }
        if (is(PlantedDefect.UNMOUNT_IS_REPEATED) && !world.faults().active()) {
            return repeated(() -> gateway.detach(nodeId, request), REPETITIONS);
        }
        CompletableFuture<NodeDetached> answer = gateway.detach(nodeId, request);
        if (is(PlantedDefect.UNSTAGED_WHILE_SHARED)) {
            return answer.whenComplete((done, failure) -> {
                if (failure == null) {
                    Optional.ofNullable(world.node(nodeId)).ifPresent(node -> node.unstage(request.volume()));
                }
            });
        }
        return succeedInsteadOf(PlantedDefect.FAILED_NODE_DETACH_COUNTS_AS_DONE, answer, NodeDetached.othersUnknown());
    }

    /** Makes a call again and again, each time after the answer to the one before. */
    private <R> CompletableFuture<R> repeated(Supplier<CompletableFuture<R>> call, int repetitions) {
        return call.get().thenCompose(done -> {
            CompletableFuture<R> last = new CompletableFuture<>();
            if (repetitions == 0) {
                last.complete(done);
            } else {
                world.scheduler().after(PAUSE, () -> {
                    var unused = repeated(call, repetitions - 1).whenComplete((result, failure) -> {
                        if (failure == null) {
                            last.complete(result);
                        } else {
                            last.completeExceptionally(failure);
                        }
                    });
                });
            }
            return last;
        });
    }

    /** Changes a page of ListVolumes before the engine receives it. */
    private CompletableFuture<ListVolumesResponse> alterListing(
            CompletableFuture<ListVolumesResponse> answer, Object request) {
        if (is(PlantedDefect.LISTING_IS_STALE)) {
            return answer.thenApply(
                    page -> Optional.ofNullable(earlierPages.put(request, page)).orElse(page));
        }
        return is(PlantedDefect.MISSING_ATTACHMENT_IS_IGNORED) ? answer.thenApply(this::asRecorded) : answer;
    }

    /** Adds all recorded attachments to the page, so that none is missing. */
    private ListVolumesResponse asRecorded(ListVolumesResponse page) {
        return new ListVolumesResponse(
                page.entries().stream().map(this::asRecorded).toList(), page.nextToken());
    }

    private ListVolumesResponse.Entry asRecorded(ListVolumesResponse.Entry entry) {
        Set<ExternalNodeId> nodes =
                new LinkedHashSet<>(entry.status().orElseThrow().publishedNodeIds());
        StateReader state = actualState.snapshot();
        state.volumeByExternalId(SimVolumes.ATTACHING, entry.volume().volumeId())
                .flatMap(state::volume)
                .ifPresent(volume -> volume.attachments()
                        .forEach(attachment -> attachment.externalNodeId().ifPresent(nodes::add)));
        return new ListVolumesResponse.Entry(
                entry.volume(), Optional.of(new ExternalVolumeStatus(List.copyOf(nodes), Optional.empty())));
    }

    /** Changes the request of CreateSnapshot before it is sent. */
    private CreateSnapshotRequest alterSnapshot(CreateSnapshotRequest request) {
        if (!is(PlantedDefect.SNAPSHOT_RETRY_HAS_NEW_NAME)) {
            return request;
        }
        attempts++;
        return request.toBuilder().name(request.name() + "-" + attempts).build();
    }

    /** Changes the response of CreateSnapshot before the engine receives it. */
    private CompletableFuture<CreateSnapshotResponse> alterSnapshot(CompletableFuture<CreateSnapshotResponse> answer) {
        return is(PlantedDefect.UNREADY_SNAPSHOT_COUNTS_AS_READY)
                ? answer.thenApply(response -> new CreateSnapshotResponse(
                        response.snapshot().toBuilder().readyToUse(true).build()))
                : answer;
    }

    /** Changes the request of DeleteVolumeGroupSnapshot before it is sent. */
    private DeleteVolumeGroupSnapshotRequest alterGroupDeletion(DeleteVolumeGroupSnapshotRequest request) {
        return is(PlantedDefect.GROUP_IS_DELETED_WITHOUT_MEMBER)
                ? DeleteVolumeGroupSnapshotRequest.builder(
                                request.groupSnapshotId(),
                                request.snapshotIds()
                                        .subList(0, request.snapshotIds().size() - 1))
                        .build()
                : request;
    }

    /** Changes the request of ControllerPublishVolume before it is sent. */
    private ControllerPublishVolumeRequest alterPublish(ControllerPublishVolumeRequest request) {
        return is(PlantedDefect.BLOCK_VOLUME_IS_PUBLISHED_AS_MOUNT)
                        && request.volumeCapability().isBlock()
                ? request.toBuilder()
                        .volumeCapability(VolumeCapability.mount(
                                request.volumeCapability().accessMode()))
                        .build()
                : request;
    }

    /** Changes the response of CreateVolume before the engine receives it. */
    private CompletableFuture<CreateVolumeResponse> alterCreation(CompletableFuture<CreateVolumeResponse> answer) {
        return is(PlantedDefect.TOPOLOGY_OF_CREATED_VOLUME_IS_LOST)
                ? answer.thenApply(response -> new CreateVolumeResponse(response.volume().toBuilder()
                        .accessibleTopology(List.of())
                        .build()))
                : answer;
    }

    /** Changes the response of ControllerExpandVolume before the engine receives it. */
    private CompletableFuture<ControllerExpandVolumeResponse> alterExpansion(
            CompletableFuture<ControllerExpandVolumeResponse> answer, ControllerExpandVolumeRequest request) {
        return is(PlantedDefect.FAILED_EXPANSION_COUNTS_AS_DONE)
                ? answer.exceptionally(failure -> new ControllerExpandVolumeResponse(
                        request.capacityRange().requiredBytes(), true))
                : answer;
    }

    /** Turns certain failures of a call into success, if the defect asks for it. */
    private <R> CompletableFuture<R> succeedInsteadOf(
            PlantedDefect forgiven, CompletableFuture<R> answer, @Nullable R done) {
        if (!is(forgiven)) {
            return answer;
        }
        return answer.exceptionallyCompose(failure -> forgiven == PlantedDefect.FAILED_NODE_DETACH_COUNTS_AS_DONE
                        || (failure instanceof CsiCallException call && call.code() == StatusCode.NOT_FOUND)
                ? CompletableFuture.completedFuture(done)
                : CompletableFuture.failedFuture(failure));
    }
}
