package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.AccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.free;
import static io.csi4j.core.internal.apply.Cluster.published;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.List;
import org.junit.jupiter.api.Test;

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
    void previewEqualsStateAfterEachReleaseCommand() {
        Cluster cluster = releasing();
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        // All previews start from the state before the first command.
        for (Command step : List.of(
                checkpoint("v", "a", ClaimState.NODE_DETACHED),
                new AttachmentCommand.RecordUnpublishing(vol("v"), N1, AT),
                new AttachmentCommand.RemoveAttachment(vol("v"), N1, AT),
                checkpoint("v", "a", ClaimState.READY_TO_FREE),
                free("v", "a"))) {
            Volume before = cluster.get("v");
            assertThat(preview.apply(step)).as("%s", step).isTrue();
            assertThat(cluster.get("v")).as("the preview changes no row").isEqualTo(before);
            cluster.ok(step);
            Volume after = cluster.get("v");
            assertThat(preview.volume().orElseThrow().claims()).isEqualTo(after.claims());
            assertThat(preview.volume().orElseThrow().attachments()).isEqualTo(after.attachments());
        }
        assertThat(preview.volume().orElseThrow().unsettled()).isFalse();
    }

    @Test
    void rejectedCommandLeavesPreviewUnchanged() {
        Cluster cluster = releasing();
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(preview.apply(new AttachmentCommand.RemoveAttachment(vol("v"), N1, AT)))
                .isFalse();
        assertThat(preview.apply(checkpoint("v", "a", ClaimState.READY_TO_FREE)))
                .isFalse();
        assertThat(preview.volume()).contains(cluster.get("v"));
    }

    @Test
    void previewIsEmptyAfterDeregistration() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        VolumePreview preview = VolumePreview.of(cluster.state.copy(), cluster.get("v"));
        assertThat(preview.apply(new VolumeCommand.DeregisterVolume(vol("v"), false, AT)))
                .isTrue();
        assertThat(preview.volume()).isEmpty();
        assertThat(cluster.state.volume(vol("v"))).isPresent();
    }
}
