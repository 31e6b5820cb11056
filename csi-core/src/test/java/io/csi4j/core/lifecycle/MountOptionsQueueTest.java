package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.MountOptions;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Claims with mount options that the staging on their node does not have. */
class MountOptionsQueueTest {
    private static final AccessMode MODE = AccessMode.MULTI_NODE_READER_ONLY;

    private final ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MODE);

    private static ClaimRequest read(String fsType) {
        ClaimRequest plain = ClaimRig.read("v", MODE);
        return new ClaimRequest(plain.volume(), plain.mode(), plain.capability(), MountOptions.of(fsType));
    }

    @Test
    void waitingClaimWithOtherMountOptionsIsGrantedBeforeLaterReaders() {
        rig.stages("n1");
        rig.stages("n2");
        rig.use("a", "n1", read("ext4"));
        CompletableFuture<ClaimGrant> other = rig.claim("b", "n1", read("xfs"));
        CompletableFuture<ClaimGrant> later = rig.claim("c", "n1", read("ext4"));
        CompletableFuture<ClaimGrant> elsewhere = rig.claim("d", "n2", read("ext4"));

        assertThat(other).isNotDone();
        assertThat(rig.engine
                        .status(Caller.ENGINE, ClaimRig.key("v"))
                        .orElseThrow()
                        .waiting()
                        .get(0)
                        .reason()
                        .orElseThrow()
                        .reason())
                .isEqualTo(WaitReason.OTHER_MOUNT_OPTIONS_IN_USE);
        assertThat(later).as("a later reader waits behind the waiting claim b").isNotDone();
        assertThat(elsewhere).as("a reader on another node does not wait").isCompleted();

        rig.ended("a", "n1");
        assertThat(other).isCompleted();
        assertThat(later).isNotDone();
        rig.ended("b", "n1");
        assertThat(later).isCompleted();
    }

    @Test
    void readAndWriteRequestsOfOneAllocationBecomeOneClaim() {
        AccessMode mode = AccessMode.SINGLE_NODE_WRITER;
        rig.volume("w", mode);
        CompletableFuture<ClaimGrant> both = rig.claim("a", "n1", ClaimRig.read("w", mode), ClaimRig.write("w", mode));
        assertThat(both).isCompleted();
        assertThat(both.join().volumes()).hasSize(1);
    }
}
