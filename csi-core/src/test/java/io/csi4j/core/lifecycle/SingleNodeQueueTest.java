package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Claims of a volume that one node may use at a time. */
class SingleNodeQueueTest {
    private static final RequestedCapability ONE_NODE =
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_MULTI_WRITER);

    private final LifecycleRig rig = LifecycleRig.leading();

    private CompletableFuture<ClaimGrant> read(String allocation, String node) {
        rig.allocation(allocation, node);
        CompletableFuture<ClaimGrant> claim = rig.host
                .claims()
                .claim(
                        AllocationId.of(allocation),
                        List.of(ClaimRequest.of(LifecycleRig.VOL, ClaimMode.READ, ONE_NODE)));
        rig.clock.run();
        return claim;
    }

    /** Otherwise readers that come one after the other on the first node keep the second node waiting for ever. */
    @Test
    void laterReaderOnNodeInUseWaitsBehindReaderThatWaitsOnOtherNode() {
        for (String node : List.of("n1", "n2")) {
            rig.fingerprint(rig.instance(node)
                    .capabilities(known -> known.withNode(NodeCapability.SINGLE_NODE_MULTI_WRITER))
                    .build());
        }
        rig.done(rig.host
                .volumes()
                .register(
                        LifecycleRig.VOL,
                        LifecycleRig.spec()
                                .requestedCapabilities(List.of(ONE_NODE))
                                .build()));
        assertThat(read("first", "n1")).isCompleted();
        assertThat(read("beside", "n1")).isCompleted();
        CompletableFuture<ClaimGrant> otherNode = read("other", "n2");
        assertThat(otherNode).isNotDone();

        CompletableFuture<ClaimGrant> later = read("later", "n1");

        assertThat(later).isNotDone();
        rig.done(rig.host.claims().release(LifecycleRig.VOL, AllocationId.of("first")));
        rig.done(rig.host.claims().release(LifecycleRig.VOL, AllocationId.of("beside")));
        rig.clock.run();
        assertThat(otherNode).isCompleted();
        assertThat(later).isNotDone();
    }
}
