package io.csi4j.core.placement;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.apply.RandomCommands;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class FeasibleNodesTest {
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final PluginId PLUGIN = PluginId.of("p");

    private final NaiveState state = new NaiveState();

    private void ok(Command command) {
        Outcome outcome = state.apply(command);
        assertThat(outcome.accepted()).as("%s", outcome).isTrue();
    }

    private void node(String name, long max, String zone) {
        ok(new NodeCommand.UpsertNode(NodeId.of(name), AT));
        InstanceKey key = new InstanceKey(NodeId.of(name), PLUGIN, PluginType.NODE, Optional.empty());
        ok(new PluginCommand.FingerprintNode(
                NodeId.of(name),
                List.of(PluginInstance.builder(key, AT)
                        .capabilities(Capabilities.unknown().withServices().withNode())
                        .nodeInfo(new NodeInfo(
                                ExternalNodeId.of("ext-" + name), max, Optional.of(Topology.of("zone", zone))))
                        .build()),
                AT));
    }

    private void volume(String id, VolumeAccessMode mode, Topology... topology) {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(mode)))
                .build();
        ProviderFacts facts =
                ProviderFacts.builder().accessibleTopology(List.of(topology)).build();
        ok(new VolumeCommand.RegisterVolume(VolumeKey.of("default", id), spec, VolumeOrigin.REGISTERED, facts, AT));
    }

    private static ClaimRequest write(String id, VolumeAccessMode mode) {
        return ClaimRequest.of(VolumeKey.of("default", id), ClaimMode.WRITE, RequestedCapability.mount(mode));
    }

    private static Command reserve(String id, NodeId node, List<ClaimRequest> requests) {
        return new ProposedPlacement(AllocationId.of(id), NAMESPACE, node, requests).reservation(AT);
    }

    private static ProposedPlacement proposal(String id, String node, ClaimRequest... requests) {
        return new ProposedPlacement(AllocationId.of(id), NAMESPACE, NodeId.of(node), List.of(requests));
    }

    @Test
    void answerForEachNodeContainsReasonForEachRefusedVolume() {
        node("n1", 0, "z1");
        node("n2", 0, "z2");
        ok(new NodeCommand.UpsertNode(NodeId.of("n3"), AT));
        volume("near", SINGLE_NODE_WRITER, Topology.of("zone", "z1"));
        volume("any", MULTI_NODE_MULTI_WRITER);
        List<ClaimRequest> both = List.of(write("any", MULTI_NODE_MULTI_WRITER), write("near", SINGLE_NODE_WRITER));
        List<NodeAnswer> answers = FeasibleNodes.in(state).onAll(NAMESPACE, both);
        assertThat(answers).extracting(NodeAnswer::admitted).containsExactly(true, false, false);
        assertThat(answers).extracting(NodeAnswer::never).containsExactly(false, true, false);
        AdmissionDecision far = answers.get(1).refusals().get(VolumeKey.of("default", "near"));
        assertThat(((AdmissionDecision.Never) far).reason()).isEqualTo(NeverReason.OUT_OF_REACH);
        assertThat(answers.get(2).refusals()).hasSize(2);

        // Somebody holds it: waits are named with their holders.
        ok(reserve("a", NodeId.of("n1"), List.of(write("near", SINGLE_NODE_WRITER))));
        NodeAnswer taken = FeasibleNodes.in(state).on(NAMESPACE, NodeId.of("n1"), both);
        AdmissionDecision.Wait wait = (AdmissionDecision.Wait) taken.refusals().get(VolumeKey.of("default", "near"));
        assertThat(wait.reason()).isEqualTo(WaitReason.WRITER_OR_CLAIM_TAKEN);
        assertThat(wait.holders()).hasSize(1);
    }

    @Test
    void nodeNeedsOnlyPluginsOfRequestedVolumes() {
        node("n1", 0, "z1");
        NodeId other = NodeId.of("n2");
        ok(new NodeCommand.UpsertNode(other, AT));
        ok(new PluginCommand.FingerprintNode(
                other,
                List.of(PluginInstance.builder(
                                new InstanceKey(other, PluginId.of("q"), PluginType.NODE, Optional.empty()), AT)
                        .capabilities(Capabilities.unknown().withServices())
                        .build()),
                AT));
        volume("v", SINGLE_NODE_WRITER);
        List<NodeAnswer> answers = FeasibleNodes.in(state).onAll(NAMESPACE, List.of(write("v", SINGLE_NODE_WRITER)));
        assertThat(answers).extracting(NodeAnswer::admitted).containsExactly(true, false);
        AdmissionDecision no = answers.get(1).refusals().get(VolumeKey.of("default", "v"));
        assertThat(((AdmissionDecision.Wait) no).reason()).isEqualTo(WaitReason.NO_HEALTHY_NODE_PLUGIN);
        assertThat(FeasibleNodes.in(state).onAll(NAMESPACE, List.of()))
                .extracting(NodeAnswer::admitted)
                .containsExactly(true, true);
    }

    @Test
    void proposedPlacementsAreTreatedAsClaims() {
        node("n1", 0, "z1");
        node("n2", 0, "z1");
        volume("v", SINGLE_NODE_WRITER);
        List<ClaimRequest> request = List.of(write("v", SINGLE_NODE_WRITER));
        FeasibleNodes first = FeasibleNodes.in(state);
        assertThat(first.onAll(NAMESPACE, request)).allMatch(NodeAnswer::admitted);
        FeasibleNodes second = first.with(proposal("a", "n1", write("v", SINGLE_NODE_WRITER)));
        assertThat(second.onAll(NAMESPACE, request)).noneMatch(NodeAnswer::admitted);
        assertThat(first.onAll(NAMESPACE, request))
                .as("a proposal does not change the first object")
                .allMatch(NodeAnswer::admitted);
        assertThat(state.volume(VolumeKey.of("default", "v")).orElseThrow().inUse())
                .isFalse();
    }

    @Test
    void nodeLimitCountsCurrentAndProposedVolumes() {
        node("n1", 3, "z1");
        for (int i = 0; i < 5; i++) {
            volume("vol[" + i + "]", SINGLE_NODE_WRITER);
        }
        VolumeRequest each = new VolumeRequest(
                "vol", false, RequestedCapability.mount(SINGLE_NODE_WRITER), MountOptions.none(), true);
        Namespace namespace = NAMESPACE;
        ok(reserve("a0", NodeId.of("n1"), List.of(each.claimOf(namespace, 0))));
        FeasibleNodes feasible = FeasibleNodes.in(state).with(proposal("a1", "n1", each.claimOf(namespace, 1)));
        NodeId n1 = NodeId.of("n1");
        assertThat(feasible.on(NAMESPACE, n1, List.of(each.claimOf(namespace, 2)))
                        .admitted())
                .isTrue();
        assertThat(feasible.on(NAMESPACE, n1, List.of(each.claimOf(namespace, 2), each.claimOf(namespace, 3)))
                        .admitted())
                .as("all volumes of the request count")
                .isFalse();
        FeasibleNodes full = feasible.with(proposal("a2", "n1", each.claimOf(namespace, 2)));
        AdmissionDecision no = full.on(NAMESPACE, n1, List.of(each.claimOf(namespace, 3)))
                .refusals()
                .get(VolumeKey.of("default", "vol[3]"));
        assertThat(((AdmissionDecision.Wait) no).reason()).isEqualTo(WaitReason.NODE_FULL);
    }

    @Test
    void noNodeIsFeasibleIfVolumeIsMissing() {
        node("n1", 0, "z1");
        volume("vol[0]", SINGLE_NODE_WRITER);
        VolumeRequest each = new VolumeRequest(
                "vol", false, RequestedCapability.mount(SINGLE_NODE_WRITER), MountOptions.none(), true);
        List<ClaimRequest> claims = List.of(each.claimOf(NAMESPACE, 3), write("vol[0]", SINGLE_NODE_WRITER));
        NodeAnswer answer = FeasibleNodes.in(state).on(NAMESPACE, NodeId.of("n1"), claims);
        assertThat(answer.admitted()).isFalse();
        assertThat(answer.missing()).containsExactly(VolumeKey.of("default", "vol[3]"));
        assertThat(answer.refusals()).isEmpty();
        volume("vol[3]", SINGLE_NODE_WRITER);
        assertThat(FeasibleNodes.in(state)
                        .on(NAMESPACE, NodeId.of("n1"), claims)
                        .admitted())
                .isTrue();
    }

    @Test
    void placementThatTransactionWouldRejectChangesNoAnswer() {
        node("n1", 0, "z1");
        volume("v", SINGLE_NODE_WRITER);
        volume("w", SINGLE_NODE_WRITER);
        ClaimRequest v = write("v", SINGLE_NODE_WRITER);
        ClaimRequest otherwise =
                ClaimRequest.of(v.volume(), ClaimMode.READ, RequestedCapability.block(SINGLE_NODE_WRITER));
        ClaimRequest unknown = write("unknown", SINGLE_NODE_WRITER);
        FeasibleNodes now = FeasibleNodes.in(state);
        for (FeasibleNodes next : List.of(
                now.with(proposal("a", "n1", v, otherwise)),
                now.with(proposal("a", "n1", v, unknown)),
                now.with(proposal("a", "n9", v)))) {
            assertThat(next.onAll(NAMESPACE, List.of(v))).allMatch(NodeAnswer::admitted);
        }
        FeasibleNodes held = now.with(proposal("a", "n1", v));
        assertThat(held.with(proposal("b", "n1", write("w", SINGLE_NODE_WRITER), v))
                        .onAll(NAMESPACE, List.of(write("w", SINGLE_NODE_WRITER))))
                .as("the first claim of a rejected placement is not taken")
                .allMatch(NodeAnswer::admitted);
    }

    @Test
    void proposedReaderAttachesVolumeReadonlyUnlessItIsAttachedForWriter() {
        attachingNode("n1");
        attachingNode("n2");
        volume("v", MULTI_NODE_SINGLE_WRITER);
        ClaimRequest writer = write("v", MULTI_NODE_SINGLE_WRITER);
        ClaimRequest reader = ClaimRequest.of(writer.volume(), ClaimMode.READ, writer.capability());
        FeasibleNodes read = FeasibleNodes.in(state).with(proposal("r", "n1", reader));
        assertThat(read.onAll(NAMESPACE, List.of(writer)))
                .extracting(NodeAnswer::admitted)
                .containsExactly(false, true);
        AdmissionDecision no =
                read.on(NAMESPACE, NodeId.of("n1"), List.of(writer)).refusals().get(writer.volume());
        assertThat(((AdmissionDecision.Wait) no).reason()).isEqualTo(WaitReason.ATTACHED_READONLY);

        FeasibleNodes afterWriter = FeasibleNodes.in(state)
                .with(proposal("w", "n1", writer))
                .with(proposal("r", "n1", reader))
                .without(AllocationId.of("w"));
        assertThat(afterWriter.onAll(NAMESPACE, List.of(writer))).allMatch(NodeAnswer::admitted);
    }

    private void attachingNode(String name) {
        NodeId nodeId = NodeId.of(name);
        ok(new NodeCommand.UpsertNode(nodeId, AT));
        Capabilities capabilities = Capabilities.unknown()
                .withServices(PluginService.CONTROLLER_SERVICE)
                .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, ControllerCapability.PUBLISH_READONLY)
                .withNode();
        ok(new PluginCommand.FingerprintNode(
                nodeId,
                List.of(PluginInstance.builder(
                                new InstanceKey(nodeId, PLUGIN, PluginType.MONOLITH, Optional.empty()), AT)
                        .capabilities(capabilities)
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + name), 0, Optional.empty()))
                        .build()),
                AT));
    }

    @Test
    void rejectedReservationStoresNeitherAllocationNorClaims() {
        node("n1", 0, "z1");
        volume("v", SINGLE_NODE_WRITER);
        List<ClaimRequest> request = List.of(write("v", SINGLE_NODE_WRITER));
        ok(reserve("a", NodeId.of("n1"), request));
        Outcome second = state.apply(reserve("b", NodeId.of("n1"), request));
        assertThat(second.accepted()).isFalse();
        assertThat(state.allocation(AllocationId.of("b"))).isEmpty();
        assertThat(state.allocation(AllocationId.of("a"))).isPresent();
    }

    /** I12: whatever the state, the proposals and the requests, the check says what the transaction does. */
    @Test
    void feasibilityCheckEqualsDecisionOfReservationInRandomStates() {
        long seed = Long.getLong("csi4j.seed", 1);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        int admitted = 0;
        int asked = 0;
        int crossed = 0;
        for (int world = 0; world < 20; world++) {
            RandomCommands commands = new RandomCommands(random);
            NaiveState now = new NaiveState();
            for (int i = 0; i < 400; i++) {
                now.apply(commands.next(now));
                if (i < 60 || i % 4 != 0) {
                    continue;
                }
                NaiveState transaction = now.copy();
                FeasibleNodes check = FeasibleNodes.in(now);
                for (int p = 0; p < random.nextInt(4); p++) {
                    ProposedPlacement proposed = new ProposedPlacement(
                            AllocationId.of("new" + p), namespace(random), node(now, random), requests(now, random));
                    check = check.with(proposed);
                    transaction.apply(proposed.reservation(AT));
                }
                NodeId node = node(now, random);
                List<ClaimRequest> requests = requests(now, random);
                Namespace namespace = namespace(random);
                NodeAnswer answer = check.on(namespace, node, requests);
                Outcome outcome = transaction.apply(
                        new ProposedPlacement(AllocationId.of("new9"), namespace, node, requests).reservation(AT));
                crossed += answer.admitted() && !namespace.equals(NAMESPACE) ? 1 : 0;
                assertThat(answer.admitted())
                        .as("seed %d: %s and %s", seed, answer, outcome)
                        .isEqualTo(outcome.accepted());
                asked++;
                admitted += answer.admitted() ? 1 : 0;
            }
        }
        assertThat(asked).isGreaterThan(1000);
        assertThat(admitted).as("seed %d: both answers occur", seed).isBetween(20, asked - 20);
        assertThat(crossed).as("seed %d: shared volumes are admitted", seed).isPositive();
    }

    private static Namespace namespace(RandomGenerator random) {
        return random.nextInt(4) == 0 ? RandomCommands.SHARED_WITH : NAMESPACE;
    }

    @Test
    void volumeOfOtherNamespaceMakesNodesInfeasible() {
        node("n1", 0, "z1");
        volume("v", SINGLE_NODE_WRITER);
        Namespace other = Namespace.of("team-b");
        List<ClaimRequest> request = List.of(write("v", SINGLE_NODE_WRITER));
        NodeAnswer answer = FeasibleNodes.in(state).on(other, NodeId.of("n1"), request);
        assertThat(answer.never()).isTrue();
        AdmissionDecision decision = answer.refusals().get(VolumeKey.of("default", "v"));
        assertThat(((AdmissionDecision.Never) decision).reason()).isEqualTo(NeverReason.OTHER_NAMESPACE);
        Outcome reserved = state.apply(
                new ProposedPlacement(AllocationId.of("a"), other, NodeId.of("n1"), request).reservation(AT));
        assertThat(reserved.accepted()).isFalse();
        assertThat(reserved.toString()).contains(decision.toString());
        assertThat(FeasibleNodes.in(state)
                        .on(NAMESPACE, NodeId.of("n1"), request)
                        .admitted())
                .isTrue();
    }

    private static NodeId node(NaiveState state, RandomGenerator random) {
        List<NodeId> nodes = new ArrayList<>();
        state.nodes().forEach(node -> nodes.add(node.id()));
        return nodes.isEmpty() ? NodeId.of("nowhere") : nodes.get(random.nextInt(nodes.size()));
    }

    private static List<ClaimRequest> requests(NaiveState state, RandomGenerator random) {
        List<Volume> volumes = state.volumes(VolumeQuery.all()).items();
        Map<VolumeKey, ClaimRequest> requests = new LinkedHashMap<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            if (volumes.isEmpty() || random.nextInt(30) == 0) {
                requests.put(VolumeKey.of("default", "missing"), write("missing", SINGLE_NODE_WRITER));
                continue;
            }
            Volume volume = volumes.get(random.nextInt(volumes.size()));
            List<RequestedCapability> offered = volume.spec().requestedCapabilities();
            RequestedCapability capability = volume.currentCapability()
                    .filter(current -> random.nextInt(4) > 0)
                    .orElse(offered.get(random.nextInt(offered.size())));
            ClaimMode mode = random.nextBoolean() ? ClaimMode.READ : ClaimMode.WRITE;
            requests.put(volume.key(), ClaimRequest.of(volume.key(), mode, capability));
        }
        return List.copyOf(requests.values());
    }
}
