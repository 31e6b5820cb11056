package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Problem;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The loss of a node's storage ends the volumes that only the node could reach, and no others. */
class StorageLossTest {
    private static final VolumeClassName LOCAL = VolumeClassName.of("local");
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final Cluster cluster = Cluster.attaching();

    StorageLossTest() {
        node("n1");
        node("n2");
        cluster.ok(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(LOCAL, PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .restore(),
                0,
                AT));
    }

    private static Topology place(String node) {
        return Topology.of("node", node);
    }

    private void node(String name) {
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of(name), AT));
        cluster.fingerprint(
                name,
                cluster.instance(name)
                        .capabilities(Capabilities.unknown()
                                .withServices(
                                        PluginService.CONTROLLER_SERVICE,
                                        PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
                                .withNode()
                                .withController(ControllerCapability.CREATE_DELETE_VOLUME))
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + name), 0, Optional.of(place(name))))
                        .build());
    }

    /** Makes a volume for an allocation, on its node, and places it there. */
    private VolumeKey made(String allocation, String node, boolean ephemeral) {
        VolumeKey key = vol("of-" + allocation);
        VolumeTemplate.Builder template = VolumeTemplate.builder(LOCAL);
        ClaimRequest request =
                ClaimRequest.writing(key, MOUNT).madeFrom((ephemeral ? template.ofAllocation() : template).build());
        cluster.allocation(allocation, node);
        cluster.ok(Cluster.take(allocation, request));
        cluster.ok(new VolumeCommand.RecordProviderFacts(
                key,
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("ext-" + allocation))
                        .accessibleTopology(List.of(place(node)))
                        .build(),
                0,
                AT));
        cluster.ok(Cluster.take(allocation, request));
        return key;
    }

    private void gone(String node) {
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of(node), "burned", AT));
    }

    private static StorageLoss loss(String node) {
        return StorageLoss.of(NodeId.of(node), PLUGIN, place(node));
    }

    private List<VolumeKey> removed(StorageLoss loss) {
        return Cluster.effects(cluster.ok(new NodeCommand.LoseStorage(loss, "burned", AT)), Effect.VolumeRemoved.class)
                .stream()
                .map(Effect.VolumeRemoved::key)
                .toList();
    }

    private Optional<String> kept(StorageLoss loss, VolumeKey key) {
        return StorageLosses.decide(cluster.state, loss).get(key);
    }

    private List<VolumeKey> keys() {
        return cluster.state.volumes(VolumeQuery.all()).items().stream()
                .map(Volume::key)
                .toList();
    }

    @Test
    void volumeOfAnAllocationEndsWithTheStorageOfItsOnlyNode() {
        VolumeKey lost = made("a", "n1", true);
        VolumeKey other = made("b", "n2", true);
        QuotaKey all = QuotaKey.of(lost.namespace());
        assertThat(cluster.state.quotaUse(all).volumes()).isEqualTo(2);
        gone("n1");
        assertThat(cluster.state.quotaUse(all).volumes())
                .as("B74: it counts until it is gone")
                .isEqualTo(2);
        assertThat(removed(loss("n1"))).containsExactly(lost);
        assertThat(cluster.state.quotaUse(all).volumes()).isEqualTo(1);
        assertThat(keys()).containsExactly(other);
        assertThat(removed(loss("n1"))).as("a repetition").isEmpty();
    }

    @Test
    void volumeThatIsBeingDeletedEnds() {
        VolumeKey key = made("a", "n1", false);
        gone("n1");
        cluster.ok(Cluster.checkpoint("of-a", "a", io.csi4j.core.volume.ClaimState.NODE_DETACHED));
        cluster.ok(Cluster.checkpoint("of-a", "a", io.csi4j.core.volume.ClaimState.READY_TO_FREE));
        cluster.ok(Cluster.free("of-a", "a"));
        cluster.ok(new VolumeCommand.SetVolumePhase(key, VolumePhase.DELETING, 0, AT));
        assertThat(removed(loss("n1"))).containsExactly(key);
    }

    @Test
    void volumeThatOutlivesItsWorkloadEndsOnlyIfItIsNamed() {
        VolumeKey key = made("a", "n1", false);
        gone("n1");
        assertThat(removed(loss("n1"))).isEmpty();
        assertThat(kept(loss("n1"), key)).contains("it outlives its workload; name it to end it");
        assertThat(removed(loss("n1").naming(List.of(key)))).containsExactly(key);
    }

    @Test
    void volumeThatAnotherNodeCanReachIsNeverTouched() {
        cluster.ok(new VolumeCommand.RegisterVolume(
                vol("shared"),
                VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(MOUNT)).build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.builder()
                        .accessibleTopology(List.of(place("n1"), place("n2")))
                        .build(),
                AT));
        gone("n1");
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), io.csi4j.core.cluster.NodeStatus.DOWN, "", AT));
        StorageLoss named = loss("n1").naming(List.of(vol("shared")));
        assertThat(removed(named)).isEmpty();
        assertThat(kept(named, vol("shared"))).contains("node n2 can reach it");
        assertThat(keys()).containsExactly(vol("shared"));
    }

    @Test
    void nodeThatMayRunKeepsItsVolumes() {
        VolumeKey key = made("a", "n1", true);
        List<Problem> problems = cluster.refused(
                        Rejection.InvalidRequest.class, new NodeCommand.LoseStorage(loss("n1"), "burned", AT))
                .problems();
        assertThat(problems)
                .singleElement()
                .asString()
                .contains("is n1, which is READY")
                .contains("fence or remove");
        assertThat(keys()).containsExactly(key);
    }

    @Test
    void nodeThatReturnsUnderItsNameReachesItsVolumesAgain() {
        VolumeKey key = made("a", "n1", false);
        gone("n1");
        node("n1");
        cluster.refused(Rejection.InvalidRequest.class, new NodeCommand.LoseStorage(loss("n1"), "burned", AT));
        assertThat(keys()).containsExactly(key);
    }

    @Test
    void sourceOfACreationStays() {
        VolumeKey key = made("a", "n1", true);
        cluster.allocation("copier", "n2");
        cluster.ok(new VolumeCommand.RegisterVolume(
                vol("copy"),
                VolumeSpec.builder(PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .contentSource(VolumeContentSource.volume(ExternalVolumeId.of("ext-a")))
                        .build(),
                VolumeOrigin.CREATED,
                ProviderFacts.none(),
                AT));
        gone("n1");
        assertThat(removed(loss("n1"))).isEmpty();
        assertThat(kept(loss("n1"), key)).contains("another volume is being created from it");
    }

    @Test
    void volumeWithoutAPlaceIsNotAffected() {
        cluster.volume("everywhere", VolumeAccessMode.SINGLE_NODE_WRITER);
        gone("n1");
        assertThat(removed(loss("n1").naming(List.of(vol("everywhere"))))).isEmpty();
        assertThat(cluster.state.allocation(alloc("a"))).isEmpty();
    }
}
