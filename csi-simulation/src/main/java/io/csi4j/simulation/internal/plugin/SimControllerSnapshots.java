package io.csi4j.simulation.internal.plugin;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateSnapshotResponse;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetSnapshotResponse;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimProviderSnapshots;
import io.csi4j.simulation.internal.world.SimWorld;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The snapshot calls of the controller service and the group controller service; one call at a time for each name.
 */
public final class SimControllerSnapshots {
    private static final String SERVICE = "controller service for ";

    private final SimController controller;
    private final SimWorld world;

    public SimControllerSnapshots(SimController controller, SimWorld world) {
        this.controller = controller;
        this.world = world;
    }

    /** The group controller service; it fails calls that the simulation does not support. */
    public GroupControllerService groups() {
        return (GroupControllerService) Proxy.newProxyInstance(
                GroupControllerService.class.getClassLoader(),
                new Class<?>[] {GroupControllerService.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "createVolumeGroupSnapshot" -> createGroup((CreateVolumeGroupSnapshotRequest) arguments[0]);
                    case "getVolumeGroupSnapshot" -> getGroup((GetVolumeGroupSnapshotRequest) arguments[0]);
                    case "deleteVolumeGroupSnapshot" -> deleteGroup((DeleteVolumeGroupSnapshotRequest) arguments[0]);
                    default -> throw new UnsupportedOperationException("the simulation has no " + method.getName());
                });
    }

    public CompletableFuture<CreateSnapshotResponse> create(CreateSnapshotRequest request) {
        world.namedRequests()
                .arrived(
                        Rpc.CREATE_SNAPSHOT.csiName(),
                        request.name(),
                        List.of(request.sourceVolumeId(), request.parameters(), request.accessibilityRequirements()));
        return controller.call(
                new SimController.Subject(
                        Rpc.CREATE_SNAPSHOT,
                        SERVICE + request.sourceVolumeId().value(),
                        lockName(request.name()),
                        request.name()),
                () -> {
                    if (!world.provider().knows(request.sourceVolumeId())) {
                        throw new Refusal(StatusCode.NOT_FOUND);
                    }
                },
                () -> new CreateSnapshotResponse(
                        world.providerSnapshots().snapshot(request.name(), request.sourceVolumeId())));
    }

    public CompletableFuture<GetSnapshotResponse> get(GetSnapshotRequest request) {
        String id = request.snapshotId().value();
        return controller.call(
                new SimController.Subject(Rpc.GET_SNAPSHOT, "", "", id),
                () -> {},
                () -> new GetSnapshotResponse(world.providerSnapshots()
                        .find(request.snapshotId())
                        .orElseThrow(SimControllerSnapshots::notFound)));
    }

    public CompletableFuture<Void> delete(DeleteSnapshotRequest request) {
        String id = request.snapshotId().value();
        return controller.call(
                new SimController.Subject(
                        Rpc.DELETE_SNAPSHOT, SERVICE + id, lockName(SimProviderSnapshots.nameOf(id)), id),
                () -> {},
                () -> {
                    world.providerSnapshots().delete(request.snapshotId());
                    return null;
                });
    }

    private CompletableFuture<CreateVolumeGroupSnapshotResponse> createGroup(CreateVolumeGroupSnapshotRequest request) {
        world.namedRequests()
                .arrived(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT.csiName(),
                        request.name(),
                        List.of(request.sourceVolumeIds(), request.parameters()));
        return controller.call(
                new SimController.Subject(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        SERVICE + request.name(),
                        lockName(request.name()),
                        request.name()),
                () -> {},
                () -> new CreateVolumeGroupSnapshotResponse(
                        world.providerSnapshots().group(request.name(), request.sourceVolumeIds())));
    }

    private CompletableFuture<GetVolumeGroupSnapshotResponse> getGroup(GetVolumeGroupSnapshotRequest request) {
        String id = request.groupSnapshotId().value();
        return controller.call(
                new SimController.Subject(Rpc.GET_VOLUME_GROUP_SNAPSHOT, "", "", id),
                () -> {},
                () -> new GetVolumeGroupSnapshotResponse(world.providerSnapshots()
                        .find(request.groupSnapshotId())
                        .orElseThrow(SimControllerSnapshots::notFound)));
    }

    private CompletableFuture<Void> deleteGroup(DeleteVolumeGroupSnapshotRequest request) {
        String id = request.groupSnapshotId().value();
        return controller.call(
                new SimController.Subject(
                        Rpc.DELETE_VOLUME_GROUP_SNAPSHOT, SERVICE + id, lockName(SimProviderSnapshots.nameOf(id)), id),
                () -> {},
                () -> {
                    checkMembers(request);
                    world.providerSnapshots().delete(request.groupSnapshotId());
                    return null;
                });
    }

    /** The request must have the complete list of members (R100). */
    private void checkMembers(DeleteVolumeGroupSnapshotRequest request) {
        Optional<VolumeGroupSnapshot> group = world.providerSnapshots().find(request.groupSnapshotId());
        Set<SnapshotId> members = new LinkedHashSet<>();
        group.ifPresent(existing -> existing.snapshots().forEach(member -> members.add(member.snapshotId())));
        if (group.isPresent() && !members.equals(new LinkedHashSet<>(List.copyOf(request.snapshotIds())))) {
            world.reportViolation("R100: group " + request.groupSnapshotId() + " is deleted with members "
                    + request.snapshotIds() + ", and has " + members);
        }
    }

    private static String lockName(String name) {
        return "snapshot " + name;
    }

    private static Refusal notFound() {
        return new Refusal(StatusCode.NOT_FOUND);
    }
}
