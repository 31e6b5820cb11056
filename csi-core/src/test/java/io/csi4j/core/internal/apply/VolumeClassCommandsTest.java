package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Problem;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeClassCommand.PutVolumeClass;
import io.csi4j.core.internal.command.VolumeClassCommand.RemoveVolumeClass;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VolumeClassCommandsTest {
    private static final VolumeClassName FAST = VolumeClassName.of("fast");
    private static final VolumeKey KEY = Cluster.vol("data");
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability BLOCK = RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final Cluster cluster = Cluster.attaching();

    VolumeClassCommandsTest() {
        plugin(
                new PluginService[] {PluginService.CONTROLLER_SERVICE, PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS},
                ControllerCapability.CREATE_DELETE_VOLUME,
                ControllerCapability.MODIFY_VOLUME);
    }

    private void plugin(PluginService[] services, ControllerCapability... controller) {
        cluster.nodes("n1");
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .capabilities(Capabilities.unknown()
                                .withServices(services)
                                .withNode()
                                .withController(controller))
                        .build());
    }

    private static VolumeClass.Builder fast() {
        return VolumeClass.builder(FAST, Cluster.PLUGIN)
                .requestedCapabilities(List.of(MOUNT, BLOCK))
                .parameters(Map.of("pool", "ssd"))
                .leastBytes(100)
                .greatestBytes(900);
    }

    private static PutVolumeClass put(VolumeClass.Builder row) {
        return new PutVolumeClass(row.restore(), 0, AT);
    }

    private static VolumeTemplate.Builder template() {
        return VolumeTemplate.builder(FAST);
    }

    private static VolumeCommand.CreateFromClass create(VolumeTemplate.Builder template) {
        return new VolumeCommand.CreateFromClass(KEY, template.build(), AT);
    }

    private VolumeClass row() {
        return cluster.state.volumeClass(FAST).orElseThrow();
    }

    private Volume volume() {
        return cluster.state.volume(KEY).orElseThrow();
    }

    private Rejection rejected(Command command) {
        Outcome outcome = cluster.state.apply(command);
        assertThat(outcome.accepted()).as("%s", outcome).isFalse();
        return ((Outcome.Rejected) outcome).reason();
    }

    private List<String> fields(Command command) {
        Rejection reason = rejected(command);
        List<Problem> problems = reason instanceof Rejection.ConflictingFields conflicts
                ? conflicts.problems()
                : ((Rejection.InvalidRequest) reason).problems();
        return problems.stream().map(Problem::field).toList();
    }

    @Test
    void replacedClassKeepsItsIncarnationAndRemovedOneDoesNot() {
        cluster.ok(put(fast()));
        long first = cluster.state.index();
        assertThat(row()).isEqualTo(fast().build().stored(first, first));
        cluster.ok(put(fast().leastBytes(1)));
        long second = cluster.state.index();
        assertThat(row()).isEqualTo(fast().leastBytes(1).build().stored(first, second));
        cluster.unchanged(put(fast().leastBytes(1)));
        assertThat(row().modifyIndex()).isEqualTo(second);
        cluster.ok(new RemoveVolumeClass(FAST, 0, AT));
        assertThat(cluster.state.volumeClasses()).isEmpty();
        cluster.unchanged(new RemoveVolumeClass(FAST, 0, AT));
        cluster.ok(put(fast()));
        assertThat(row().createIndex()).isEqualTo(cluster.state.index()).isGreaterThan(second);
    }

    @Test
    void delayedRemovalDoesNotRemoveAnotherIncarnation() {
        cluster.ok(put(fast()));
        long first = row().createIndex();
        cluster.ok(new RemoveVolumeClass(FAST, first, AT));
        cluster.ok(put(fast()));
        cluster.unchanged(new RemoveVolumeClass(FAST, first, AT));
        cluster.ok(new RemoveVolumeClass(FAST, row().createIndex(), AT));
        assertThat(cluster.state.volumeClasses()).isEmpty();
    }

    @Test
    void putOfAnOldVersionIsRejected() {
        assertThat(rejected(new PutVolumeClass(fast().build(), 7, AT)))
                .isEqualTo(new Rejection.VolumeClassChanged(FAST, 7, 0));
        cluster.ok(put(fast()));
        long first = row().modifyIndex();
        cluster.ok(new PutVolumeClass(fast().leastBytes(1).build(), first, AT));
        Rejection reason = rejected(new PutVolumeClass(fast().leastBytes(2).build(), first, AT));
        assertThat(reason).isEqualTo(new Rejection.VolumeClassChanged(FAST, first, row().modifyIndex()));
        assertThat(reason.message())
                .contains("volume class fast was changed at index " + row().modifyIndex(), "read the class again");
        // The values that are stored already: the answer of the first put may have been lost.
        cluster.unchanged(new PutVolumeClass(fast().leastBytes(1).build(), first, AT));
    }

    @Test
    void classWithProblemsIsNotStored() {
        assertThat(fields(put(fast().requestedCapabilities(List.of())
                        .parameters(Map.of("csi.storage.k8s.io/pvc/name", "x"))
                        .greatestBytes(1))))
                .containsExactly("requestedCapabilities", "parameters", "greatestBytes");
        assertThat(cluster.state.volumeClasses()).isEmpty();
    }

    @Test
    void topologiesAreRefusedForAPluginThatIsKnownNotToTakeThem() {
        VolumeClass.Builder placed = fast().allowedTopologies(List.of(Topology.of("zone", "z1")));
        cluster.ok(put(placed));
        plugin(new PluginService[] {PluginService.CONTROLLER_SERVICE}, ControllerCapability.CREATE_DELETE_VOLUME);
        assertThat(fields(put(placed.leastBytes(1)))).containsExactly("allowedTopologies");
        // The class was put before the plugin changed, so the volume is refused.
        assertThat(fields(create(template()))).containsExactly("pluginId");
        cluster.ok(put(VolumeClass.builder(VolumeClassName.of("later"), PluginId.of("unknown"))
                .requestedCapabilities(List.of(MOUNT))
                .allowedTopologies(List.of(Topology.of("zone", "z1")))));
    }

    @Test
    void volumeCopiesTheClassAndRemembersIt() {
        Secrets secrets = Secrets.of(Map.of("password", "hunter2"));
        cluster.ok(put(fast().secrets(secrets).reclaim(ReclaimPolicy.RETAIN)));
        cluster.ok(put(fast().secrets(secrets).reclaim(ReclaimPolicy.RETAIN).leastBytes(200)));
        VolumeClass made = row();
        cluster.ok(create(template().capacityRange(CapacityRange.atLeast(300))));
        assertThat(volume().phase()).isEqualTo(VolumePhase.CREATING);
        assertThat(volume().origin()).isEqualTo(VolumeOrigin.CREATED);
        assertThat(volume().classOrigin())
                .contains(new ClassOrigin(FAST, made.createIndex(), made.modifyIndex(), ReclaimPolicy.RETAIN));
        assertThat(made.modifyIndex()).isGreaterThan(made.createIndex());
        assertThat(volume().spec())
                .isEqualTo(made
                        .spec(template()
                                .capacityRange(CapacityRange.atLeast(300))
                                .build())
                        .toBuilder()
                        .name(volume().name())
                        .accessibilityRequirements(
                                new TopologyRequirement(List.of(Cluster.ZONE), List.of(Cluster.ZONE)))
                        .build());
        Volume before = volume();
        cluster.ok(put(VolumeClass.builder(FAST, PluginId.of("other")).requestedCapabilities(List.of(BLOCK))));
        cluster.ok(new RemoveVolumeClass(FAST, 0, AT));
        assertThat(volume()).isEqualTo(before);
        assertThat(volume().spec().secrets()).isEqualTo(secrets);
    }

    private void zones(int count) {
        for (int i = 1; i <= count; i++) {
            cluster.ok(new NodeCommand.UpsertNode(NodeId.of("z" + i), AT));
            cluster.fingerprint(
                    "z" + i,
                    cluster.instance("z" + i)
                            .capabilities(Capabilities.unknown()
                                    .withServices(
                                            PluginService.CONTROLLER_SERVICE,
                                            PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
                                    .withNode()
                                    .withController(ControllerCapability.CREATE_DELETE_VOLUME))
                            .nodeInfo(new NodeInfo(
                                    ExternalNodeId.of("ext-z" + i), 0, Optional.of(Topology.of("zone", "z" + i))))
                            .build());
        }
    }

    private TopologyRequirement placed(VolumeKey key) {
        cluster.ok(new VolumeCommand.CreateFromClass(key, template().build(), AT));
        return cluster.state
                .volume(key)
                .orElseThrow()
                .spec()
                .accessibilityRequirements()
                .orElseThrow();
    }

    /** Volumes that are created without a claim are spread, whatever their names are. */
    @Test
    void placesOfVolumesThatAreCreatedWithoutAClaimAreSpread() {
        zones(3);
        cluster.ok(put(fast()));
        List<Topology> zones = Stream.of("z1", "z2", "z3")
                .map(zone -> Topology.of("zone", zone))
                .toList();
        Map<Topology, Integer> preferred = new HashMap<>();
        for (int namespace = 0; namespace < 100; namespace++) {
            for (String id : List.of("data", "logs", "tmp")) {
                TopologyRequirement places = placed(VolumeKey.of("team-" + namespace, id));
                assertThat(places.requisite())
                        .containsExactlyInAnyOrderElementsOf(zones)
                        .startsWith(places.preferred().get(0));
                preferred.merge(places.preferred().get(0), 1, Integer::sum);
            }
        }
        assertThat(preferred.values())
                .hasSize(3)
                .allSatisfy(count -> assertThat(count).isBetween(85, 115));
        List<Topology> numbered = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            numbered.addAll(placed(VolumeKey.of("default", "d[" + i + "]")).preferred());
        }
        assertThat(numbered).containsExactlyInAnyOrderElementsOf(zones);
        TopologyRequirement first = placed(KEY);
        cluster.unchanged(create(template()));
        assertThat(volume().spec().accessibilityRequirements()).contains(first);
        cluster.ok(new VolumeCommand.RecordProviderFacts(
                KEY,
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of("made"))
                        .capacityBytes(300)
                        .build(),
                AT));
        assertThat(volume().spec().accessibilityRequirements())
                .as("no more than the place is kept")
                .contains(new TopologyRequirement(first.preferred(), first.preferred()));
    }

    @Test
    void placeIsAmongThoseOfTheClassAndIsLeftToTheProviderIfAClaimWouldChooseIt() {
        zones(3);
        List<Topology> allowed = List.of(Topology.of("zone", "z2"), Topology.of("zone", "z9"));
        cluster.ok(put(fast().allowedTopologies(allowed)));
        Topology z2 = Topology.of("zone", "z2");
        assertThat(placed(VolumeKey.of("default", "one"))).isEqualTo(new TopologyRequirement(List.of(z2), List.of(z2)));
        cluster.ok(put(fast().allowedTopologies(allowed).binding(VolumeBinding.AT_PLACEMENT)));
        assertThat(placed(VolumeKey.of("default", "two"))).isEqualTo(new TopologyRequirement(allowed, List.of()));
        cluster.ok(put(fast().binding(VolumeBinding.AT_PLACEMENT)));
        cluster.ok(create(template()));
        assertThat(volume().spec().accessibilityRequirements()).isEmpty();
        cluster.ok(put(fast().allowedTopologies(List.of(Topology.of("zone", "z9")))));
        assertThat(placed(VolumeKey.of("default", "three")))
                .as("no node has said that it is there")
                .isEqualTo(new TopologyRequirement(List.of(Topology.of("zone", "z9")), List.of()));
    }

    @Test
    void classIsThatOfTheTimeWhenTheCommandIsApplied() {
        // The class changes between the request and its command.
        VolumeCommand.CreateFromClass queued = create(template());
        cluster.ok(put(fast()));
        cluster.ok(put(fast().parameters(Map.of("pool", "hdd"))));
        cluster.ok(queued);
        assertThat(volume().spec().parameters()).containsEntry("pool", "hdd");
        assertThat(volume().spec().capacityRange()).contains(new CapacityRange(100, 900));
    }

    @Test
    void repeatedCreationIsTheSameVolumeWhateverBecameOfTheClass() {
        cluster.ok(put(fast()));
        VolumeCommand.CreateFromClass first = create(template().capacityRange(CapacityRange.atLeast(300)));
        cluster.ok(first);
        cluster.unchanged(first);
        cluster.unchanged(create(template()));
        cluster.ok(put(fast().leastBytes(400).namespaces(List.of(Namespace.of("other")))));
        cluster.unchanged(first);
        cluster.ok(new RemoveVolumeClass(FAST, 0, AT));
        cluster.unchanged(first);
        cluster.ok(put(fast()));
        cluster.unchanged(first);
    }

    @Test
    void otherClassSizeOrCapabilityIsRejectedWithItsName() {
        cluster.ok(put(fast()));
        cluster.ok(create(template().capacityRange(CapacityRange.atLeast(300)).requestedCapabilities(List.of(MOUNT))));
        VolumeTemplate.Builder other = VolumeTemplate.builder(VolumeClassName.of("slow"))
                .capacityRange(CapacityRange.atLeast(301))
                .requestedCapabilities(List.of(BLOCK));
        assertThat(fields(create(other))).containsExactly("className", "requestedCapabilities", "capacityRange");
        assertThat(rejected(create(other)).message())
                .contains("className is slow, but the volume was made from class fast");
        // As for a volume without a class: a size that the volume has is no other size.
        cluster.ok(new VolumeCommand.RecordProviderFacts(
                KEY,
                ProviderFacts.builder()
                        .externalVolumeId(io.csi4j.core.csi.ExternalVolumeId.of("e1"))
                        .capacityBytes(400)
                        .build(),
                AT));
        cluster.unchanged(create(template().capacityRange(CapacityRange.atLeast(350))));
        assertThat(fields(create(template().capacityRange(CapacityRange.atLeast(401)))))
                .containsExactly("capacityRange");
    }

    @Test
    void volumeWithoutClassIsNoVolumeOfTheClass() {
        cluster.ok(put(fast()));
        cluster.ok(new VolumeCommand.RegisterVolume(
                KEY, fast().build().spec(template().build()), VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        assertThat(rejected(create(template())).message())
                .contains("className is fast, but the volume was made without a class");
    }

    @Test
    void allProblemsOfACreationAreInOneRejection() {
        plugin(new PluginService[] {PluginService.CONTROLLER_SERVICE}, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        cluster.ok(put(fast()));
        RequestedCapability shared = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        assertThat(fields(create(
                        template().capacityRange(new CapacityRange(99, 901)).requestedCapabilities(List.of(shared)))))
                .containsExactly(
                        "capacityRange.requiredBytes",
                        "capacityRange.limitBytes",
                        "requestedCapabilities[0]",
                        "pluginId");
        assertThat(cluster.state.volume(KEY)).isEmpty();
    }

    @Test
    void classOfAnotherNamespaceIsRefusedAsAMissingOne() {
        String missing = rejected(create(template())).message();
        cluster.ok(put(fast().namespaces(List.of(Namespace.of("other")))));
        assertThat(rejected(create(template())).message()).isEqualTo(missing).doesNotContain("other");
        cluster.ok(put(fast().namespaces(List.of(Namespace.of("other"), KEY.namespace()))));
        cluster.ok(create(template()));
    }

    @Test
    void refusedCreationLeavesNothingSoACorrectedClassIsUsed() {
        cluster.ok(put(fast().greatestBytes(150)));
        assertThat(fields(create(template().capacityRange(CapacityRange.atLeast(200)))))
                .containsExactly("capacityRange.requiredBytes");
        cluster.ok(put(fast().parameters(Map.of("pool", "right"))));
        cluster.ok(create(template().capacityRange(CapacityRange.atLeast(200))));
        assertThat(volume().spec().parameters()).containsEntry("pool", "right");
    }
}
