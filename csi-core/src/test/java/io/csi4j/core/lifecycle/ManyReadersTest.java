package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeResponse;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RemainingWork;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of one volume on many nodes, for a plugin that copes with several calls for it (R26). */
class ManyReadersTest {
    private static final int READERS = 300;

    private final Map<String, CompletableFuture<Object>> inFlight = new TreeMap<>();
    private final Set<String> published = new HashSet<>();

    private CompletableFuture<Object> publish(HandCall call) {
        String node = ((ControllerPublishVolumeRequest) call.request()).nodeId().value();
        CompletableFuture<Object> answer = new CompletableFuture<>();
        assertThat(inFlight.put(node, answer))
                .as("I4: one call at a time per volume and node")
                .isNull();
        assertThat(published.add(node)).as("each node is published once").isTrue();
        return answer;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void publishesOfOneVolumeRunUpToConfiguredLimit(int max) {
        LifecycleRig rig = LifecycleRig.leading();
        rig.calls(CallSettings.builder().callsPerVolume(max).callsInFlight(100));
        rig.log.leftBehind(
                state -> {}); // Invariants over hundreds of claims at each of thousands of steps take minutes.
        List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
        rig.volume(LifecycleRig.VOL);
        for (int i = 0; i < READERS; i++) {
            rig.node("r" + i);
            rig.gateway.plan(Rpc.CONTROLLER_PUBLISH_VOLUME, this::publish);
            rig.allocation("a" + i, "r" + i);
            grants.add(rig.host
                    .claims()
                    .claim(
                            AllocationId.of("a" + i),
                            List.of(ClaimRequest.of(LifecycleRig.VOL, ClaimMode.READ, LifecycleRig.SHARED))));
        }
        rig.clock.run();
        int rounds = 0;
        for (; !inFlight.isEmpty(); rounds++) {
            assertThat(inFlight.size()).isLessThanOrEqualTo(max);
            List<CompletableFuture<Object>> answers = List.copyOf(inFlight.values());
            inFlight.clear();
            answers.forEach(answer -> answer.complete(new ControllerPublishVolumeResponse(PublishContext.empty())));
            rig.clock.run();
        }
        assertThat(rounds).as("each round uses all permits").isEqualTo(READERS / max);
        assertThat(grants).allMatch(CompletableFuture::isDone);
        assertThat(published)
                .hasSize(READERS)
                .contains(ExternalNodeId.of("ext-r" + (READERS - 1)).value());
    }

    private static LifecycleRig twoCallsPerVolume() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.calls(CallSettings.builder().callsPerVolume(2));
        rig.volume(LifecycleRig.VOL);
        rig.allocation("a1", "n1");
        rig.allocation("a2", "n2");
        rig.clock.run();
        return rig;
    }

    /** Stores a claim; the engine has not planned for it yet. */
    private static void take(LifecycleRig rig, String allocation) {
        rig.log
                .submit(new ClaimCommand.TakeClaims(
                        AllocationId.of(allocation),
                        List.of(ClaimRequest.of(LifecycleRig.VOL, ClaimMode.READ, LifecycleRig.SHARED)),
                        rig.now()))
                .join();
    }

    private static List<NodeId> nodesToPublishNow(LifecycleRig rig) {
        var status = rig.host.claims().status(LifecycleRig.VOL);
        rig.run();
        return status.join().orElseThrow().remaining().steps().stream()
                .filter(step -> step.kind() == RemainingWork.Kind.CONTROLLER_PUBLISH)
                .map(step -> step.nodeId().orElseThrow())
                .toList();
    }

    @Test
    void changedLimitCountsForTheNextCallsAndNotForThoseInFlight() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.volume(LifecycleRig.VOL);
        for (int i = 0; i < 3; i++) {
            rig.node("r" + i);
            rig.gateway.plan(Rpc.CONTROLLER_PUBLISH_VOLUME, this::publish);
            rig.allocation("a" + i, "r" + i);
            take(rig, "a" + i);
        }
        rig.run();
        assertThat(inFlight).as("one for each volume, which is the default").hasSize(1);
        rig.calls(CallSettings.builder().callsPerVolume(2));
        rig.run();
        assertThat(inFlight).as("the call in flight began alone").hasSize(1);
        List.copyOf(inFlight.values()).forEach(answer -> {
            inFlight.clear();
            answer.complete(new ControllerPublishVolumeResponse(PublishContext.empty()));
        });
        rig.run();
        assertThat(inFlight).hasSize(2);
    }

    @Test
    void statusShowsCallThatLimitAllowsBesideCallInFlight() {
        LifecycleRig rig = twoCallsPerVolume();
        rig.gateway.hang(Rpc.CONTROLLER_PUBLISH_VOLUME).hang(Rpc.CONTROLLER_PUBLISH_VOLUME);
        take(rig, "a1");
        rig.run();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_PUBLISH_VOLUME)).hasSize(1);
        take(rig, "a2");
        assertThat(nodesToPublishNow(rig)).containsExactly(NodeId.of("n2"));
    }

    @Test
    void statusOfFormerLeaderShowsStepsOfLeader() {
        LifecycleRig rig = twoCallsPerVolume();
        rig.gateway.hang(Rpc.CONTROLLER_PUBLISH_VOLUME);
        take(rig, "a1");
        rig.run();
        rig.host.stopLeading();
        assertThat(nodesToPublishNow(rig)).containsExactly(NodeId.of("n1"));
    }
}
