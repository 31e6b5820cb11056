package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.proto.csi.v1.ControllerListVolumeHealthResponse;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;

/** Checks NodeGetVolumeStats, NodeExpandVolume and the health RPCs. */
final class StatsAndHealthChecks {
    private StatsAndHealthChecks() {}

    static void addTo(Checks checks) {
        stats(checks);
        expand(checks);
        health(checks);
    }

    private static NodeGetVolumeStatsRequest statsRequest(String id, String path) {
        return NodeGetVolumeStatsRequest.newBuilder()
                .setVolumeId(id)
                .setVolumePath(path)
                .build();
    }

    private static void stats(Checks checks) {
        checks.check("stats.no-id", "NodeGetVolumeStats without a volume id is refused", R22)
                .needs(GET_VOLUME_STATS)
                .run(run -> run.refused(
                        () -> run.node().nodeGetVolumeStats(statsRequest("", "some/path")), Code.INVALID_ARGUMENT));
        checks.check("stats.no-path", "NodeGetVolumeStats without a path is refused", R22)
                .needs(GET_VOLUME_STATS)
                .run(run -> run.refused(
                        () -> run.node().nodeGetVolumeStats(statsRequest(Run.UNKNOWN, "")), Code.INVALID_ARGUMENT));
        checks.check("stats.unknown-volume", "Statistics of a volume that does not exist are NOT_FOUND", R92)
                .needs(GET_VOLUME_STATS)
                .run(run -> run.refused(
                        () -> run.node().nodeGetVolumeStats(statsRequest(Run.UNKNOWN, "some/path")), Code.NOT_FOUND));
        checks.check("stats.unknown-path", "Statistics at a path without the volume are NOT_FOUND", R92)
                .needs(GET_VOLUME_STATS, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("measured"));
                    run.refused(
                            () -> run.node()
                                    .nodeGetVolumeStats(
                                            statsRequest(placement.volume().getVolumeId(), "some/path")),
                            Code.NOT_FOUND);
                });
        checks.check("stats.values", "A published volume has usage numbers that are not negative", R23, R92)
                .needs(GET_VOLUME_STATS, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("measured"));
                    var response = run.node()
                            .nodeGetVolumeStats(
                                    statsRequest(
                                                    placement.volume().getVolumeId(),
                                                    placement.firstTarget().toString())
                                            .toBuilder()
                                            .setStagingTargetPath(placement.staging())
                                            .build());
                    run.should(Requirement.MAY, R92, response.getUsageCount() > 0, "there are no usage numbers");
                    for (VolumeUsage usage : response.getUsageList()) {
                        run.must(
                                R92,
                                usage.getTotal() >= 0 && usage.getUsed() >= 0 && usage.getAvailable() >= 0,
                                "a usage number is negative");
                        run.must(R92, usage.getUnit() != VolumeUsage.Unit.UNKNOWN, "a usage number has no unit");
                    }
                });
    }

    static NodeExpandVolumeRequest.Builder expandRequest(Run run, String id, String path, long bytes) {
        return NodeExpandVolumeRequest.newBuilder()
                .setVolumeId(id)
                .setVolumePath(path)
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(bytes))
                .setVolumeCapability(run.capability())
                .putAllSecrets(run.secrets("NodeExpandVolume"));
    }

    private static void expand(Checks checks) {
        checks.check("node-expand.no-id", "NodeExpandVolume without a volume id is refused", R22)
                .needs(NODE_EXPAND_VOLUME)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeExpandVolume(expandRequest(run, "", "some/path", 1L << 30)
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("node-expand.no-path", "NodeExpandVolume without a path is refused", R22)
                .needs(NODE_EXPAND_VOLUME, A_VOLUME)
                .run(run -> {
                    String id = run.volume("expanded").getVolumeId();
                    run.refused(
                            () -> run.node()
                                    .nodeExpandVolume(
                                            expandRequest(run, id, "", 1L << 30).build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("node-expand.unknown", "Expanding a volume that does not exist is NOT_FOUND", R95)
                .needs(NODE_EXPAND_VOLUME)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeExpandVolume(expandRequest(run, Run.UNKNOWN, "some/path", 1L << 30)
                                        .build()),
                        Code.NOT_FOUND));
        checks.check("node-expand.works", "A published volume is expanded on the node, and expanded again", R94)
                .needs(NODE_EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("expanded");
                    long more = ExpandAndModifyChecks.moreThan(run, volume);
                    boolean byController = run.has(EXPAND_VOLUME);
                    if (byController) {
                        ExpandAndModifyChecks.grow(run, volume, more);
                    }
                    PublishSteps placement = run.bringUp(volume);
                    var request = expandRequest(
                                    run,
                                    volume.getVolumeId(),
                                    placement.firstTarget().toString(),
                                    more)
                            .setStagingTargetPath(placement.staging())
                            .build();
                    for (int i = 0; i < 2; i++) {
                        long bytes = run.node().nodeExpandVolume(request).getCapacityBytes();
                        run.must(
                                bytes == 0 || bytes >= more,
                                "capacity_bytes is " + bytes + "; " + more + " were requested");
                    }
                });
    }

    private static void health(Checks checks) {
        checks.check("health.controller", "ControllerGetVolumeHealth returns the health of a volume", R104)
                .needs(GET_VOLUME_HEALTH, A_VOLUME)
                .run(run -> {
                    String id = run.volume("well").getVolumeId();
                    require(
                            run,
                            run.controller()
                                    .controllerGetVolumeHealth(ControllerGetVolumeHealthRequest.newBuilder()
                                            .setVolumeId(id)
                                            .putAllSecrets(run.secrets("ControllerGetVolumeHealth"))
                                            .build())
                                    .getVolumeHealth(),
                            id);
                });
        checks.check("health.controller-no-id", "ControllerGetVolumeHealth without an id is refused", R22)
                .needs(GET_VOLUME_HEALTH)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerGetVolumeHealth(ControllerGetVolumeHealthRequest.getDefaultInstance()),
                        Code.INVALID_ARGUMENT));
        checks.check("health.controller-unknown", "The health of a volume that does not exist is NOT_FOUND", R104)
                .needs(GET_VOLUME_HEALTH)
                .run(run -> run.shouldRefuse(
                        Requirement.SHOULD,
                        R104,
                        () -> run.controller()
                                .controllerGetVolumeHealth(ControllerGetVolumeHealthRequest.newBuilder()
                                        .setVolumeId(Run.UNKNOWN)
                                        .build()),
                        Code.NOT_FOUND));
        checks.check("health.list", "ControllerListVolumeHealth returns volumes with entries only", R104, R70)
                .needs(LIST_VOLUME_HEALTH, A_VOLUME)
                .run(run -> {
                    run.volume("well");
                    PageTokens tokens = new PageTokens(run);
                    String token = "";
                    do {
                        ControllerListVolumeHealthResponse page = run.controller()
                                .controllerListVolumeHealth(ControllerListVolumeHealthRequest.newBuilder()
                                        .setStartingToken(token)
                                        .putAllSecrets(run.secrets("ControllerListVolumeHealth"))
                                        .build());
                        for (VolumeHealth health : page.getEntriesList()) {
                            run.should(
                                    Requirement.SHOULD,
                                    R104,
                                    health.getHealthStatusesCount() > 0,
                                    "a healthy volume is listed");
                            require(run, health, health.getVolumeId());
                        }
                        token = tokens.next(
                                page.getNextToken(),
                                page.getEntriesList().stream()
                                        .map(VolumeHealth::getVolumeId)
                                        .toList());
                    } while (!token.isEmpty());
                });
        checks.check("health.node", "NodeGetVolumeHealth returns the health of a published volume", R104)
                .needs(NODE_GET_VOLUME_HEALTH, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("well"));
                    String id = placement.volume().getVolumeId();
                    require(
                            run,
                            run.node()
                                    .nodeGetVolumeHealth(NodeGetVolumeHealthRequest.newBuilder()
                                            .setVolumeId(id)
                                            .setVolumePublishPath(
                                                    placement.firstTarget().toString())
                                            .setStagingTargetPath(placement.staging())
                                            .build())
                                    .getVolumeHealth(),
                            id);
                });
        checks.check("health.node-no-id", "NodeGetVolumeHealth without an id is refused", R22)
                .needs(NODE_GET_VOLUME_HEALTH)
                .run(run -> run.refused(
                        () -> run.node().nodeGetVolumeHealth(NodeGetVolumeHealthRequest.getDefaultInstance()),
                        Code.INVALID_ARGUMENT));
        checks.check("health.storage", "NodeGetStorageHealth returns entries with a status and a reason", R104)
                .needs(GET_STORAGE_HEALTH)
                .run(run -> {
                    for (var entry : run.node()
                            .nodeGetStorageHealth(NodeGetStorageHealthRequest.newBuilder()
                                    .putAllSecrets(run.secrets("NodeGetStorageHealth"))
                                    .build())
                            .getBackendHealthList()) {
                        run.must(entry.getStatusValue() != 0, "a health entry has no status");
                        run.must(!entry.getReason().isEmpty(), "a health entry has no reason");
                    }
                });
    }

    private static void require(Run run, VolumeHealth health, String id) {
        run.must(health.getVolumeId().equals(id), "the health is of volume '" + health.getVolumeId() + "'");
        health.getHealthStatusesList().forEach(entry -> {
            run.must(entry.getStatusValue() != 0, "a health entry has no status");
            run.must(!entry.getReason().isEmpty(), "a health entry has no reason");
        });
    }
}
