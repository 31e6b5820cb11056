package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import org.junit.jupiter.api.Test;

/** An operator overrides a claim or an attachment that does not exist. */
class OverrideOfNothingTest {
    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);

    @Test
    void operatorOverrideOfMissingClaimIsRejected() {
        RejectedException failure = rig.failed(
                rig.host.operator().overrideClaim(VOL, AllocationId.of("mistyped"), "node burnt"),
                RejectedException.class);
        assertThat(failure.reason()).isEqualTo(new Rejection.ClaimNotFound(VOL, AllocationId.of("mistyped")));
        assertThat(failure).hasMessageContaining("default/vol").hasMessageContaining("mistyped");
    }

    @Test
    void operatorOverrideOfMissingAttachmentIsRejected() {
        RejectedException failure = rig.failed(
                rig.host.operator().overrideAttachment(VOL, NodeId.of("n1"), "detached by hand"),
                RejectedException.class);
        assertThat(failure.reason()).isEqualTo(new Rejection.AttachmentNotFound(VOL, NodeId.of("n1")));
        assertThat(failure).hasMessageContaining("default/vol").hasMessageContaining("n1");
    }

    @Test
    void repeatedOperatorOverrideOfClaimIsAccepted() {
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        rig.gateway.leaveOpen();
        rig.done(rig.host.operator().overrideClaim(VOL, AllocationId.of("a"), "node burnt"));
        rig.done(rig.host.operator().overrideClaim(VOL, AllocationId.of("a"), "node burnt"));
        assertThat(rig.get(VOL).attachments().on(NodeId.of("n1"))).isPresent();
        rig.done(rig.host.operator().overrideAttachment(VOL, NodeId.of("n1"), "node burnt"));
    }
}
