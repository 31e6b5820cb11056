package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallDeadlinesTest {
    /** Repeats the table of the documentation by hand, so that a default cannot be changed by mistake. */
    @Test
    void defaultDeadlinesEqualDocumentedTable() {
        Map<Duration, String> table = Map.of(
                Duration.ofSeconds(5),
                "Probe",
                Duration.ofSeconds(10),
                "GetPluginInfo GetPluginCapabilities ControllerGetCapabilities GroupControllerGetCapabilities"
                        + " NodeGetCapabilities NodeGetInfo",
                Duration.ofSeconds(30),
                "NodeGetVolumeStats ControllerGetVolumeHealth NodeGetVolumeHealth NodeGetStorageHealth",
                Duration.ofMinutes(1),
                "ValidateVolumeCapabilities ListVolumes GetCapacity ListSnapshots GetSnapshot ControllerGetVolume"
                        + " ControllerListVolumeHealth GetVolumeGroupSnapshot GetMetadataAllocated GetMetadataDelta",
                Duration.ofMinutes(2),
                "ControllerPublishVolume ControllerUnpublishVolume NodePublishVolume NodeUnpublishVolume"
                        + " NodeUnstageVolume",
                Duration.ofMinutes(5),
                "CreateVolume DeleteVolume CreateSnapshot DeleteSnapshot ControllerExpandVolume"
                        + " ControllerModifyVolume CreateVolumeGroupSnapshot DeleteVolumeGroupSnapshot"
                        + " NodeStageVolume NodeExpandVolume");
        Map<Rpc, Duration> expected = new EnumMap<>(Rpc.class);
        table.forEach((deadline, names) -> {
            for (Rpc rpc : Rpc.values()) {
                if ((" " + names + " ").contains(" " + rpc.csiName() + " ")) {
                    assertThat(expected.put(rpc, deadline)).isNull();
                }
            }
        });
        for (Rpc rpc : Rpc.values()) {
            assertThat(CallDeadlines.ofDefaults().of(rpc)).as(rpc.csiName()).isEqualTo(expected.get(rpc));
        }
    }

    @Test
    void deadlineCanBeChangedForOneRpcOrAllRpcs() {
        CallDeadlines defaults = CallDeadlines.ofDefaults();
        CallDeadlines changed = defaults.with(Rpc.PROBE, Duration.ofSeconds(1));
        assertThat(changed.of(Rpc.PROBE)).isEqualTo(Duration.ofSeconds(1));
        assertThat(changed.of(Rpc.CREATE_VOLUME)).isEqualTo(defaults.of(Rpc.CREATE_VOLUME));
        assertThat(defaults.of(Rpc.PROBE)).isEqualTo(Duration.ofSeconds(5));
        assertThat(changed).isNotEqualTo(defaults).hasToString("CallDeadlines[Probe=PT1S]");
        assertThat(changed.with(Rpc.PROBE, Duration.ofSeconds(5)))
                .isEqualTo(defaults)
                .hasSameHashCodeAs(defaults)
                .hasToString("CallDeadlines[defaults]");

        CallDeadlines same = defaults.withAll(Duration.ofHours(1));
        for (Rpc rpc : Rpc.values()) {
            assertThat(same.of(rpc)).isEqualTo(Duration.ofHours(1));
        }
    }

    @Test
    void zeroOrNegativeDeadlineIsRejected() {
        for (Duration bad :
                new Duration[] {Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MAX_VALUE)}) {
            assertThatThrownBy(() -> CallDeadlines.ofDefaults().with(Rpc.PROBE, bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("deadline: ");
            assertThatThrownBy(() -> CallDeadlines.ofDefaults().withAll(bad))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
