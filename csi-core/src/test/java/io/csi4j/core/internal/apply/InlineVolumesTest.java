package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.take;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Problem;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands about inline volumes: made with their claim, and gone with it. */
class InlineVolumesTest {
    private static final VolumeClassName CERTIFICATES = VolumeClassName.of("certificates");
    private static final VolumeClassName DISKS = VolumeClassName.of("disks");
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability BLOCK = RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final PluginId DISK_PLUGIN = PluginId.of("disk");

    private final Cluster cluster = Cluster.withoutController();

    InlineVolumesTest() {
        cluster.nodes("n1", "n2");
        put(inline());
    }

    private static VolumeClass.Builder inline() {
        return VolumeClass.builder(CERTIFICATES, PLUGIN)
                .kind(VolumeKind.INLINE)
                .requestedCapabilities(List.of(MOUNT))
                .parameters(Map.of("issuer", "internal"))
                .attributeKeys(List.of("subject", "days"));
    }

    private void put(VolumeClass.Builder row) {
        cluster.ok(new VolumeClassCommand.PutVolumeClass(row.restore(), 0, AT));
    }

    /** Adds a plugin with a controller, on node n1, and a class of its volumes. */
    private void diskPlugin(NodeCapability... onNode) {
        cluster.fingerprint(
                "n1",
                cluster.instance("n1").build(),
                cluster.instance(new InstanceKey(NodeId.of("n1"), DISK_PLUGIN, PluginType.MONOLITH, Optional.empty()))
                        .provider("disk.example.com")
                        .capabilities(Capabilities.unknown()
                                .withServices(PluginService.CONTROLLER_SERVICE)
                                .withNode(onNode)
                                .withController(
                                        ControllerCapability.CREATE_DELETE_VOLUME,
                                        ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("disk-n1"), 0, Optional.empty()))
                        .build());
        put(VolumeClass.builder(DISKS, DISK_PLUGIN).requestedCapabilities(List.of(MOUNT)));
    }

    private static VolumeTemplate.Builder template() {
        return VolumeTemplate.builder(CERTIFICATES).ofAllocation().attributes(Map.of("subject", "web"));
    }

    private static ClaimRequest request(String id, VolumeTemplate.Builder template) {
        return ClaimRequest.writing(vol(id), MOUNT).madeFrom(template.build());
    }

    private static ClaimRequest request() {
        return request("cert", template());
    }

    private static ClaimRequest disk() {
        return ClaimRequest.writing(vol("disk"), MOUNT)
                .madeFrom(VolumeTemplate.builder(DISKS).ofAllocation().build());
    }

    private Outcome.Accepted claim(String allocation, ClaimRequest... requests) {
        cluster.allocation(allocation, "n1");
        return cluster.ok(take(allocation, requests));
    }

    private List<String> problems(ClaimRequest... requests) {
        cluster.allocation("w", "n1");
        return cluster.refused(Rejection.InvalidRequest.class, take("w", requests)).problems().stream()
                .map(Problem::toString)
                .toList();
    }

    private List<Volume> volumes() {
        return cluster.state.volumes(VolumeQuery.all()).items();
    }

    private void free(String id, String allocation) {
        cluster.ok(Cluster.checkpoint(id, allocation, ClaimState.NODE_DETACHED));
        cluster.ok(Cluster.checkpoint(id, allocation, ClaimState.READY_TO_FREE));
        cluster.ok(Cluster.free(id, allocation));
    }

    private void ended(String allocation) {
        cluster.ok(Cluster.status(allocation, "n1", AllocationStatus.ENDED));
    }

    @Test
    void claimMakesItsVolumeAndIsTakenByTheSameCommand() {
        claim("w", request());
        Volume volume = cluster.get("cert");
        assertThat(volume.origin()).isEqualTo(VolumeOrigin.INLINE);
        assertThat(volume.phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(volume.claims().get(alloc("w")).orElseThrow().state()).isEqualTo(ClaimState.TAKEN);
        assertThat(volume.attachments()).isEmpty();
        assertThat(volume.firstClaim()).isEmpty();
        assertThat(volume.volumeContext()).isEqualTo(VolumeContext.of(Map.of("issuer", "internal", "subject", "web")));
        assertThat(volume.unsettled()).as("nothing is left to do").isFalse();
    }

    @Test
    void idIsStoredAndStaysTheSameInEachRepetition() {
        claim("w", request());
        String id = cluster.get("cert").remoteId().value();
        assertThat(id).matches("csi-[0-9a-f]{32}");
        claim("w", request());
        assertThat(cluster.get("cert").remoteId().value()).isEqualTo(id);
        assertThat(cluster.state.volumeByExternalId(PLUGIN, ExternalVolumeId.of(id)))
                .contains(vol("cert"));
        claim("other", request("cert-2", template()));
        assertThat(cluster.get("cert-2").remoteId().value()).isNotEqualTo(id);
    }

    @Test
    void idOfALaterVolumeWithTheSameKeyIsAnotherOne() {
        claim("w", request());
        String id = cluster.get("cert").remoteId().value();
        cluster.ok(new ClaimCommand.WithdrawClaims(alloc("w"), AT));
        free("cert", "w");
        claim("w", request());
        assertThat(cluster.get("cert").remoteId().value()).isNotEqualTo(id);
    }

    @Test
    void volumeContextHasEphemeralIfItsClassHasIt() {
        put(inline().ephemeral(true));
        claim("w", request());
        assertThat(cluster.get("cert").volumeContext().asMap())
                .containsEntry("csi.storage.k8s.io/ephemeral", "true")
                .containsEntry("subject", "web");
    }

    @Test
    void volumeGoesWhenItsClaimIsFreed() {
        claim("w", request());
        ended("w");
        assertThat(cluster.get("cert").phase()).as("its node may use it").isEqualTo(VolumePhase.AVAILABLE);
        free("cert", "w");
        assertThat(volumes()).isEmpty();
        cluster.refused(Rejection.VolumeNotFound.class, Cluster.free("cert", "w"));
    }

    @Test
    void volumeGoesWithAClaimThatIsWithdrawnWhileTheAllocationRuns() {
        claim("w", request());
        cluster.ok(new ClaimCommand.WithdrawClaims(alloc("w"), AT));
        free("cert", "w");
        assertThat(volumes()).isEmpty();
    }

    @Test
    void volumeGoesWhenItsNodeIsLost() {
        claim("w", request());
        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n1"), "power off", AT));
        assertThat(cluster.get("cert").claims().get(alloc("w")).orElseThrow().state())
                .isEqualTo(ClaimState.UNPUBLISHING);
        free("cert", "w");
        assertThat(volumes()).isEmpty();
    }

    @Test
    void volumeIsMadeTogetherWithAnotherOneThatHasToBeCreated() {
        diskPlugin(NodeCapability.STAGE_UNSTAGE_VOLUME);
        claim("w", request(), disk());
        assertThat(cluster.get("cert").claims())
                .as("no claim is taken before all are there")
                .isEmpty();
        assertThat(cluster.get("disk").phase()).isEqualTo(VolumePhase.CREATING);
        ended("w");
        assertThat(volumes()).as("nothing was made, so nothing is owed").isEmpty();
    }

    @Test
    void refusedVolumeTakesTheInlineOnesOfItsClaimAlong() {
        diskPlugin(NodeCapability.STAGE_UNSTAGE_VOLUME);
        claim("w", request(), disk());
        cluster.ok(
                new VolumeCommand.DiscardUnused(vol("disk"), cluster.get("disk").createIndex(), Optional.empty(), AT));
        assertThat(volumes()).isEmpty();
    }

    @Test
    void refusalOfAnotherVolumeMakesNone() {
        cluster.allocation("w", "n1");
        cluster.refused(
                Rejection.VolumeNotFound.class, take("w", request(), ClaimRequest.writing(vol("missing"), MOUNT)));
        assertThat(volumes()).isEmpty();
    }

    @Test
    void unusedVolumeIsRemovedWithoutADeletion() {
        diskPlugin(NodeCapability.STAGE_UNSTAGE_VOLUME);
        claim("w", request(), disk());
        cluster.ok(new VolumeCommand.SetVolumePhase(vol("cert"), VolumePhase.DELETING, 0, AT));
        assertThat(cluster.state.volume(vol("cert"))).isEmpty();
    }

    @Test
    void otherAllocationCannotClaimIt() {
        claim("w", request());
        cluster.allocation("other", "n1");
        assertThat(never("other", ClaimRequest.writing(vol("cert"), MOUNT))).isEqualTo(NeverReason.OWNED_BY_ALLOCATION);
        assertThat(never("other", request())).isEqualTo(NeverReason.OWNED_BY_ALLOCATION);
    }

    private NeverReason never(String allocation, ClaimRequest... requests) {
        return ((AdmissionDecision.Never) cluster.refused(Rejection.NotAdmitted.class, take(allocation, requests))
                        .decision())
                .reason();
    }

    @Test
    void otherAttributesAreADifference() {
        claim("w", request());
        assertThat(never("w", request("cert", template().attributes(Map.of("subject", "db")))))
                .isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        assertThat(never("w", request("cert", template().attributes(Map.of()))))
                .isEqualTo(NeverReason.TEMPLATE_DIFFERS);
    }

    @Test
    void existingVolumeIsNotUsed() {
        cluster.volume("cert", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.allocation("w", "n1");
        assertThat(never("w", request())).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
    }

    @Test
    void changeOfItsClassChangesNoVolume() {
        claim("w", request());
        put(inline().parameters(Map.of("issuer", "other")).ephemeral(true));
        claim("w", request());
        assertThat(cluster.get("cert").volumeContext().asMap())
                .isEqualTo(Map.of("issuer", "internal", "subject", "web"));
    }

    @Test
    void allProblemsOfATemplateAreInOneMessageWithTheirRemedies() {
        VolumeTemplate.Builder wrong = VolumeTemplate.builder(CERTIFICATES)
                .ofWorkload(WorkloadOwner.of("job", 1))
                .capacityRange(CapacityRange.atLeast(5))
                .contentSource(VolumeContentSource.snapshot(SnapshotId.of("s")))
                .reuseRetained(true)
                .keepUnused(true)
                .nodeTopologyOnly(true)
                .attributes(Map.of("server", "10.0.0.1", "csi.storage.k8s.io/ephemeral", "false"));
        assertThat(problems(request("cert", wrong)))
                .satisfiesExactlyInAnyOrder(
                        problem -> assertThat(problem)
                                .contains("capacityRange is given, and class certificates is of kind INLINE")
                                .contains("use a class of kind CREATED with the lifetime ALLOCATION"),
                        problem ->
                                assertThat(problem).contains("contentSource").contains("the plugin makes the content"),
                        problem -> assertThat(problem)
                                .contains("lifetime is WORKLOAD")
                                .contains("use the lifetime ALLOCATION"),
                        problem -> assertThat(problem).contains("workload is given"),
                        problem -> assertThat(problem).contains("reuseRetained"),
                        problem -> assertThat(problem).contains("keepUnused"),
                        problem -> assertThat(problem).contains("nodeTopologyOnly"),
                        problem -> assertThat(problem)
                                .contains("attributes has keys that begin with csi.storage.k8s.io/: 1"),
                        problem -> assertThat(problem)
                                .contains("attributes have the keys [server], which class certificates does not allow")
                                .contains("use [days, subject]")
                                .doesNotContain("10.0.0.1"));
        assertThat(volumes()).isEmpty();
    }

    @Test
    void fixedAttributeCannotBeGiven() {
        assertThat(problems(request("cert", template().attributes(Map.of("issuer", "mine")))))
                .singleElement()
                .asString()
                .contains("have the keys [issuer]");
    }

    @Test
    void attributesAreForInlineClassesOnly() {
        diskPlugin(NodeCapability.STAGE_UNSTAGE_VOLUME);
        assertThat(problems(request("disk", VolumeTemplate.builder(DISKS).attributes(Map.of("subject", "web")))))
                .singleElement()
                .asString()
                .contains("attributes are given, and class disks is of kind CREATED");
    }

    @Test
    void allProblemsOfAClassAreInOneMessage() {
        VolumeClass wrong = inline().requestedCapabilities(List.of(MOUNT, BLOCK))
                .defaultCapacity(CapacityRange.atLeast(1))
                .leastBytes(1)
                .greatestBytes(9)
                .mutableParameters(Map.of("a", "b"))
                .allowedTopologies(List.of(Cluster.ZONE))
                .reclaim(ReclaimPolicy.RETAIN)
                .capacityCheck(CapacityCheck.REQUIRED)
                .attributeKeys(List.of("issuer", "csi.storage.k8s.io/pod.name", ""))
                .restore();
        assertThat(wrong.problems().stream().map(Problem::field))
                .containsExactly(
                        "defaultCapacity",
                        "leastBytes",
                        "greatestBytes",
                        "mutableParameters",
                        "allowedTopologies",
                        "reclaim",
                        "capacityCheck",
                        "requestedCapabilities[1]",
                        "attributeKeys",
                        "attributeKeys",
                        "attributeKeys");
        assertThat(inline().kind(VolumeKind.CREATED).ephemeral(true).restore().problems().stream()
                        .map(Problem::field))
                .containsExactly("attributeKeys", "ephemeral");
    }

    @Test
    void classOfAKindThatItsPluginCannotHaveIsRefused() {
        diskPlugin(NodeCapability.STAGE_UNSTAGE_VOLUME);
        VolumeClass.Builder disks =
                VolumeClass.builder(DISKS, DISK_PLUGIN).kind(VolumeKind.INLINE).requestedCapabilities(List.of(MOUNT));
        assertThat(kindProblem(disks)).contains("plugin disk creates volumes").contains("or set ephemeral");
        assertThat(kindProblem(VolumeClass.builder(CERTIFICATES, PLUGIN).requestedCapabilities(List.of(MOUNT))))
                .contains("plugin p has no controller")
                .contains("kind INLINE");
    }

    private String kindProblem(VolumeClass.Builder row) {
        List<Problem> problems = cluster.refused(
                        Rejection.InvalidRequest.class, new VolumeClassCommand.PutVolumeClass(row.restore(), 0, AT))
                .problems();
        assertThat(problems).hasSize(1);
        return problems.get(0).toString();
    }

    @Test
    void claimIsRefusedIfThePluginTurnsOutToCreateVolumes() {
        put(VolumeClass.builder(DISKS, DISK_PLUGIN).kind(VolumeKind.INLINE).requestedCapabilities(List.of(MOUNT)));
        cluster.allocation("w", "n1");
        VolumeTemplate.Builder disks = VolumeTemplate.builder(DISKS).ofAllocation();
        AdmissionDecision unknown = cluster.refused(Rejection.NotAdmitted.class, take("w", request("d", disks)))
                .decision();
        assertThat(((AdmissionDecision.Wait) unknown).reason())
                .isIn(WaitReason.PLUGIN_NOT_KNOWN, WaitReason.NO_HEALTHY_NODE_PLUGIN);
        VolumeClass inlineDisks = cluster.state.volumeClass(DISKS).orElseThrow();
        diskPlugin(NodeCapability.STAGE_UNSTAGE_VOLUME);
        put(inlineDisks.toBuilder().ephemeral(true));
        claim("w", request("d", disks));
        assertThat(cluster.get("d").attachments())
                .as("the controller of a plugin with both kinds")
                .isEmpty();
    }

    @Test
    void volumeIsNotMadeWithoutItsClaim() {
        List<Problem> problems = cluster.refused(
                        Rejection.InvalidRequest.class,
                        new VolumeCommand.CreateFromClass(
                                vol("cert"),
                                VolumeTemplate.builder(CERTIFICATES)
                                        .ofAllocation()
                                        .build(),
                                AT))
                .problems();
        assertThat(problems).singleElement().asString().contains("whose volumes only claims make");
    }

    @ParameterizedTest
    @ValueSource(strings = {"register", "update", "expand", "modify"})
    void volumeCannotBeChanged(String change) {
        claim("w", request());
        Volume before = cluster.get("cert");
        List<Problem> problems = cluster.refused(
                        Rejection.InvalidRequest.class,
                        switch (change) {
                            case "register" -> Cluster.register("cert", before.spec());
                            case "update" -> new VolumeCommand.UpdateVolume(vol("cert"), before.spec(), 0, AT);
                            case "expand" ->
                                new ChangeCommand.BeginExpansion(vol("cert"), CapacityRange.atLeast(5), AT);
                            default -> new ChangeCommand.BeginModification(vol("cert"), Map.of("a", "b"), AT);
                        })
                .problems();
        assertThat(problems).singleElement().asString().contains("names an inline volume");
        assertThat(cluster.get("cert")).isEqualTo(before);
    }

    @Test
    void quotaCountsItAsAVolumeWithoutBytes() {
        cluster.ok(new QuotaCommand.PutQuota(
                new VolumeQuota(QuotaKey.of(vol("x").namespace()), OptionalLong.of(1), OptionalLong.of(100), 0, 0),
                0,
                AT));
        claim("w", request());
        assertThat(cluster.state.quotaUse(QuotaKey.of(vol("x").namespace())).volumes())
                .isEqualTo(1);
        cluster.allocation("v", "n1");
        cluster.refused(Rejection.QuotaExceeded.class, take("v", request("cert-2", template())));
    }

    /** The claim would make the inline volume first, so it needs to know all that it waits for besides the creation. */
    @Test
    void answerForANodeNamesWhatTheClaimWaitsForBesidesACreation() {
        diskPlugin();
        ClaimRequest disk = ClaimRequest.writing(vol("disk"), MOUNT)
                .madeFrom(VolumeTemplate.builder(DISKS).build());
        claim("a", disk);
        assertThat(decision(disk, request()))
                .isEqualTo(refusal(disk, request()))
                .matches(wait -> wait.reason() == WaitReason.VOLUME_NOT_READY);
        cluster.fingerprint("n1", cluster.instance("n1").build());
        assertThat(decision(disk, request()))
                .isEqualTo(refusal(disk, request()))
                .matches(wait -> wait.reason() == WaitReason.NO_HEALTHY_NODE_PLUGIN);
        assertThat(decision(disk))
                .isEqualTo(refusal(disk))
                .matches(wait -> wait.reason() == WaitReason.VOLUME_NOT_READY);
    }

    private AdmissionDecision.Wait decision(ClaimRequest... requests) {
        cluster.allocation("b", "n1");
        return (AdmissionDecision.Wait) cluster.refused(Rejection.NotAdmitted.class, take("b", requests))
                .decision();
    }

    private AdmissionDecision refusal(ClaimRequest... requests) {
        return FeasibleNodes.in(cluster.state)
                .on(Namespace.of("default"), NodeId.of("n1"), List.of(requests))
                .refusals()
                .get(vol("disk"));
    }
}
