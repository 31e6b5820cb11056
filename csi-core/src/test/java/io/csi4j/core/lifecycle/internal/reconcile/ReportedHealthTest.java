package io.csi4j.core.lifecycle.internal.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.lifecycle.internal.reconcile.ReportedHealth.Reported;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportedHealthTest {
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final VolumeSpec SPEC = VolumeSpec.builder(PluginId.of("p"))
            .requestedCapabilities(List.of(USE))
            .build();
    private static final NodeId NODE = NodeId.of("n1");

    private final ReportedHealth health = new ReportedHealth();

    private static Volume volume(String id, int createIndex) {
        return Volume.builder(VolumeKey.of("default", id), SPEC, createIndex, Instant.EPOCH)
                .build();
    }

    private void report(Volume volume, Optional<NodeId> node, boolean abnormal) {
        health.record(
                volume,
                new Reported(
                        node,
                        VolumeHealthReport.ofCondition(Optional.of(new VolumeCondition(abnormal, "slow"))),
                        Instant.EPOCH));
    }

    private List<HealthVerdict> verdicts(Volume volume) {
        return health.of(volume).stream()
                .map(report -> report.health().verdict())
                .toList();
    }

    @Test
    void missingReportLeavesEarlierReport() {
        Volume volume = volume("v", 1);
        report(volume, Optional.empty(), true);
        health.record(volume, new Reported(Optional.empty(), VolumeHealthReport.notReported(), Instant.EPOCH));
        assertThat(verdicts(volume)).containsExactly(HealthVerdict.ABNORMAL);
    }

    @Test
    void reportOfNodeCountsWhileVolumeIsOnNode() {
        Volume free = volume("v", 1);
        Volume used = free.toBuilder()
                .claims(Claims.of(List.of(Claim.builder(AllocationId.of("a"), NODE, ClaimMode.WRITE, USE)
                        .build())))
                .build();
        report(used, Optional.of(NODE), true);
        report(used, Optional.empty(), false);
        assertThat(verdicts(used)).containsExactly(HealthVerdict.HEALTHY, HealthVerdict.ABNORMAL);
        assertThat(verdicts(free)).containsExactly(HealthVerdict.HEALTHY);
    }

    @Test
    void abnormalVolumeTakesPlaceOfOldestAndHealthyOneTakesNone() {
        for (int i = 0; i < ReportedHealth.MAX; i++) {
            report(volume("v" + i, 1), Optional.empty(), true);
        }
        report(volume("healthy", 1), Optional.empty(), false);
        assertThat(verdicts(volume("healthy", 1))).isEmpty();
        assertThat(verdicts(volume("v0", 1))).hasSize(1);
        report(volume("abnormal", 1), Optional.empty(), true);
        assertThat(verdicts(volume("abnormal", 1))).hasSize(1);
        assertThat(verdicts(volume("v0", 1))).isEmpty();
        assertThat(verdicts(volume("v1", 1))).hasSize(1);
    }
}
