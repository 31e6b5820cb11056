package io.csi4j.core.state;

import static io.csi4j.core.csi.AccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.state.Cluster.AT;
import static io.csi4j.core.state.Cluster.checkpoint;
import static io.csi4j.core.state.Cluster.free;
import static io.csi4j.core.state.Cluster.published;
import static io.csi4j.core.state.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The preview of a volume is what the commands make of it, and the state knows nothing of it. */
class VolumePreviewTest {
    private static final NodeId N1 = NodeId.of("n1");

    private static Cluster releasing() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        cluster.ok(published("v", "n1"));
        cluster.ended("a", "n1");
        return cluster;
    }

    @Test
    void eachStepOfAReleaseIsWhatTheCommandWillDo() {
        Cluster cluster = releasing();
        VolumePreview ahead = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        // Each preview is of the state before all of them.
        for (Command step : List.of(
                checkpoint("v", "a", ClaimState.NODE_DETACHED),
                new AttachmentCommand.RecordUnpublishing(vol("v"), N1, AT),
                new AttachmentCommand.RemoveAttachment(vol("v"), N1, AT),
                checkpoint("v", "a", ClaimState.READY_TO_FREE),
                free("v", "a"))) {
            Volume before = cluster.get("v");
            assertThat(ahead.apply(step)).as("%s", step).isTrue();
            assertThat(cluster.get("v")).as("nothing is stored").isEqualTo(before);
            cluster.ok(step);
            Volume after = cluster.get("v");
            assertThat(ahead.volume().orElseThrow().claims()).isEqualTo(after.claims());
            assertThat(ahead.volume().orElseThrow().attachments()).isEqualTo(after.attachments());
        }
        assertThat(ahead.volume().orElseThrow().unsettled()).isFalse();
    }

    @Test
    void whatWouldBeRefusedChangesNothing() {
        Cluster cluster = releasing();
        VolumePreview ahead = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(ahead.apply(new AttachmentCommand.RemoveAttachment(vol("v"), N1, AT)))
                .isFalse();
        assertThat(ahead.apply(checkpoint("v", "a", ClaimState.READY_TO_FREE))).isFalse();
        assertThat(ahead.volume()).contains(cluster.get("v"));
    }

    @Test
    void aVolumeThatWouldBeGoneIsGone() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        VolumePreview ahead = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(ahead.apply(new VolumeCommand.DeregisterVolume(vol("v"), false, AT)))
                .isTrue();
        assertThat(ahead.volume()).isEmpty();
        assertThat(cluster.state.volume(vol("v"))).isPresent();
    }
}
