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
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeClassCommand.PutVolumeClass;
import io.csi4j.core.internal.command.VolumeClassCommand.RemoveVolumeClass;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Map;
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
                        .build());
        Volume before = volume();
        cluster.ok(put(VolumeClass.builder(FAST, PluginId.of("other")).requestedCapabilities(List.of(BLOCK))));
        cluster.ok(new RemoveVolumeClass(FAST, 0, AT));
        assertThat(volume()).isEqualTo(before);
        assertThat(volume().spec().secrets()).isEqualTo(secrets);
    }

    @Test
    void classIsThatOfTheTimeWhenTheCommandIsApplied() {
        // B43: the class changes between the request and its command.
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
        // B15
        cluster.ok(put(fast().greatestBytes(150)));
        assertThat(fields(create(template().capacityRange(CapacityRange.atLeast(200)))))
                .containsExactly("capacityRange.requiredBytes");
        cluster.ok(put(fast().parameters(Map.of("pool", "right"))));
        cluster.ok(create(template().capacityRange(CapacityRange.atLeast(200))));
        assertThat(volume().spec().parameters()).containsEntry("pool", "right");
    }
}
