package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Volumes and storage as nodes see them, and lists of what is not well, whichever model the plugin speaks (X5). */
class HealthQueriesTest {
    private static final AllocationId WEB = AllocationId.of("web");
    private static final VolumeHealthEntry SLOW =
            new VolumeHealthEntry(VolumeHealthStatus.DEGRADED, 1, "DiskSlow", "slow");
    private static final VolumeHealthEntry NEWS =
            new VolumeHealthEntry(VolumeHealthStatus.UNKNOWN, 77, "News", "of a later version");

    private final VolumeRig rig = VolumeRig.started();

    private void fingerprintNodes() {
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
    }

    /** A volume that is claimed on the second node, and a node service that offers that. */
    private void used(NodeCapability... offered) {
        rig.made();
        rig.claim("web", "n2");
        rig.onNodes.addAll(List.of(offered));
        fingerprintNodes();
    }

    private static VolumeHealth health(VolumeHealthEntry... entries) {
        return new VolumeHealth(ExternalVolumeId.of("ext-1"), List.of(entries));
    }

    private void healthAnswers(VolumeHealthEntry... entries) {
        rig.gateway.answer(
                Rpc.NODE_GET_VOLUME_HEALTH, request -> new NodeGetVolumeHealthResponse(Optional.of(health(entries))));
    }

    private VolumeHealthReport report() {
        return rig.done(rig.follower().volumes().health(VolumeRig.VOL, WEB));
    }

    @Test
    void csi113PluginIsQueriedForHealthOnNodeOfClaim() {
        used(NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_VOLUME_STATS, NodeCapability.VOLUME_CONDITION);
        healthAnswers(SLOW);
        healthAnswers();
        rig.gateway.answer(Rpc.NODE_GET_VOLUME_HEALTH, request -> new NodeGetVolumeHealthResponse(Optional.empty()));

        assertThat(report()).isEqualTo(new VolumeHealthReport(HealthVerdict.ABNORMAL, List.of(SLOW)));
        assertThat(report().verdict()).isEqualTo(HealthVerdict.HEALTHY);
        assertThat(report().verdict())
                .as("a response without health is not healthy")
                .isEqualTo(HealthVerdict.NOT_REPORTED);

        Volume volume = rig.volume();
        assertThat(rig.gateway.requests(Rpc.NODE_GET_VOLUME_HEALTH))
                .hasSize(3)
                .containsOnly(
                        NodeVolumeQuery.of(volume, volume.claims().get(WEB).orElseThrow()));
        assertThat(rig.gateway.calls().get(rig.gateway.calls().size() - 1).node())
                .isEqualTo(NodeId.of("n2"));
        assertThat(rig.gateway.rpcs()).doesNotContain(Rpc.NODE_GET_VOLUME_STATS);
    }

    @Test
    void unknownHealthStatusesAreIgnored() {
        used(NodeCapability.GET_VOLUME_HEALTH);
        healthAnswers(NEWS, SLOW);
        healthAnswers(NEWS);
        assertThat(report().entries()).containsExactly(SLOW);
        assertThat(report()).isEqualTo(new VolumeHealthReport(HealthVerdict.HEALTHY, List.of()));
    }

    @Test
    void olderPluginReportsHealthAsConditionInVolumeStats() {
        used(NodeCapability.GET_VOLUME_STATS, NodeCapability.VOLUME_CONDITION);
        rig.gateway
                .answer(
                        Rpc.NODE_GET_VOLUME_STATS,
                        request -> new NodeGetVolumeStatsResponse(
                                List.of(), Optional.of(new VolumeCondition(true, "broken"))))
                .answer(
                        Rpc.NODE_GET_VOLUME_STATS,
                        request -> new NodeGetVolumeStatsResponse(
                                List.of(), Optional.of(new VolumeCondition(false, "well"))))
                .answer(
                        Rpc.NODE_GET_VOLUME_STATS,
                        request -> new NodeGetVolumeStatsResponse(List.of(), Optional.empty()));
        VolumeHealthReport ill = report();
        assertThat(ill.verdict()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(ill.entries()).extracting(VolumeHealthEntry::message).containsExactly("broken");
        assertThat(report().verdict()).isEqualTo(HealthVerdict.HEALTHY);
        assertThat(report().verdict()).isEqualTo(HealthVerdict.NOT_REPORTED);
    }

    @Test
    void olderPluginWithoutVolumeConditionIsNotQueriedForHealth() {
        used(NodeCapability.GET_VOLUME_STATS);
        assertThat(report().verdict()).isEqualTo(HealthVerdict.NOT_REPORTED);
        assertThat(rig.gateway.rpcs()).doesNotContain(Rpc.NODE_GET_VOLUME_STATS, Rpc.NODE_GET_VOLUME_HEALTH);
    }

    @Test
    void healthQueryFailsIfNodeRefusesIt() {
        used(NodeCapability.GET_VOLUME_HEALTH);
        rig.gateway.fail(Rpc.NODE_GET_VOLUME_HEALTH, StatusCode.NOT_FOUND);
        assertThat(rig.failed(rig.follower().volumes().health(VolumeRig.VOL, WEB), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.NOT_FOUND);
    }

    @Test
    void healthOrStatsQueryForAllocationWithoutClaimFailsWithErrorThatContainsAllocation() {
        used(NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_VOLUME_STATS);
        AllocationId stranger = AllocationId.of("stranger");
        assertThat(rig.failed(rig.follower().volumes().health(VolumeRig.VOL, stranger), CsiRequestException.class))
                .hasMessageContaining("stranger");
        assertThat(rig.failed(rig.follower().volumes().stats(VolumeRig.VOL, stranger), CsiRequestException.class))
                .hasMessageContaining("stranger");
    }

    @Test
    void statsAreQueriedOnNodeOfAllocation() {
        used(NodeCapability.GET_VOLUME_STATS);
        NodeGetVolumeStatsResponse stats = new NodeGetVolumeStatsResponse(
                List.of(new VolumeUsage(7, 10, 3, VolumeUsageUnit.BYTES)), Optional.empty());
        rig.gateway.answer(Rpc.NODE_GET_VOLUME_STATS, request -> stats);
        assertThat(rig.done(rig.follower().volumes().stats(VolumeRig.VOL, WEB))).isEqualTo(stats);

        rig.onNodes.remove(NodeCapability.GET_VOLUME_STATS);
        fingerprintNodes();
        assertThat(rig.failed(rig.follower().volumes().stats(VolumeRig.VOL, WEB), CsiRequestException.class))
                .hasMessageContaining("GET_VOLUME_STATS");
    }

    @Test
    void storageHealthIsQueriedOnNodeWithSecretsOfPlugin() {
        Secrets token = Secrets.of(Map.of("token", "t0ken"));
        rig.secrets = query ->
                CompletableFuture.completedFuture(Optional.of(query.volume().isPresent() ? Secrets.empty() : token));
        rig.onNodes.add(NodeCapability.GET_STORAGE_HEALTH);
        fingerprintNodes();
        StorageBackendHealth away = new StorageBackendHealth(
                StorageHealthStatus.STORAGE_UNREACHABLE, 2, "NoRoute", "no route", Optional.empty());
        StorageBackendHealth news =
                new StorageBackendHealth(StorageHealthStatus.UNKNOWN, 9, "News", "later", Optional.empty());
        for (List<StorageBackendHealth> entries : List.of(List.of(news, away), List.<StorageBackendHealth>of())) {
            rig.gateway.answer(Rpc.NODE_GET_STORAGE_HEALTH, request -> new NodeGetStorageHealthResponse(entries));
        }
        NodeId node = NodeId.of("n2");
        assertThat(rig.done(rig.follower().operator().storageHealth(VolumeRig.PLUGIN, node)))
                .isEqualTo(new StorageHealthReport(HealthVerdict.ABNORMAL, List.of(away)));
        assertThat(rig.done(rig.follower().operator().storageHealth(VolumeRig.PLUGIN, node))
                        .verdict())
                .isEqualTo(HealthVerdict.HEALTHY);
        assertThat(rig.gateway.calls())
                .allSatisfy(call -> assertThat(call.node()).isEqualTo(node));
        assertThat(rig.gateway.request(Rpc.NODE_GET_STORAGE_HEALTH, StorageHealthQuery.class))
                .isEqualTo(new StorageHealthQuery(VolumeRig.PLUGIN, token))
                .asString()
                .doesNotContain("t0ken");
    }

    @Test
    void pluginWithoutStorageHealthIsNotQueried() {
        assertThat(rig.done(rig.follower().operator().storageHealth(VolumeRig.PLUGIN, NodeId.of("n1")))
                        .verdict())
                .isEqualTo(HealthVerdict.NOT_REPORTED);
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void healthQueryWithoutPermissionIsDenied() {
        used(NodeCapability.GET_VOLUME_HEALTH, NodeCapability.GET_VOLUME_STATS, NodeCapability.GET_STORAGE_HEALTH);
        int before = rig.gateway.calls().size();
        rig.access = (principal, access) ->
                access.permission() != Permission.VOLUME_READ && access.permission() != Permission.PLUGIN_READ;
        for (CompletableFuture<?> query : List.of(
                rig.follower().volumes().health(VolumeRig.VOL),
                rig.follower().volumes().health(VolumeRig.VOL, WEB),
                rig.follower().volumes().stats(VolumeRig.VOL, WEB),
                rig.follower().operator().storageHealth(VolumeRig.PLUGIN, NodeId.of("n1")),
                rig.follower().volumes().listAbnormal(VolumeRig.PLUGIN, 0, ""))) {
            rig.failed(query, AccessDeniedException.class);
        }
        assertThat(rig.gateway.calls()).hasSize(before);
    }

    @Test
    void abnormalVolumesOfCsi113PluginAreListedByHealth() {
        rig.made();
        rig.gateway.answer(
                Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                request -> new ControllerListVolumeHealthResponse(
                        List.of(
                                health(SLOW),
                                new VolumeHealth(ExternalVolumeId.of("stranger"), List.of(SLOW)),
                                new VolumeHealth(ExternalVolumeId.of("well"), List.of(NEWS))),
                        "4"));
        var page = rig.done(rig.follower().volumes().listAbnormal(VolumeRig.PLUGIN, 3, "1"));
        VolumeHealthReport slow = new VolumeHealthReport(HealthVerdict.ABNORMAL, List.of(SLOW));
        assertThat(page)
                .isEqualTo(new ExternalPage<>(
                        List.of(
                                new AbnormalVolume(ExternalVolumeId.of("ext-1"), slow),
                                new AbnormalVolume(ExternalVolumeId.of("stranger"), slow)),
                        "4"));
        var sent = rig.gateway.request(Rpc.CONTROLLER_LIST_VOLUME_HEALTH, ControllerListVolumeHealthRequest.class);
        assertThat(sent.maxEntries()).isEqualTo(3);
        assertThat(sent.startingToken()).isEqualTo("1");

        rig.access = (principal, access) -> access.permission() != Permission.MANAGEMENT;
        rig.gateway.answer(
                Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                request -> new ControllerListVolumeHealthResponse(
                        List.of(new VolumeHealth(ExternalVolumeId.of("stranger"), List.of(SLOW))), ""));
        assertThat(rig.done(rig.follower().volumes().listAbnormal(VolumeRig.PLUGIN, 0, ""))
                        .entries())
                .as("a volume without a record needs MANAGEMENT permission")
                .isEmpty();
    }

    @Test
    void abnormalVolumesOfOlderPluginAreFoundByTheirVolumeCondition() {
        rig.controller.remove(ControllerCapability.LIST_VOLUME_HEALTH);
        fingerprintNodes();
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> new ListVolumesResponse(List.of(entry("well", false), entry("ill", true)), "2"));
        var page = rig.done(rig.follower().volumes().listAbnormal(VolumeRig.PLUGIN, 2, ""));
        assertThat(page.entries()).extracting(one -> one.volumeId().value()).containsExactly("ill");
        assertThat(page.nextToken()).isEqualTo("2");

        rig.controller.remove(ControllerCapability.VOLUME_CONDITION);
        fingerprintNodes();
        assertThat(rig.failed(
                        rig.follower().volumes().listAbnormal(VolumeRig.PLUGIN, 0, ""), CsiRequestException.class))
                .hasMessageContaining("LIST_VOLUME_HEALTH");
    }

    private static ListVolumesResponse.Entry entry(String id, boolean abnormal) {
        return new ListVolumesResponse.Entry(
                ExternalVolume.builder(ExternalVolumeId.of(id)).build(),
                Optional.of(new ExternalVolumeStatus(List.of(), Optional.of(new VolumeCondition(abnormal, "")))));
    }
}
