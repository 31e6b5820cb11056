package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import org.junit.jupiter.api.Test;

/** Commands about orphaned attachments, and commands that name an attachment by its index. */
class AttachmentCommandsTest {
    private static final NodeId NODE = NodeId.of("n1");

    private final Cluster cluster = Cluster.attaching().nodes("n1").volume("v", MULTI_NODE_MULTI_WRITER);

    private AttachmentCommand.RecordOrphan orphan(long ifModifyIndex) {
        return new AttachmentCommand.RecordOrphan(
                Cluster.vol("v"), NODE, ExternalNodeId.of("ext-n1"), ifModifyIndex, Cluster.AT);
    }

    private AttachmentCommand.RecordOrphan orphan() {
        return orphan(cluster.get("v").modifyIndex());
    }

    /** Changes the row of the volume directly. */
    private void row(Volume.Builder row) {
        cluster.state.putVolume(row.build());
    }

    private Volume.Builder row() {
        ProviderFacts facts = ProviderFacts.builder()
                .externalVolumeId(ExternalVolumeId.of("ext-v"))
                .build();
        return cluster.get("v").toBuilder().facts(facts);
    }

    @Test
    void orphanedAttachmentIsDetachedOnce() {
        row(row());
        cluster.ok(orphan());
        Attachment stored = cluster.attachment("v", "n1").orElseThrow();
        assertThat(stored.state()).isEqualTo(AttachmentState.UNPUBLISHING);
        assertThat(stored.externalNodeId()).contains(ExternalNodeId.of("ext-n1"));
        assertThat(stored.createIndex()).isEqualTo(cluster.state.index());
        cluster.unchanged(orphan());
        cluster.unchanged(orphan(1));
    }

    @Test
    void orphanIsRejectedForAVolumeThatHasChangedOrIsNotMade() {
        row(row());
        cluster.refused(Rejection.VolumeChanged.class, orphan(cluster.get("v").modifyIndex() + 1));
        row(row().phase(VolumePhase.CREATING));
        cluster.refused(Rejection.WrongPhase.class, orphan());
    }

    @Test
    void orphanIsRejectedWhileTheNodeUsesTheVolume() {
        row(row());
        cluster.claim("a", "n1", "v", ClaimMode.WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.refused(Rejection.AttachmentInUse.class, orphan());
        assertThat(cluster.attachment("v", "n1").orElseThrow().state()).isEqualTo(AttachmentState.PUBLISHING);
    }

    @Test
    void commandForAnotherAttachmentChangesNothing() {
        cluster.claim("a", "n1", "v", ClaimMode.WRITE, MULTI_NODE_MULTI_WRITER);
        long index = cluster.attachment("v", "n1").orElseThrow().createIndex();
        PublishContext context = PublishContext.empty();
        cluster.refused(
                Rejection.AttachmentNotFound.class,
                new AttachmentCommand.RecordPublished(Cluster.vol("v"), NODE, index + 1, context, Cluster.AT));
        cluster.ok(new AttachmentCommand.RecordPublished(Cluster.vol("v"), NODE, index, context, Cluster.AT));
        assertThat(cluster.attachment("v", "n1").orElseThrow().state()).isEqualTo(AttachmentState.PUBLISHED);
        cluster.unchanged(new AttachmentCommand.RecordUnpublishing(Cluster.vol("v"), NODE, index + 1, Cluster.AT));
        cluster.unchanged(new AttachmentCommand.RemoveAttachment(Cluster.vol("v"), NODE, index + 1, Cluster.AT));
    }
}
