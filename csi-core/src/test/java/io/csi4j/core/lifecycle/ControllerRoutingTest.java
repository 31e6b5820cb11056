package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.internal.call.ControllerRouting;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ControllerRoutingTest {
    private static final int VOLUMES = 2_000;

    private final VolumeRig rig = new VolumeRig();

    private List<InstanceKey> candidates(String volume) {
        return ControllerRouting.candidates(
                rig.log.snapshot(),
                ControllerTrust.everyNode(),
                VolumeRig.PLUGIN,
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                volume,
                List.of());
    }

    private String first(String volume) {
        return candidates(volume).get(0).nodeId().value();
    }

    private Map<String, String> all() {
        Map<String, String> chosen = new HashMap<>();
        IntStream.range(0, VOLUMES).mapToObj(i -> "default/vol-" + i).forEach(v -> chosen.put(v, first(v)));
        return chosen;
    }

    @Test
    void volumesAreSpreadEvenlyOverControllerInstancesAndKeepTheirInstance() {
        rig.nodes("n1", "n2", "n3", "n4");
        Map<String, String> chosen = all();
        for (String node : List.of("n1", "n2", "n3", "n4")) {
            assertThat(chosen.values().stream().filter(node::equals).count())
                    .as(node)
                    .isBetween(VOLUMES / 4L - 100, VOLUMES / 4L + 100);
        }
        assertThat(all()).isEqualTo(chosen);
    }

    @Test
    void volumesOfUnhealthyInstanceUseOtherInstanceUntilItRecoversAndOthersStay() {
        rig.nodes("n1", "n2", "n3", "n4");
        Map<String, String> before = all();
        rig.fingerprint("n3", false);
        Map<String, String> without = all();
        before.forEach((volume, node) -> {
            if (node.equals("n3")) {
                assertThat(without.get(volume)).isNotEqualTo("n3");
            } else {
                assertThat(without.get(volume)).isEqualTo(node);
            }
        });
        rig.fingerprint("n3", true);
        assertThat(all()).isEqualTo(before);
    }

    @Test
    void volumeMovesToSecondCandidateWhenFirstInstanceIsRemoved() {
        rig.nodes("n1", "n2", "n3");
        for (int i = 0; i < 50; i++) {
            List<InstanceKey> order = candidates("v" + i);
            rig.fingerprint(order.get(0).nodeId().value(), false);
            assertThat(candidates("v" + i)).isEqualTo(order.subList(1, 3));
            rig.fingerprint(order.get(0).nodeId().value(), true);
        }
    }

    @Test
    void candidatesAreHealthyControllersOnReadyNodes() {
        rig.nodes("n1", "n2", "n3", "n4");
        rig.fingerprint("n1", false);
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.DISCONNECTED, "", rig.now()));
        InstanceKey nodeOnly = new InstanceKey(NodeId.of("n4"), VolumeRig.PLUGIN, PluginType.NODE, Optional.empty());
        rig.ok(new PluginCommand.FingerprintNode(
                NodeId.of("n4"),
                List.of(PluginInstance.builder(nodeOnly, rig.now()).build()),
                rig.now()));
        assertThat(candidates("v")).extracting(key -> key.nodeId().value()).containsExactly("n3");
        rig.fingerprint("n3", false);
        assertThatThrownBy(() -> candidates("v"))
                .isInstanceOf(NoControllerException.class)
                .hasMessageContaining("on node n1")
                .hasMessageContaining("is not healthy")
                .hasMessageContaining("the node is DISCONNECTED");
    }

    @Test
    void instanceRestartedInNewAllocationKeepsItsVolumes() {
        rig.nodes("n1", "n2");
        Map<String, String> before = all();
        InstanceKey older = new InstanceKey(
                NodeId.of("n1"), VolumeRig.PLUGIN, PluginType.CONTROLLER, Optional.of(AllocationId.of("old")));
        InstanceKey newer = new InstanceKey(
                NodeId.of("n1"), VolumeRig.PLUGIN, PluginType.CONTROLLER, Optional.of(AllocationId.of("new")));
        rig.ok(new PluginCommand.FingerprintNode(
                NodeId.of("n1"),
                List.of(
                        PluginInstance.builder(older, rig.now()).build(),
                        PluginInstance.builder(newer, rig.now().plusSeconds(9)).build()),
                rig.now()));
        assertThat(all()).isEqualTo(before);
        List<InstanceKey> onOne = candidates("v").stream()
                .filter(key -> key.nodeId().value().equals("n1"))
                .toList();
        assertThat(onOne).containsExactly(newer, older);
    }
}
