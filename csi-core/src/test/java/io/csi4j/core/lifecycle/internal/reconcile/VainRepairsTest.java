package io.csi4j.core.lifecycle.internal.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.internal.reconcile.VainRepairs.Verdict;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VainRepairsTest {
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final ExternalNodeId NODE = ExternalNodeId.of("ext-n1");

    private final VainRepairs repairs = new VainRepairs();
    private final Volume volume = volume(1);
    private final Drift drift = drift(volume, NODE);

    private static Volume volume(long createIndex, Attachment... attachments) {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(USE))
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .build();
        return Volume.builder(VolumeKey.of("ns", "v"), spec, createIndex, Instant.EPOCH)
                .attachments(Attachments.of(List.of(attachments)))
                .build();
    }

    private static Attachment attachment(long createIndex) {
        return Attachment.builder(NodeId.of("n1"), USE)
                .externalNodeId(NODE)
                .createIndex(createIndex)
                .build();
    }

    private static Drift drift(Volume volume, ExternalNodeId node) {
        return new Drift(
                DriftEvent.Kind.WANTED_BUT_NOT_ATTACHED, volume.key(), volume.remoteId(), node, Optional.empty());
    }

    private void repairInVain() {
        for (int i = 0; i < VainRepairs.MAX; i++) {
            assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.REPAIR);
            repairs.repaired(drift, volume);
        }
    }

    @Test
    void repairsOfADifferenceStopOnceAndStayStopped() {
        repairInVain();
        assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.STOP);
        assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.STOPPED);
        assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.STOPPED);
        assertThat(repairs.verdict(drift(volume, ExternalNodeId.of("ext-n2")), volume))
                .as("another difference of the volume")
                .isEqualTo(Verdict.REPAIR);
    }

    @Test
    void recreatedVolumeOrAttachmentHasAnotherDifference() {
        repairInVain();
        assertThat(repairs.verdict(drift, volume(9))).isEqualTo(Verdict.REPAIR);
        assertThat(repairs.verdict(drift, volume(1, attachment(2)))).isEqualTo(Verdict.REPAIR);
        Attachment elsewhere = attachment(2).toBuilder()
                .externalNodeId(ExternalNodeId.of("ext-n2"))
                .build();
        assertThat(repairs.verdict(drift, volume(1, elsewhere)))
                .as("an attachment to another node is not of this difference")
                .isEqualTo(Verdict.STOP);
    }

    private void retain(boolean found, boolean compared, boolean existing) {
        Set<VolumeKey> key = Set.of(volume.key());
        repairs.retain(
                PLUGIN, found ? Map.of(drift, volume) : Map.of(), compared ? key : Set.of(), existing ? key : Set.of());
    }

    @Test
    void differenceStaysUntilAComparisonDoesNotFindItOrItsVolumeIsGone() {
        repairInVain();
        retain(true, true, true);
        assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.STOP);
        retain(false, false, true);
        assertThat(repairs.verdict(drift, volume))
                .as("the volume has changed, so it was not compared")
                .isEqualTo(Verdict.STOPPED);
        repairs.retain(PluginId.of("other"), Map.of(), Set.of(), Set.of());
        assertThat(repairs.verdict(drift, volume)).as("of another plugin").isEqualTo(Verdict.STOPPED);
        retain(false, true, true);
        assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.REPAIR);
    }

    @Test
    void differenceOfARemovedVolumeIsForgotten() {
        repairInVain();
        retain(true, false, false);
        assertThat(repairs.verdict(drift, volume)).isEqualTo(Verdict.REPAIR);
    }
}
