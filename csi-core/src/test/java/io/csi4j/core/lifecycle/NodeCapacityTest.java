package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.claim.CapacityWaiters;
import io.csi4j.core.lifecycle.internal.claim.NodeCapacity;
import io.csi4j.core.lifecycle.internal.reconcile.NodeInfoQuery;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A plugin refuses a volume as if the node were full: how much room there is, is asked anew (X6). */
class NodeCapacityTest {
    private static final VolumeAccessMode WRITER = VolumeAccessMode.SINGLE_NODE_WRITER;
    private static final Duration SPACING = LifecycleOptions.ofDefaults().nodeInfoSpacing();

    private final ClaimRig rig = ClaimRig.with("n1", "n2");

    /** What the node's agent sends once the plugin has told another limit. */
    private void limit(String node, long max) {
        rig.fingerprint(rig.instance(node, PluginType.NODE)
                .capabilities(known -> known.withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), max, Optional.empty()))
                .build());
        rig.run();
    }

    private CompletableFuture<ClaimGrant> claim(String volume, String node) {
        rig.volume(volume, WRITER);
        return rig.claim("a-" + volume, node, ClaimRig.write(volume, WRITER));
    }

    private CompletableFuture<ClaimGrant> refused(String volume, String node) {
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        return claim(volume, node);
    }

    private List<NodeId> asked() {
        return rig.gateway.calls().stream()
                .filter(call -> call.rpc() == Rpc.NODE_GET_INFO)
                .map(HandCall::node)
                .toList();
    }

    private void pass(Duration time) {
        rig.clock.advance(time);
        rig.run();
    }

    @Test
    void volumeLimitIsQueriedOnceAfterFullNodeRefusesVolume() {
        CompletableFuture<ClaimGrant> grant = refused("v1", "n1");
        assertThat(asked()).containsExactly(NodeId.of("n1"));
        assertThat(rig.gateway.requests(Rpc.NODE_GET_INFO)).containsExactly(ClaimRig.PLUGIN);
        assertThat(rig.later(grant).volumes())
                .as("the refused claim is retried")
                .hasSize(1);
        assertThat(asked()).as("no query without a new refusal").hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"INTERNAL", "UNAVAILABLE", "NOT_FOUND", "FAILED_PRECONDITION", "DEADLINE_EXCEEDED"})
    void otherRefusalsDoNotAskForVolumeLimit(StatusCode code) {
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, code);
        var unused = claim("v1", "n1");
        assertThat(asked()).isEmpty();
    }

    @Test
    void refusalsByFullNodeCauseAtMostOneVolumeLimitQueryPerInterval() {
        rig.gateway.hang(Rpc.NODE_GET_INFO);
        for (int i = 0; i < 20; i++) {
            var unused = refused("v" + i, "n1");
        }
        assertThat(asked()).as("no second query while one is in flight").hasSize(1);
        pass(LifecycleOptions.ofDefaults().callTimeout());
        assertThat(asked()).as("no new query right after a query timed out").hasSize(1);
        pass(SPACING);
        assertThat(asked()).as("one query for all refusals since then").hasSize(2);
        pass(SPACING.multipliedBy(20));
        assertThat(asked()).hasSize(2);
    }

    @Test
    void volumeLimitIsQueriedForEachNodeIndependently() {
        var unused = refused("v1", "n1");
        var unusedToo = refused("v2", "n2");
        assertThat(asked()).containsExactlyInAnyOrder(NodeId.of("n1"), NodeId.of("n2"));
    }

    @Test
    void limitQueryWithLostResponseIsRepeatedOnlyAfterNextRefusal() {
        rig.gateway.fail(Rpc.NODE_GET_INFO, StatusCode.UNAVAILABLE);
        var unused = refused("v1", "n1");
        assertThat(asked()).hasSize(1);
        pass(SPACING.multipliedBy(3));
        assertThat(asked()).as("no query without a new refusal").hasSize(1);
        var unusedToo = refused("v2", "n1");
        assertThat(asked()).hasSize(2);
    }

    @Test
    void volumeLimitQueryUnsupportedByAgentCausesNoError() {
        rig.gateway.fail(Rpc.NODE_GET_INFO, StatusCode.UNIMPLEMENTED);
        CompletableFuture<ClaimGrant> grant = refused("v1", "n1");
        assertThat(rig.later(grant).volumes()).hasSize(1);
        assertThat(asked()).hasSize(1);
    }

    @Test
    void volumeLimitOfGoneNodeIsNotQueried() {
        rig.gateway.plan(Rpc.CONTROLLER_PUBLISH_VOLUME, call -> {
            rig.status("n1", NodeStatus.GONE);
            return CompletableFuture.failedFuture(
                    HandGateway.failure(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED));
        });
        var unused = claim("v1", "n1");
        assertThat(asked()).isEmpty();
        pass(SPACING.multipliedBy(3));
        assertThat(asked()).isEmpty();
    }

    @Test
    void formerLeaderDoesNotQueryVolumeLimit() {
        var unused = refused("v1", "n1");
        var unusedToo = refused("v2", "n1");
        rig.engine.stop();
        pass(SPACING.multipliedBy(3));
        assertThat(asked()).hasSize(1);
    }

    @Test
    void newLeadershipSendsNoVolumeLimitQueryWhileEarlierQueryIsInFlight() {
        rig.gateway.hang(Rpc.NODE_GET_INFO);
        var unused = refused("v1", "n1");
        rig.engine.stop();
        rig.engine.start();
        rig.run();
        var unusedToo = refused("v2", "n1");
        assertThat(asked()).hasSize(1);
        pass(LifecycleOptions.ofDefaults().callTimeout().plus(SPACING));
        assertThat(asked()).hasSize(2);
    }

    @Test
    void finishedVolumeLimitQueryIsForgottenAfterInterval() {
        CapacityWaiters volumes = new CapacityWaiters(key -> {});
        NodeCapacity full =
                new NodeCapacity(rig.operations, new NodeInfoQuery(rig.operations)::refresh, () -> true, volumes);
        for (int i = 0; i < 100; i++) {
            full.refused(
                    new PluginOnNode(ClaimRig.PLUGIN, NodeId.of("n" + i)),
                    ClaimRig.key("v" + i),
                    HandGateway.failure(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED));
        }
        assertThat(full.size()).isEqualTo(100);
        assertThat(volumes.size()).isEqualTo(100);
        pass(SPACING);
        assertThat(full.size()).isZero();
        assertThat(volumes.size()).as("volumes without a publish are forgotten").isZero();
    }

    @Test
    void followerDoesNotKeepVolumeLimitQueries() {
        CapacityWaiters volumes = new CapacityWaiters(key -> {});
        boolean[] leads = {true};
        NodeCapacity full =
                new NodeCapacity(rig.operations, new NodeInfoQuery(rig.operations)::refresh, () -> leads[0], volumes);
        CsiCallException failure = HandGateway.failure(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        PluginOnNode location = new PluginOnNode(ClaimRig.PLUGIN, NodeId.of("n1"));
        int before = rig.clock.timers();
        full.refused(location, ClaimRig.key("v1"), failure);
        rig.run();
        assertThat(rig.clock.timers()).isEqualTo(before + 1);
        leads[0] = false;
        full.stop();
        full.refused(location, ClaimRig.key("v2"), failure);
        rig.run();
        assertThat(full.size()).isZero();
        assertThat(volumes.size()).isZero();
        assertThat(rig.clock.timers()).isEqualTo(before);
    }

    /** Refused so often that its next attempt is minutes away. */
    private CompletableFuture<ClaimGrant> refusedForLong(String volume) {
        for (int i = 0; i < 8; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        }
        CompletableFuture<ClaimGrant> grant = claim(volume, "n1");
        while (attempts(volume) < 8) {
            pass(Duration.ofSeconds(10));
        }
        return grant;
    }

    private int attempts(String volume) {
        return rig.get(volume)
                .attachments()
                .on(NodeId.of("n1"))
                .orElseThrow()
                .retry()
                .attempts();
    }

    @Test
    void refusedVolumeIsRetriedWhenAnotherVolumeIsDetached() {
        rig.volume("v1", WRITER).use("a-v1", "n1", ClaimRig.write("v1", WRITER));
        rig.volume("v2", WRITER).use("a-v2", "n2", ClaimRig.write("v2", WRITER));
        CompletableFuture<ClaimGrant> grant = refusedForLong("v3");
        rig.ended("a-v2", "n2");
        assertThat(grant).as("a detach from another node does not help").isNotDone();
        rig.ended("a-v1", "n1");
        assertThat(grant).isCompleted();
    }

    @Test
    void refusedVolumeIsRetriedWhenLimitGrows() {
        limit("n1", 5);
        CompletableFuture<ClaimGrant> grant = refusedForLong("v1");
        limit("n1", 4);
        assertThat(grant).isNotDone();
        limit("n1", 5);
        assertThat(grant).isCompleted();
    }

    @Test
    void longestWaitingVolumesAreRetriedUpToFreeCapacity() {
        List<String> tried = new ArrayList<>();
        CapacityWaiters volumes =
                new CapacityWaiters(key -> tried.add(key.volumeId().value()));
        PluginOnNode location = new PluginOnNode(ClaimRig.PLUGIN, NodeId.of("n1"));
        limit("n1", 10);
        rig.gateway.failAll(StatusCode.RESOURCE_EXHAUSTED);
        for (String volume : List.of("v1", "v2", "v3", "v4", "v5", "v6")) {
            var unused = claim(volume, "n1");
            volumes.refused(rig.operations.state(), location, ClaimRig.key(volume));
        }
        volumes.detached(rig.operations.state(), new PluginOnNode(ClaimRig.PLUGIN, NodeId.of("n2")));
        assertThat(tried).isEmpty();
        volumes.detached(rig.operations.state(), location);
        assertThat(tried).containsExactly("v1");
        limit("n1", 12);
        volumes.recheck(rig.operations.state());
        assertThat(tried).containsExactly("v1", "v2", "v3");
        rig.ended("a-v4", "n1");
        volumes.refused(rig.operations.state(), location, ClaimRig.key("v1"));
        volumes.detached(rig.operations.state(), location);
        assertThat(tried).as("the volume of the ended allocation is skipped").containsExactly("v1", "v2", "v3", "v5");
        limit("n1", 0);
        volumes.recheck(rig.operations.state());
        volumes.recheck(rig.operations.state());
        assertThat(tried).as("without a limit all are retried").containsExactly("v1", "v2", "v3", "v5", "v6", "v1");
        assertThat(volumes.size()).isZero();
    }

    @Test
    void claimWaitingForCapacityResumesWhenLimitGrows() {
        limit("n1", 1);
        assertThat(claim("v1", "n1")).isCompleted();
        CompletableFuture<ClaimGrant> waiting = claim("v2", "n1");
        assertThat(waitsFor("v2")).isEqualTo(WaitReason.NODE_FULL);
        limit("n1", 2);
        assertThat(waiting).isCompleted();
    }

    @Test
    void claimsAboveLoweredLimitWaitUntilCapacityIsFree() {
        limit("n1", 3);
        rig.volume("v1", WRITER).use("a-v1", "n1", ClaimRig.write("v1", WRITER));
        rig.gateway.answer(Rpc.NODE_GET_INFO, request -> {
            limit("n1", 1);
            return request;
        });
        CompletableFuture<ClaimGrant> second = refused("v2", "n1");
        assertThat(asked()).hasSize(1);
        CompletableFuture<ClaimGrant> third = claim("v3", "n1");
        assertThat(waitsFor("v3")).isEqualTo(WaitReason.NODE_FULL);
        assertThat(rig.gateway.rpcs()).as("the limit is queried only once").containsOnlyOnce(Rpc.NODE_GET_INFO);

        rig.ended("a-v1", "n1");
        assertThat(second).as("the admitted claim gets the free capacity").isCompleted();
        assertThat(third).isNotDone();
        rig.ended("a-v2", "n1");
        assertThat(third).isCompleted();
    }

    private WaitReason waitsFor(String volume) {
        return rig.engine.status(Caller.ENGINE, ClaimRig.key(volume)).orElseThrow().waiting().stream()
                .filter(one -> one.allocationId().equals(AllocationId.of("a-" + volume)))
                .findFirst()
                .flatMap(WaitingClaim::reason)
                .orElseThrow()
                .reason();
    }
}
