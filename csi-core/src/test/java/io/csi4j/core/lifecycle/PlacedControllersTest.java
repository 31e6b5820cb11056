package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A plugin with a controller on each node, which manages the storage of its node only. */
class PlacedControllersTest extends TemplateRig {
    private final List<String> wrong = new ArrayList<>();

    PlacedControllersTest() {
        rig.calls(CallSettings.builder().controllersByPlace(true));
        // As such a plugin does, makes each volume on the node that was called.
        rig.gateway.script = call -> {
            String node = call.node().value();
            if (call.request() instanceof CreateVolumeRequest request) {
                ExternalVolume made = ExternalVolume.builder(ExternalVolumeId.of("made-" + request.name()))
                        .capacityBytes(300)
                        .accessibleTopology(List.of(zone("zone-" + node)))
                        .build();
                rig.provider.volumes.put(request.name(), made);
                call.answer.complete(new CreateVolumeResponse(made));
                return true;
            }
            if (call.request() instanceof GetCapacityRequest request
                    && !request.accessibleTopology().orElseThrow().equals(zone("zone-" + node))) {
                wrong.add("GetCapacity at " + node);
            }
            call.succeed();
            return true;
        };
    }

    private List<String> nodesOf(Rpc rpc) {
        return rig.gateway.calls().stream()
                .filter(call -> call.rpc() == rpc)
                .map(call -> call.node().value())
                .toList();
    }

    private void status(String node, NodeStatus status) {
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of(node), status, "", rig.now()));
        rig.run();
    }

    @Test
    void callsAboutAVolumeGoToTheControllerOfItsPlace() {
        for (int i = 0; i < 20; i++) {
            String node = i % 2 == 0 ? "a" : "b";
            assertThat(claim("x" + i, node, request(VolumeKey.of("default", "v" + i))))
                    .isCompleted();
        }
        assertThat(nodesOf(Rpc.CREATE_VOLUME).stream().filter("a"::equals)).hasSize(10);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(20);
        rig.gateway.plan(
                Rpc.CONTROLLER_EXPAND_VOLUME,
                call -> CompletableFuture.completedFuture(new ControllerExpandVolumeResponse(600, false)));
        rig.done(leader.volumes().expand(VolumeKey.of("default", "v1"), CapacityRange.atLeast(600)));
        assertThat(nodesOf(Rpc.CONTROLLER_EXPAND_VOLUME)).containsExactly("b");
        for (int i = 0; i < 20; i++) {
            ended("x" + i, i % 2 == 0 ? "a" : "b");
            rig.done(leader.volumes().delete(VolumeKey.of("default", "v" + i)));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(nodesOf(Rpc.DELETE_VOLUME).get(i)).isEqualTo(i % 2 == 0 ? "a" : "b");
        }
    }

    @Test
    void capacityIsAskedOfTheControllerOfThePlace() {
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(nodesOf(Rpc.GET_CAPACITY)).contains("a", "b");
        assertThat(wrong).isEmpty();
    }

    @Test
    void callsWaitForTheControllerOfThePlaceAndUseNoOther() {
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        ended("x", "a");
        status("a", NodeStatus.DOWN);
        CompletableFuture<?> deletion = leader.volumes().delete(DATA);
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(nodesOf(Rpc.DELETE_VOLUME)).isEmpty();
        assertThat(volume(DATA).orElseThrow().phase()).isEqualTo(VolumePhase.DELETING);
        status("a", NodeStatus.READY);
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(deletion).isCompleted();
        assertThat(nodesOf(Rpc.DELETE_VOLUME)).containsExactly("a");
        nothingLeaks();
    }

    @Test
    void failedCallIsNotSentToTheControllerOfAnotherPlace() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(claim).isCompleted();
        assertThat(nodesOf(Rpc.CREATE_VOLUME)).containsExactly("a", "a");
        nothingLeaks();
    }

    @Test
    void otherPluginsUseAllTheirControllers() {
        rig.ok(new PluginProfileCommand.RemovePluginProfile(VolumeRig.PLUGIN, 0, rig.now()));
        leader = rig.engine();
        rig.gateway.answer();
        for (int i = 0; i < 20; i++) {
            var unused = claim("x" + i, "a", request(VolumeKey.of("default", "v" + i)));
        }
        assertThat(nodesOf(Rpc.CREATE_VOLUME)).contains("a", "b");
    }
}
