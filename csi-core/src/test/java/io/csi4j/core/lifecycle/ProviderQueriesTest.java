package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.rpc.ControllerGetVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerGetVolumeResponse;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProviderQueriesTest {
    private final VolumeRig rig = VolumeRig.started();

    private static ListVolumesResponse.Entry entry(String id, boolean abnormal) {
        return new ListVolumesResponse.Entry(
                ExternalVolume.builder(ExternalVolumeId.of(id)).build(),
                Optional.of(new ExternalVolumeStatus(List.of(), Optional.of(new VolumeCondition(abnormal, "")))));
    }

    private void reported() {
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
    }

    @Test
    void volumeListOfProviderIncludesUnregisteredVolumesConditionsAndNextPageToken() {
        rig.made();
        rig.gateway.answer(
                Rpc.LIST_VOLUMES,
                request -> new ListVolumesResponse(List.of(entry("ext-1", false), entry("stranger", true)), "2"));
        var page = rig.done(rig.engine().volumes().listExternal(VolumeRig.PLUGIN, 2, "1"));
        assertThat(page.entries())
                .extracting(e -> e.volume().volumeId().value())
                .containsExactly("ext-1", "stranger");
        assertThat(page.entries()
                        .get(1)
                        .status()
                        .orElseThrow()
                        .volumeCondition()
                        .orElseThrow()
                        .abnormal())
                .isTrue();
        assertThat(page.nextToken()).isEqualTo("2");
        var sent = rig.gateway.request(Rpc.LIST_VOLUMES, ListVolumesRequest.class);
        assertThat(sent.startingToken()).isEqualTo("1");
        assertThat(sent.maxEntries()).isEqualTo(2);
    }

    @Test
    void listingWithExpiredPageTokenFailsWithPageRestartOutcome() {
        rig.gateway.fail(Rpc.LIST_VOLUMES, StatusCode.ABORTED);
        assertThat(rig.failed(rig.engine().volumes().listExternal(VolumeRig.PLUGIN, 0, "old"), CsiCallException.class)
                        .outcome())
                .isEqualTo(CallOutcome.PAGE_RESTART);
    }

    @Test
    void listingFailsWithErrorThatContainsMissingListVolumesCapability() {
        rig.controller.remove(ControllerCapability.LIST_VOLUMES);
        reported();
        assertThat(rig.failed(rig.engine().volumes().listExternal(VolumeRig.PLUGIN, 0, ""), CsiRequestException.class))
                .hasMessageContaining("LIST_VOLUMES");
    }

    @Test
    void capacityQuerySendsTopologyOnlyIfPluginSupportsIt() {
        rig.gateway.answer(
                Rpc.GET_CAPACITY, request -> new GetCapacityResponse(42, Optional.empty(), Optional.empty()));
        GetCapacityRequest request = GetCapacityRequest.builder()
                .accessibleTopology(Topology.of("zone", "z1"))
                .build();
        assertThat(rig.done(rig.engine().volumes().capacity(VolumeRig.PLUGIN, request))
                        .availableCapacity())
                .isEqualTo(42);
        rig.services.remove(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS);
        reported();
        rig.failed(rig.engine().volumes().capacity(VolumeRig.PLUGIN, request), CsiRequestException.class);
        assertThat(rig.gateway.requests(Rpc.GET_CAPACITY)).hasSize(1);
    }

    @Test
    void csi113ControllerIsQueriedForHealth() {
        rig.made();
        VolumeHealthEntry entry = new VolumeHealthEntry(VolumeHealthStatus.DEGRADED, 1, "DiskSlow", "slow");
        rig.gateway
                .answer(
                        Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                        request -> new ControllerGetVolumeHealthResponse(
                                Optional.of(new VolumeHealth(ExternalVolumeId.of("ext-1"), List.of(entry)))))
                .answer(
                        Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                        request -> new ControllerGetVolumeHealthResponse(
                                Optional.of(new VolumeHealth(ExternalVolumeId.of("ext-1"), List.of()))))
                .answer(
                        Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                        request -> new ControllerGetVolumeHealthResponse(Optional.empty()));
        assertThat(rig.done(rig.engine().volumes().health(VolumeRig.VOL)))
                .isEqualTo(new VolumeHealthReport(HealthVerdict.ABNORMAL, List.of(entry)));
        assertThat(rig.done(rig.engine().volumes().health(VolumeRig.VOL)).verdict())
                .isEqualTo(HealthVerdict.HEALTHY);
        assertThat(rig.done(rig.engine().volumes().health(VolumeRig.VOL)).verdict())
                .as("a response without health is not healthy")
                .isEqualTo(HealthVerdict.NOT_REPORTED);
    }

    @Test
    void healthFromOlderPluginIsVolumeConditionAndIsNotReportedWithoutThatCapability() {
        rig.made();
        rig.controller.remove(ControllerCapability.GET_VOLUME_HEALTH);
        reported();
        rig.gateway.answer(
                Rpc.CONTROLLER_GET_VOLUME,
                request -> new ControllerGetVolumeResponse(
                        ExternalVolume.builder(ExternalVolumeId.of("ext-1")).build(),
                        Optional.of(new ExternalVolumeStatus(
                                List.of(), Optional.of(new VolumeCondition(true, "broken"))))));
        VolumeHealthReport report = rig.done(rig.engine().volumes().health(VolumeRig.VOL));
        assertThat(report.verdict()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(report.entries()).extracting(VolumeHealthEntry::message).containsExactly("broken");
        rig.controller.remove(ControllerCapability.VOLUME_CONDITION);
        reported();
        assertThat(rig.done(rig.engine().volumes().health(VolumeRig.VOL)).verdict())
                .isEqualTo(HealthVerdict.NOT_REPORTED);
    }
}
