package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.ClaimState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What goes on at once, or within seconds, and not when the next scan of all volumes finds it. */
class TimeToProgressTest {
    private static final VolumeAccessMode MODE = VolumeAccessMode.SINGLE_NODE_WRITER;
    /** The node's agent takes 64 calls at a time. */
    private static final int VOLUMES = 70;

    @Test
    void releasesResumeAtOnceWhenControllerIsReachable() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MODE);
        rig.use("a", "n1", ClaimRig.write("v", MODE));
        rig.status(ClaimRig.CONTROLLER, NodeStatus.DISCONNECTED);
        rig.ended("a", "n1");
        assertThat(rig.get("v").attachments().isEmpty()).isFalse();

        rig.status(ClaimRig.CONTROLLER, NodeStatus.READY);
        rig.run();
        rig.free("v");
    }

    @Test
    void commandLostTwiceByLogSucceedsWithinThirtySeconds() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MODE);
        rig.use("a", "n1", ClaimRig.write("v", MODE));
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.log.lose(2, false);
        rig.run();
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);

        rig.clock.advance(Duration.ofSeconds(30));
        rig.free("v");
    }

    @Test
    void waitingUnmountIsNotSentIfVolumeIsClaimedAgain() {
        ClaimRig rig = ClaimRig.with("n1");
        for (int i = 0; i < VOLUMES; i++) {
            rig.volume("v" + i, MODE).use("a" + i, "n1", ClaimRig.write("v" + i, MODE));
        }
        rig.gateway.script = call -> {
            boolean answered = !call.toString().startsWith("detach");
            if (answered) {
                call.succeed();
            }
            return answered;
        };
        for (int i = 0; i < VOLUMES; i++) {
            var unused = rig.engine.releases().release(Caller.ENGINE, ClaimRig.key("v" + i), AllocationId.of("a" + i));
        }
        rig.run();
        int last = VOLUMES - 1;
        assertThat(rig.gateway.open)
                .hasSizeBetween(1, last)
                .noneMatch(call -> call.toString().contains("a" + last + "@"));

        // An operator ends the claim and its attachment, and the allocation claims again.
        VolumeKey key = ClaimRig.key("v" + last);
        AllocationId allocation = AllocationId.of("a" + last);
        NodeId node = NodeId.of("n1");
        rig.ok(new ClaimCommand.OverrideClaim(key, allocation, "op", "nothing is left there", rig.now()));
        rig.ok(new ClaimCommand.FreeClaim(key, allocation, rig.now()));
        rig.ok(new AttachmentCommand.OverrideAttachment(key, node, "op", "nothing is left there", rig.now()));
        rig.ok(new AttachmentCommand.RemoveAttachment(key, node, rig.now()));
        CompletableFuture<ClaimGrant> again = rig.claim("a" + last, "n1", ClaimRig.write("v" + last, MODE));
        assertThat(rig.state("v" + last, "a" + last)).contains(ClaimState.TAKEN);

        List<String> detached = new ArrayList<>();
        rig.gateway.script = call -> {
            detached.add(call.toString());
            call.succeed();
            return true;
        };
        while (!rig.gateway.open.isEmpty()) {
            rig.gateway.open.remove(0).succeed();
            rig.run();
        }
        assertThat(again).isCompleted();
        rig.minutes(5);
        assertThat(rig.state("v" + last, "a" + last)).contains(ClaimState.TAKEN);
        assertThat(detached).isNotEmpty().noneMatch(call -> call.contains("a" + last + "@"));
    }
}
