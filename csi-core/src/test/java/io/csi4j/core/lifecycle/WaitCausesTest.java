package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A waiting claim says what ends its wait, since when it is so, and what an operator can do. */
class WaitCausesTest {
    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);

    private String wait(String node) {
        String waiter = "waiter-" + node;
        var unused = rig.claim(waiter, node, SINGLE);
        rig.run();
        return rig.done(rig.host.claims().status(VOL)).orElseThrow().waiting().stream()
                .filter(claim -> claim.allocationId().equals(AllocationId.of(waiter)))
                .map(WaitingClaim::text)
                .findFirst()
                .orElseThrow();
    }

    private void fails(Rpc rpc, String words) {
        for (int i = 0; i < 500; i++) {
            rig.gateway.plan(
                    rpc,
                    call -> CompletableFuture.failedFuture(new CsiCallException(
                            rpc,
                            "p",
                            "ext-vol",
                            StatusCode.INTERNAL,
                            CallOutcome.of(rpc, StatusCode.INTERNAL, true),
                            rpc.csiName() + " failed (INTERNAL): " + words,
                            null)));
        }
    }

    @Test
    void claimBehindUserOnHealthyNodeHasNoOtherCause() {
        rig.done(rig.claim("a", "n1", SINGLE));
        assertThat(wait("n2"))
                .isEqualTo("volume " + VOL + ": access mode SINGLE_NODE_WRITER allows one node, held by allocation a on"
                        + " node n1 (WRITE, TAKEN)");
    }

    @Test
    void claimBehindUserOnNodeThatIsDownSaysSoAndWhatToDo() {
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.done(rig.host.cluster().nodeDown(NodeId.of("n1"), "no heartbeat"));
        assertThat(wait("n2"))
                .contains(
                        "node n1 is DOWN since ",
                        " (no heartbeat); allocation a has not ended: end it, and fence the"
                                + " node and report it as fenced, or start it again, or override the claim of allocation a");
    }

    @Test
    void claimBehindReleaseOnNodeThatIsDownSaysSoAndWhatToDo() {
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.done(rig.host.cluster().nodeDown(NodeId.of("n1"), ""));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        assertThat(wait("n2"))
                .contains("the release of the one in the way is not finished")
                .contains("node n1 is DOWN since ", ": fence the node and report it as fenced, or start it again");
    }

    @Test
    void claimBehindDetachThatFailsHasWordsOfPluginAndTimeOfFirstFailure() {
        rig.done(rig.claim("a", "n1", SINGLE));
        fails(Rpc.CONTROLLER_UNPUBLISH_VOLUME, "the array is locked");
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.run();
        String since = rig.done(rig.host.claims().status(VOL)).orElseThrow().failures().stream()
                .map(failure -> failure.since().toString())
                .findFirst()
                .orElseThrow();
        rig.clock.advance(Duration.ofMinutes(1));

        for (String node : new String[] {"n1", "n2"}) {
            assertThat(wait(node))
                    .doesNotContain("used up")
                    .contains("the release of the one in the way is not finished")
                    .contains("ControllerUnpublishVolume for node n1 fails since " + since + " (")
                    .contains("the array is locked");
        }
    }

    @Test
    void claimBehindUnmountThatFailsHasWordsOfPlugin() {
        rig.done(rig.claim("a", "n1", SINGLE));
        fails(Rpc.NODE_UNPUBLISH_VOLUME, "the target is busy");
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(wait("n2"))
                .contains("NodeUnpublishVolume for node n1 fails since ", " times): ", "the target is busy");
    }

    @Test
    void claimBehindManyUsersNamesThreeCauses() {
        for (String node : List.of("n3", "n4", "n5")) {
            rig.node(node);
        }
        List<String> nodes = List.of("n1", "n2", "n3", "n4");
        for (String node : nodes) {
            rig.done(rig.claim("on-" + node, node, LifecycleRig.SHARED));
            rig.done(rig.host.cluster().nodeDown(NodeId.of(node), ""));
        }
        assertThat(wait("n5"))
                .contains("node n1 is DOWN", "; node n2 is DOWN", "; node n3 is DOWN")
                .doesNotContain("n4 is DOWN");
    }

    @Test
    void claimBehindUserOnUnknownNodeSaysSo() {
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.log.leftBehind(state -> state.removeNode(NodeId.of("n1")));
        assertThat(wait("n2"))
                .contains("node n1 is not known: report it, or override the claim of allocation a if the volume is not"
                        + " mounted there");
    }

    /** The new leader has made no call yet, so only the stored error is known. */
    @Test
    void claimBehindUnmountThatFailedOnAnotherServerHasTheStoredError() {
        VolumeRig rig = VolumeRig.started();
        VolumeLifecycle first = rig.engine();
        rig.done(first.volumes()
                .create(
                        VOL,
                        VolumeRig.spec().requestedCapabilities(List.of(SINGLE)).build()));
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        rig.done(first.claims().claim(AllocationId.of("a"), List.of(LifecycleRig.write(VOL, SINGLE))));
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.run();
        VolumeLifecycle next = rig.engine();
        rig.allocation("w", "n2", AllocationStatus.RUNNING);
        var unused = next.claims().claim(AllocationId.of("w"), List.of(LifecycleRig.write(VOL, SINGLE)));
        rig.run();
        assertThat(rig.done(next.claims().status(VOL)).orElseThrow().waiting())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.text()).contains("NodeUnpublishVolume for node n1 has failed 1 times: "));
    }

    @Test
    void claimOnVolumeThatCannotBeCreatedHasWordsOfPlugin() {
        VolumeKey created = VolumeKey.of("default", "created");
        fails(Rpc.CREATE_VOLUME, "the pool is full");
        var unused = rig.host.volumes().create(created, LifecycleRig.newSpec().build());
        rig.clock.advance(Duration.ofMinutes(1));
        rig.allocation("w", "n1");
        var unusedToo = rig.host.claims().claim(AllocationId.of("w"), List.of(LifecycleRig.write(created, SINGLE)));
        rig.run();
        assertThat(rig.done(rig.host.claims().status(created)).orElseThrow().waiting())
                .singleElement()
                .satisfies(claim -> assertThat(claim.text()).contains("CreateVolume fails since", "the pool is full"));
    }
}
