package io.csi4j.core.placement;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A scheduler places the instances of a workload one by one, each with the volume of its own index. */
class PerAllocationPlacementTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final RequestedCapability SINGLE = RequestedCapability.mount(SINGLE_NODE_WRITER);
    private static final VolumeRequest EACH = new VolumeRequest("vol", false, SINGLE, MountOptions.none(), true);

    private final NaiveState state = new NaiveState();

    private void ok(Command command) {
        Outcome outcome = state.apply(command);
        assertThat(outcome.accepted()).as("%s", outcome).isTrue();
    }

    private void node(String name, String zone, boolean healthy, long max) {
        ok(new NodeCommand.UpsertNode(NodeId.of(name), AT));
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(NodeId.of(name), PLUGIN, PluginType.NODE, Optional.empty()), AT)
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + name), max, Optional.of(Topology.of("zone", zone))))
                .build();
        ok(new PluginCommand.FingerprintNode(NodeId.of(name), List.of(instance), AT));
        if (!healthy) {
            ok(new PluginCommand.FingerprintNode(
                    NodeId.of(name),
                    List.of(instance.toBuilder().health(false, "down").build()),
                    AT));
        }
    }

    private void controller(boolean healthy) {
        ok(new NodeCommand.UpsertNode(NodeId.of("ctl"), AT));
        ok(new PluginCommand.FingerprintNode(
                NodeId.of("ctl"),
                List.of(PluginInstance.builder(
                                new InstanceKey(NodeId.of("ctl"), PLUGIN, PluginType.CONTROLLER, Optional.empty()), AT)
                        .health(healthy, "")
                        .capabilities(Capabilities.unknown()
                                .withServices(PluginService.CONTROLLER_SERVICE)
                                .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
                        .build()),
                AT));
    }

    private void volume(String namespace, int index, String zone) {
        ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of(namespace, "vol[" + index + "]"),
                VolumeSpec.builder(PLUGIN)
                        .requestedCapabilities(List.of(SINGLE))
                        .externalVolumeId(ExternalVolumeId.of(namespace + index))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.builder()
                        .accessibleTopology(List.of(Topology.of("zone", zone)))
                        .build(),
                AT));
    }

    /** The first node that takes it, as a proposal of one plan; null: none. */
    private static Map<Integer, NodeId> place(FeasibleNodes feasible, Namespace namespace, int count) {
        FeasibleNodes now = feasible;
        Map<Integer, NodeId> placed = new TreeMap<>();
        for (int index = 0; index < count; index++) {
            List<ClaimRequest> requests = List.of(EACH.claimOf(namespace, index));
            Optional<NodeId> node = now.onAll(namespace, requests).stream()
                    .filter(NodeAnswer::admitted)
                    .map(NodeAnswer::nodeId)
                    .findFirst();
            if (node.isPresent()) {
                placed.put(index, node.get());
                now = now.with(new ProposedPlacement(AllocationId.of("a" + index), namespace, node.get(), requests));
            }
        }
        return placed;
    }

    private Outcome take(Namespace namespace, Map<Integer, NodeId> placed) {
        List<Command> all = new ArrayList<>();
        placed.forEach((index, node) -> all.addAll(((Batch) new ProposedPlacement(
                                AllocationId.of("a" + index), namespace, node, List.of(EACH.claimOf(namespace, index)))
                        .reservation(AT))
                .commands()));
        return state.apply(new Batch(all, AT));
    }

    /** Nodes of the wrong zone, and a full one, come first: they end nothing, in whatever namespace. */
    @Test
    void nodeInZoneOfVolumeWithFreeCapacityIsFeasible() {
        for (String namespace : List.of("default", "prod")) {
            controller(true);
            node("n1", "z1", true, 1);
            node("n2", "z2", true, 0);
            node("n3", "z1", true, 0);
            volume(namespace, 0, "z1");
            volume(namespace, 1, "z1");
            volume(namespace, 2, "z2");
        }
        volume("prod", 3, "z9");
        Namespace prod = Namespace.of("prod");
        Map<Integer, NodeId> placed = place(FeasibleNodes.in(state), prod, 4);
        assertThat(placed)
                .containsExactly(
                        Map.entry(0, NodeId.of("n1")), Map.entry(1, NodeId.of("n3")), Map.entry(2, NodeId.of("n2")));
        assertThat(FeasibleNodes.in(state).onAll(prod, List.of(EACH.claimOf(prod, 3))))
                .as("no node is in the zone of the volume")
                .noneMatch(NodeAnswer::admitted);
        assertThat(take(prod, placed).accepted()).as("the claims are accepted").isTrue();
        Map<Integer, NodeId> other = place(FeasibleNodes.in(state), Namespace.of("default"), 3);
        assertThat(other)
                .as("equal ids in another namespace are distinct volumes, and n1 is full")
                .containsExactly(
                        Map.entry(0, NodeId.of("n3")), Map.entry(1, NodeId.of("n3")), Map.entry(2, NodeId.of("n2")));
    }

    @Test
    void nodeIsFeasibleOnlyWithHealthyPluginAndHealthyController() {
        controller(false);
        controller(true);
        ok(new NodeCommand.UpsertNode(NodeId.of("n1"), AT));
        node("n2", "z1", false, 0);
        node("n3", "z1", true, 0);
        volume("default", 0, "z1");
        Namespace namespace = Namespace.of("default");
        assertThat(place(FeasibleNodes.in(state), namespace, 1)).containsExactly(Map.entry(0, NodeId.of("n3")));
        controller(false);
        assertThat(place(FeasibleNodes.in(state), namespace, 1)).isEmpty();
        controller(true);
        assertThat(place(FeasibleNodes.in(state), namespace, 1)).hasSize(1);
    }

    @Test
    void additionalAllocationIsFeasibleAfterItsVolumeIsRegistered() {
        controller(true);
        node("n1", "z1", true, 0);
        for (int i : new int[] {0, 1, 2, 4}) {
            volume("default", i, "z1");
        }
        Namespace namespace = Namespace.of("default");
        assertThat(place(FeasibleNodes.in(state), namespace, 5)).containsOnlyKeys(0, 1, 2, 4);
        List<ClaimRequest> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(EACH.claimOf(namespace, i));
        }
        assertThat(FeasibleNodes.in(state).missing(all)).containsExactly(VolumeKey.of("default", "vol[3]"));
        volume("default", 3, "z1");
        assertThat(FeasibleNodes.in(state).missing(all)).isEmpty();
        assertThat(place(FeasibleNodes.in(state), namespace, 5)).hasSize(5);
    }
}
