package io.csi4j.core.placement;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a plan stops counts as if it were released. */
class ProposedStopsTest {
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final AllocationId OLD = AllocationId.of("old");

    private final NaiveState state = new NaiveState();

    private Outcome apply(Command command) {
        return state.apply(command);
    }

    private void ok(Command command) {
        Outcome outcome = apply(command);
        assertThat(outcome.accepted()).as("%s", outcome).isTrue();
    }

    /** A node that takes two volumes of the plugin, whose controller attaches. */
    private void node(NodeId node) {
        ok(new NodeCommand.UpsertNode(node, AT));
        InstanceKey key = new InstanceKey(node, PLUGIN, PluginType.MONOLITH, Optional.empty());
        ok(new PluginCommand.FingerprintNode(
                node,
                List.of(PluginInstance.builder(key, AT)
                        .capabilities(Capabilities.unknown()
                                .withServices(PluginService.CONTROLLER_SERVICE)
                                .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                                .withNode())
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), 2, Optional.empty()))
                        .build()),
                AT));
    }

    private void volume(String id, VolumeAccessMode mode) {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(mode)))
                .build();
        ok(new VolumeCommand.RegisterVolume(
                VolumeKey.of("default", id), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), AT));
    }

    private static ClaimRequest write(String id, VolumeAccessMode mode) {
        return ClaimRequest.of(VolumeKey.of("default", id), ClaimMode.WRITE, RequestedCapability.mount(mode));
    }

    private static Command reserve(String id, NodeId node, ClaimRequest... requests) {
        return new ProposedPlacement(AllocationId.of(id), NAMESPACE, node, List.of(requests)).reservation(AT);
    }

    private static final ClaimRequest SINGLE = write("single", SINGLE_NODE_WRITER);
    private static final ClaimRequest SHARED = write("shared", MULTI_NODE_MULTI_WRITER);

    @BeforeEach
    void anAllocationHasBothVolumes() {
        node(N1);
        node(N2);
        volume("single", SINGLE_NODE_WRITER);
        volume("shared", MULTI_NODE_MULTI_WRITER);
        volume("more", SINGLE_NODE_WRITER);
        ok(reserve(OLD.value(), N1, SINGLE, SHARED));
    }

    @Test
    void nodeIsFeasibleWithProposedStopOfWriterButReservationIsRejectedBeforeStop() {
        FeasibleNodes now = FeasibleNodes.in(state);
        assertThat(now.onAll(NAMESPACE, List.of(SINGLE))).noneMatch(NodeAnswer::admitted);
        FeasibleNodes then = now.without(OLD);
        assertThat(then.onAll(NAMESPACE, List.of(SINGLE))).allMatch(NodeAnswer::admitted);
        assertThat(now.onAll(NAMESPACE, List.of(SINGLE)))
                .as("a proposed stop does not change the first object")
                .noneMatch(NodeAnswer::admitted);
        assertThat(apply(reserve("new", N2, SINGLE)).accepted()).isFalse();
    }

    @Test
    void plannedStopOfWriterMakesRoomForOneNewWriterOnly() {
        FeasibleNodes then = FeasibleNodes.in(state)
                .without(OLD)
                .with(new ProposedPlacement(AllocationId.of("new"), NAMESPACE, N2, List.of(SINGLE)));
        assertThat(then.onAll(NAMESPACE, List.of(SINGLE))).noneMatch(NodeAnswer::admitted);
        assertThat(then.without(AllocationId.of("new")).onAll(NAMESPACE, List.of(SINGLE)))
                .as("a proposed placement can be stopped too")
                .allMatch(NodeAnswer::admitted);
    }

    @Test
    void proposedStopFreesCapacityUnlessOtherAllocationsUseVolume() {
        ClaimRequest more = write("more", SINGLE_NODE_WRITER);
        volume("most", SINGLE_NODE_WRITER);
        ClaimRequest max = write("most", SINGLE_NODE_WRITER);
        FeasibleNodes now = FeasibleNodes.in(state);
        assertThat(now.on(NAMESPACE, N1, List.of(more)).admitted())
                .as("node n1 is full")
                .isFalse();
        assertThat(now.without(OLD).on(NAMESPACE, N1, List.of(more, max)).admitted())
                .isTrue();

        ok(reserve("other", N1, SHARED));
        FeasibleNodes then = FeasibleNodes.in(state).without(OLD);
        assertThat(then.on(NAMESPACE, N1, List.of(more)).admitted()).isTrue();
        assertThat(then.on(NAMESPACE, N1, List.of(more, max)).admitted())
                .as("the shared volume stays on the node")
                .isFalse();
    }

    @Test
    void proposedStopOfAllocationWithoutClaimsChangesNothing() {
        FeasibleNodes then = FeasibleNodes.in(state).without(AllocationId.of("stranger"));
        assertThat(then.onAll(NAMESPACE, List.of(SINGLE))).noneMatch(NodeAnswer::admitted);
        assertThat(then.onAll(NAMESPACE, List.of(SHARED))).allMatch(NodeAnswer::admitted);
    }
}
