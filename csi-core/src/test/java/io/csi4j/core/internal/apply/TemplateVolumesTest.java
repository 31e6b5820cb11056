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
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.OwnerCommand;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands about volumes that claims make from templates. */
class TemplateVolumesTest {
    private static final VolumeClassName FAST = VolumeClassName.of("fast");
    private static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability BLOCK = RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final RefusedCreation.Reason FULL = new RefusedCreation.Reason(Optional.empty(), "full");

    private Cluster cluster = Cluster.attaching();
    private boolean topologies = true;

    TemplateVolumesTest() {
        node("n1", "z1");
        node("n2", "z2");
        put(fast());
    }

    private static Topology zone(String zone) {
        return Topology.of(Map.of("zone", zone, "rack", zone + "-r"));
    }

    private void node(String name, String zone) {
        node(name, zone == null ? Optional.empty() : Optional.of(zone(zone)), 0, true);
    }

    private void node(String name, Optional<Topology> topology, long most, boolean healthy) {
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of(name), AT));
        List<PluginService> services = new ArrayList<>(List.of(PluginService.CONTROLLER_SERVICE));
        if (topologies) {
            services.add(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS);
        }
        cluster.fingerprint(
                name,
                cluster.instance(name)
                        .health(healthy, healthy ? "" : "does not answer")
                        .capabilities(Capabilities.unknown()
                                .withServices(CapabilitySet.of(PluginService.class, services))
                                .withNode(NodeCapability.STAGE_UNSTAGE_VOLUME)
                                .withController(ControllerCapability.CREATE_DELETE_VOLUME))
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + name), most, topology))
                        .build());
    }

    private static VolumeClass.Builder fast() {
        return VolumeClass.builder(FAST, PLUGIN)
                .requestedCapabilities(List.of(MOUNT, BLOCK, SHARED))
                .defaultCapacity(CapacityRange.atLeast(300))
                .leastBytes(100)
                .greatestBytes(900)
                .parameters(Map.of("pool", "ssd"))
                .reclaim(ReclaimPolicy.RETAIN);
    }

    private void put(VolumeClass.Builder row) {
        cluster.ok(new VolumeClassCommand.PutVolumeClass(row.restore(), 0, AT));
    }

    private static VolumeTemplate.Builder template() {
        return VolumeTemplate.builder(FAST);
    }

    private static ClaimRequest request(String id, VolumeTemplate.Builder template) {
        return ClaimRequest.writing(vol(id), MOUNT).madeFrom(template.build());
    }

    private static ClaimRequest request(String id) {
        return request(id, template());
    }

    private static ClaimRequest ownRequest(String id) {
        return request(id, template().ofAllocation());
    }

    private Outcome.Accepted make(String allocation, String node, ClaimRequest... requests) {
        cluster.allocation(allocation, node);
        return cluster.ok(take(allocation, requests));
    }

    private AdmissionDecision decision(String allocation, String node, ClaimRequest... requests) {
        cluster.allocation(allocation, node);
        return cluster.refused(Rejection.NotAdmitted.class, take(allocation, requests))
                .decision();
    }

    private NeverReason never(String allocation, String node, ClaimRequest... requests) {
        return ((AdmissionDecision.Never) decision(allocation, node, requests)).reason();
    }

    private WaitReason waits(String allocation, String node, ClaimRequest... requests) {
        return ((AdmissionDecision.Wait) decision(allocation, node, requests)).reason();
    }

    private List<String> fields(String allocation, String node, ClaimRequest... requests) {
        cluster.allocation(allocation, node);
        return cluster.refused(Rejection.InvalidRequest.class, take(allocation, requests)).problems().stream()
                .map(Problem::field)
                .toList();
    }

    private Volume get(String id) {
        return cluster.get(id);
    }

    private Optional<Volume> find(String id) {
        return cluster.state.volume(vol(id));
    }

    private List<String> ids() {
        return cluster.state.volumes(VolumeQuery.all()).items().stream()
                .map(volume -> volume.key().volumeId().value())
                .toList();
    }

    private void begin(String id) {
        Volume volume = get(id);
        cluster.ok(new CallCommand.BeginCall(
                volume.key(), new CallTarget.OfVolume(volume.createIndex(), volume.phase()), AT));
    }

    private Outcome.Accepted made(String id, Topology... topology) {
        return cluster.ok(answer(get(id), "made-" + id, topology));
    }

    private static VolumeCommand.RecordProviderFacts answer(Volume volume, String externalId, Topology... topology) {
        return new VolumeCommand.RecordProviderFacts(
                volume.key(),
                ProviderFacts.builder()
                        .externalVolumeId(ExternalVolumeId.of(externalId))
                        .capacityBytes(300)
                        .accessibleTopology(List.of(topology))
                        .build(),
                volume.createIndex(),
                AT);
    }

    private static VolumeCommand.DiscardUnused discard(Volume volume) {
        return new VolumeCommand.DiscardUnused(volume.key(), volume.createIndex(), Optional.empty(), AT);
    }

    private static String givenUp(Volume volume) {
        return volume.key().volumeId().value() + "~" + volume.createIndex();
    }

    private static List<Class<?>> kinds(Outcome.Accepted outcome) {
        return outcome.effects().stream().<Class<?>>map(Object::getClass).toList();
    }

    // Making

    @Test
    void claimMakesItsVolumesAndTakesThemWhenTheyAreThere() {
        Outcome.Accepted outcome = make("a", "n1", request("data"), ownRequest("own"));
        long index = cluster.state.index();
        FirstClaim first = new FirstClaim(alloc("a"), NodeId.of("n1"), List.of(vol("data"), vol("own")), false);
        for (String id : List.of("data", "own")) {
            Volume volume = get(id);
            assertThat(volume.firstClaim()).hasValue(first);
            assertThat(volume.phase()).isEqualTo(VolumePhase.CREATING);
            assertThat(volume.origin()).isEqualTo(VolumeOrigin.CREATED);
            assertThat(volume.createIndex()).isEqualTo(index);
            assertThat(volume.claims()).isEmpty();
            assertThat(volume.classOrigin().orElseThrow().name()).isEqualTo(FAST);
            assertThat(volume.spec().parameters()).isEqualTo(Map.of("pool", "ssd"));
            assertThat(volume.spec().capacityRange()).hasValue(CapacityRange.atLeast(300));
        }
        assertThat(get("data").owner()).isEmpty();
        assertThat(get("own").owner()).hasValue(new VolumeOwner.OfAllocation(alloc("a")));
        assertThat(outcome.effects())
                .containsExactly(new Effect.VolumeStored(get("data"), true), new Effect.VolumeStored(get("own"), true));
        assertThat(cluster.state.volumesClaimedBy(alloc("a"))).containsExactly(vol("data"), vol("own"));
        assertThat(cluster.state.volumesOn(NodeId.of("n1"))).containsExactly(vol("data"), vol("own"));

        assertThat(waits("a", "n1", request("data"), ownRequest("own"))).isEqualTo(WaitReason.VOLUME_NOT_READY);
        made("data", zone("z1"));
        assertThat(waits("a", "n1", request("data"), ownRequest("own"))).isEqualTo(WaitReason.VOLUME_NOT_READY);
        assertThat(get("data").firstClaim())
                .as("no volume of the set is taken before all are made")
                .isPresent();
        made("own", zone("z1"));
        cluster.ok(take("a", request("data"), ownRequest("own")));
        for (String id : List.of("data", "own")) {
            assertThat(get(id).firstClaim()).isEmpty();
            assertThat(cluster.claimOf(id, "a")).isPresent();
        }
    }

    @Test
    void storedRequestStaysUntilTheVolumeIsTaken() {
        cluster.allocation("a", "n1");
        cluster.ok(new ClaimCommand.RequestClaims(alloc("a"), List.of(request("data")), AT));
        long requested = cluster.state.index();
        ClaimCommand.TakeClaims take = new ClaimCommand.TakeClaims(alloc("a"), List.of(request("data")), requested, AT);
        cluster.ok(take);
        assertThat(cluster.state.requestedClaimsOf(alloc("a"))).hasSize(1);
        made("data");
        cluster.ok(take);
        assertThat(cluster.state.requestedClaimsOf(alloc("a"))).isEmpty();
        cluster.ok(take);
        assertThat(cluster.claimOf("data", "a")).isPresent();
    }

    static Stream<Arguments> secondVolumes() {
        return Stream.of(
                Arguments.of("unknown class", request("b", VolumeTemplate.builder(VolumeClassName.of("none")))),
                Arguments.of("too large", request("b", template().capacityRange(CapacityRange.atLeast(901)))),
                Arguments.of("existing one that is full", ClaimRequest.writing(vol("taken"), MOUNT)),
                Arguments.of("not there, and no template", ClaimRequest.writing(vol("none"), MOUNT)),
                Arguments.of(
                        "other namespace",
                        ClaimRequest.writing(VolumeKey.of("other", "b"), MOUNT)
                                .madeFrom(template().build())),
                Arguments.of(
                        "capability",
                        ClaimRequest.writing(
                                        vol("b"), RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER))
                                .madeFrom(template().build())));
    }

    /** Nothing is made for a claim that another volume of the same claim keeps from being granted. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("secondVolumes")
    void setIsMadeAsAWholeOrNotAtAll(String name, ClaimRequest second) {
        cluster.volume("taken", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.claim("other", "n2", "taken", ClaimMode.WRITE, VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.allocation("a", "n1");
        cluster.refused(Rejection.class, take("a", request("a1"), second));
        cluster.refused(Rejection.class, take("a", second, request("a1")));
        assertThat(ids()).containsExactly("taken");
        make("a", "n1", request("a1"), request("b"));
        assertThat(ids()).containsExactly("a1", "b", "taken");
    }

    @Test
    void permanentRefusalTakesPrecedenceOverWait() {
        cluster.volume("taken", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.claim("other", "n2", "taken", ClaimMode.WRITE, VolumeAccessMode.SINGLE_NODE_WRITER);
        ClaimRequest waiting = ClaimRequest.writing(vol("taken"), MOUNT);
        ClaimRequest unknown = request("b", VolumeTemplate.builder(VolumeClassName.of("none")));
        assertThat(fields("a", "n1", waiting, unknown)).containsExactly("className");
        assertThat(fields("a", "n1", unknown, waiting)).containsExactly("className");
        assertThat(waits("a", "n1", waiting, request("b"))).isEqualTo(WaitReason.CLAIMED_ON_OTHER_NODE);
        // The node is not ready, and the class does not allow its topology.
        put(fast().allowedTopologies(List.of(zone("z2"))));
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "silent", AT));
        assertThat(never("a", "n1", request("b"))).isEqualTo(NeverReason.TOPOLOGY_NOT_ALLOWED);
    }

    /** Of several new volumes, and of the others of a claim, the one that is refused for good counts, wherever it stands. */
    @Test
    void permanentRefusalOfOneVolumeTakesPrecedenceOverTheWaitOfAnother() {
        VolumeClassName far = VolumeClassName.of("far");
        cluster.ok(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(far, PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .allowedTopologies(List.of(zone("z2")))
                        .restore(),
                0,
                AT));
        cluster.volume("taken", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.volume("shared", VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        cluster.claim("other", "n2", "taken", ClaimMode.WRITE, VolumeAccessMode.SINGLE_NODE_WRITER);
        node("n1", Optional.of(zone("z1")), 1, true);
        cluster.claim("full", "n1", "shared", ClaimMode.WRITE, VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        ClaimRequest waiting = request("x");
        ClaimRequest never = request("y", VolumeTemplate.builder(far));
        ClaimRequest unsupported = ClaimRequest.writing(vol("shared"), BLOCK);
        assertThat(waits("a", "n1", waiting)).isEqualTo(WaitReason.NODE_FULL);
        assertThat(never("a", "n1", waiting, never)).isEqualTo(NeverReason.TOPOLOGY_NOT_ALLOWED);
        assertThat(never("a", "n1", never, waiting)).isEqualTo(NeverReason.TOPOLOGY_NOT_ALLOWED);
        NeverReason reason = never("a", "n1", unsupported);
        assertThat(never("a", "n1", waiting, unsupported)).isEqualTo(reason);
        assertThat(never("a", "n1", unsupported, waiting)).isEqualTo(reason);
        assertThat(never("a", "n1", ClaimRequest.writing(vol("taken"), MOUNT), waiting, unsupported))
                .isEqualTo(reason);
        assertThat(ids()).containsExactly("shared", "taken");
    }

    private Optional<TemplateVolumes.Answer> answer(String allocation, String node, ClaimRequest request) {
        cluster.allocation(allocation, node);
        return TemplateVolumes.answer(
                cluster.state,
                cluster.state.allocation(alloc(allocation)).orElseThrow(),
                volume -> Placement.facts(cluster.state, volume, NodeId.of(node)),
                List.of(),
                request);
    }

    private AdmissionDecision answered(String allocation, String node, ClaimRequest request) {
        return answer(allocation, node, request).orElseThrow().decision();
    }

    private void quota(OptionalLong volumes, OptionalLong bytes) {
        cluster.ok(new QuotaCommand.PutQuota(
                new VolumeQuota(QuotaKey.of(Namespace.of("default")), volumes, bytes), 0, AT));
    }

    /** The look before a claim says the same as the claim. */
    @Test
    void answerBeforeAClaimCountsQuotas() {
        quota(OptionalLong.of(1), OptionalLong.empty());
        assertThat(answered("a", "n1", request("data"))).isInstanceOf(AdmissionDecision.Admitted.class);
        make("a", "n1", request("data"));
        assertThat(answer("a", "n1", request("data"))).as("it is being made").isEmpty();
        assertThat(answered("b", "n2", request("more"))).satisfies(decision -> {
            assertThat(((AdmissionDecision.Never) decision).reason()).isEqualTo(NeverReason.TEMPLATE_REFUSED);
            assertThat(decision.toString()).contains("quota");
        });
        // The volume that is replaced counts no more, if its creation was never requested.
        cluster.ended("a", "n1");
        assertThat(answered("b", "n2", request("data"))).isInstanceOf(AdmissionDecision.Admitted.class);
        begin("data");
        assertThat(answered("b", "n2", request("data")))
                .as("the former attempt counts until it is gone")
                .isInstanceOf(AdmissionDecision.Never.class);
        TemplateVolumes.Answer again = answer("c", "n1", request("data")).orElseThrow();
        assertThat(again.decision()).as("the same volume goes on").isInstanceOf(AdmissionDecision.Admitted.class);
        assertThat(again.volume().orElseThrow().createIndex())
                .isEqualTo(get("data").createIndex());
    }

    @Test
    void answerBeforeAClaimNamesWaitsAndSizesThatAQuotaNeeds() {
        assertThat(answer("a", "n1", ClaimRequest.writing(vol("data"), MOUNT)))
                .as("no template")
                .isEmpty();
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DISCONNECTED, "silent", AT));
        assertThat(((AdmissionDecision.Wait) answered("a", "n1", request("data"))).reason())
                .isEqualTo(WaitReason.NODE_NOT_READY);
        quota(OptionalLong.empty(), OptionalLong.of(10_000));
        cluster.ok(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(VolumeClassName.of("unsized"), PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .restore(),
                0,
                AT));
        AdmissionDecision decision =
                answered("b", "n2", request("data", VolumeTemplate.builder(VolumeClassName.of("unsized"))));
        assertThat(((AdmissionDecision.Never) decision).reason()).isEqualTo(NeverReason.TEMPLATE_REFUSED);
        assertThat(answered("b", "n2", request("data"))).isInstanceOf(AdmissionDecision.Admitted.class);
    }

    static Stream<Arguments> waits() {
        return Stream.of(
                wait(
                        WaitReason.NODE_NOT_READY,
                        test -> test.cluster.ok(
                                new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DISCONNECTED, "silent", AT))),
                wait(WaitReason.NO_HEALTHY_NODE_PLUGIN, test -> test.node("n1", Optional.of(zone("z1")), 0, false)),
                wait(WaitReason.PLUGIN_NOT_KNOWN, test -> test.node("n1", (String) null)),
                wait(
                        WaitReason.NO_HEALTHY_NODE_PLUGIN,
                        test -> test.put(
                                VolumeClass.builder(FAST, PluginId.of("q")).requestedCapabilities(List.of(MOUNT)))),
                wait(
                        WaitReason.LEDGER_NOT_KNOWN,
                        test -> test.cluster.ok(new NodeCommand.RequireLedgers("restored", AT))),
                wait(WaitReason.NODE_FULL, test -> {
                    test.node("n1", Optional.of(zone("z1")), 1, true);
                    test.make("first", "n1", request("first"));
                }));
    }

    private static Arguments wait(WaitReason reason, Consumer<TemplateVolumesTest> before) {
        return Arguments.of(reason, before);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void claimWaitsBeforeItMakesAnything(WaitReason reason, Consumer<TemplateVolumesTest> before) {
        before.accept(this);
        List<String> ids = ids();
        assertThat(waits("a", "n1", request("data"))).isEqualTo(reason);
        assertThat(ids()).isEqualTo(ids);
    }

    @Test
    void problemsOfTheTemplateAreReportedAlsoWhileThePluginIsNotKnown() {
        put(VolumeClass.builder(FAST, PluginId.of("q"))
                .requestedCapabilities(List.of(MOUNT))
                .greatestBytes(10));
        assertThat(fields("a", "n1", request("data", template().capacityRange(CapacityRange.atLeast(11)))))
                .containsExactly("capacityRange.requiredBytes");
    }

    /** A limit of 3 volumes, sets of two, three claims at once. */
    @Test
    void limitOfTheNodeCountsAllVolumesOfASet() {
        node("n1", Optional.of(zone("z1")), 3, true);
        make("a", "n1", request("a1"), request("a2"));
        assertThat(waits("b", "n1", request("b1"), request("b2"))).isEqualTo(WaitReason.NODE_FULL);
        assertThat(waits("c", "n1", request("c1"), request("c2"))).isEqualTo(WaitReason.NODE_FULL);
        assertThat(ids()).containsExactly("a1", "a2");
        made("a1");
        made("a2");
        cluster.ok(take("a", request("a1"), request("a2")));
        assertThat(waits("b", "n1", request("b1"), request("b2"))).isEqualTo(WaitReason.NODE_FULL);
        make("c", "n1", request("c1"));
        cluster.ended("a", "n1");
        assertThat(waits("b", "n1", request("b1"), request("b2")))
                .as("still mounted")
                .isEqualTo(WaitReason.NODE_FULL);
        cluster.release("a1", "a");
        assertThat(waits("b", "n1", request("b1"), request("b2"))).isEqualTo(WaitReason.NODE_FULL);
        cluster.release("a2", "a");
        make("b", "n1", request("b1"), request("b2"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void limitOfTheNodeCountsTheOtherVolumesOfASet(int most) {
        node("n1", Optional.of(zone("z1")), most, true);
        cluster.volume("x", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.volume("y", VolumeAccessMode.SINGLE_NODE_WRITER);
        ClaimRequest x = ClaimRequest.writing(vol("x"), MOUNT);
        ClaimRequest y = ClaimRequest.writing(vol("y"), MOUNT);
        if (most < 3) {
            assertThat(waits("a", "n1", x, request("data"), y)).isEqualTo(WaitReason.NODE_FULL);
        } else {
            make("a", "n1", x, request("data"), y);
            made("data");
            cluster.ok(take("a", x, request("data"), y));
        }
    }

    @Test
    void badTemplatesAreRefusedWithAllTheirProblems() {
        assertThat(fields(
                        "a",
                        "n1",
                        request(
                                "data",
                                template()
                                        .capacityRange(new CapacityRange(901, 901))
                                        .requestedCapabilities(List.of(RequestedCapability.mount(
                                                VolumeAccessMode.MULTI_NODE_SINGLE_WRITER))))))
                .contains("requestedCapabilities[0]")
                .hasSizeGreaterThan(1);
        Rejection.InvalidRequest both = cluster.refused(
                Rejection.InvalidRequest.class,
                take(
                        "a",
                        request("b", VolumeTemplate.builder(VolumeClassName.of("none"))),
                        request("c", template().capacityRange(CapacityRange.atLeast(99)))));
        assertThat(both.problems())
                .extracting(Problem::field)
                .containsExactly("volume default/b: className", "volume default/c: capacityRange.requiredBytes");
        put(fast().namespaces(List.of(Namespace.of("other"))));
        Rejection hidden = cluster.refused(Rejection.InvalidRequest.class, take("a", request("data")));
        cluster.ok(new VolumeClassCommand.RemoveVolumeClass(FAST, 0, AT));
        assertThat(cluster.refused(Rejection.InvalidRequest.class, take("a", request("data"))))
                .as("does not say whether the class exists")
                .isEqualTo(hidden);
        assertThat(ids()).isEmpty();
    }

    /** The permission to use volumes is not enough to make volumes of each class. */
    @Test
    void classThatIsNotForClaimsMakesNoVolumeForThem() {
        put(fast().useByTemplate(false));
        assertThat(fields("a", "n1", request("data"), ownRequest("own")))
                .containsExactly("volume default/data: className", "volume default/own: className");
        assertThat(ids()).isEmpty();
        cluster.ok(new VolumeCommand.CreateFromClass(vol("data"), template().build(), AT));
        made("data", zone("z1"));
        cluster.ok(take("a", request("data")));
    }

    @Test
    void nodeAndPluginThatCannotServeTheClassAreRefused() {
        put(fast().mutableParameters(Map.of("tier", "1")));
        assertThat(fields("a", "n1", request("data"))).containsExactly("pluginId");
        put(fast());
        cluster.ok(new NodeCommand.FenceNode(NodeId.of("n2"), "power off", AT));
        cluster.refused(Rejection.NodeLost.class, Cluster.status("b", "n2", AllocationStatus.RUNNING));
        cluster.refused(Rejection.AllocationNotFound.class, take("b", request("data")));
        cluster.allocation("c", "n1");
        cluster.ended("c", "n1");
        cluster.refused(Rejection.AllocationEnded.class, take("c", request("data")));
    }

    @Test
    void quotaCountsASetAsOneSum() {
        QuotaKey all = QuotaKey.of(Namespace.of("default"));
        QuotaKey ofClass = QuotaKey.of(Namespace.of("default"), FAST);
        cluster.ok(new QuotaCommand.PutQuota(new VolumeQuota(all, OptionalLong.of(3), OptionalLong.empty()), 0, AT));
        cluster.ok(
                new QuotaCommand.PutQuota(new VolumeQuota(ofClass, OptionalLong.empty(), OptionalLong.of(700)), 0, AT));
        cluster.allocation("a", "n1");
        Rejection.QuotaExceeded bytes =
                cluster.refused(Rejection.QuotaExceeded.class, take("a", request("a1"), request("a2"), request("a3")));
        assertThat(bytes.excesses()).singleElement().satisfies(excess -> {
            assertThat(excess.quota()).isEqualTo(ofClass);
            assertThat(excess.used()).isEqualTo(600);
        });
        make("a", "n1", request("a1"), request("a2"));
        cluster.ok(new QuotaCommand.RemoveQuota(ofClass, 0, AT));
        Rejection.QuotaExceeded count =
                cluster.refused(Rejection.QuotaExceeded.class, take("a", request("a3"), request("a4")));
        assertThat(count.excesses())
                .singleElement()
                .satisfies(excess -> assertThat(excess.quota()).isEqualTo(all));
        // A volume that was given up counts until it is gone.
        begin("a1");
        Volume a1 = get("a1");
        cluster.ok(discard(a1));
        assertThat(cluster.state.quotaUse(all).volumes()).isEqualTo(1);
        make("b", "n2", request("a1"), request("a2"));
        cluster.refused(Rejection.QuotaExceeded.class, take("a", request("a3")));
        cluster.ok(new VolumeCommand.DeregisterVolume(vol(givenUp(a1)), false, AT));
        make("a", "n1", request("a3"));
    }

    // Place

    private TopologyRequirement asked(String id) {
        return get(id).spec().accessibilityRequirements().orElseThrow();
    }

    @Test
    void requestHasTheCompleteTopologiesThatTheClassAllows() {
        node("n3", "z3");
        node("n4", "z1");
        make("a", "n2", request("everywhere"), request("here", template().nodeTopologyOnly(true)));
        assertThat(asked("everywhere"))
                .isEqualTo(new TopologyRequirement(List.of(zone("z2"), zone("z1"), zone("z3")), List.of(zone("z2"))));
        assertThat(asked("here")).isEqualTo(new TopologyRequirement(List.of(zone("z2")), List.of(zone("z2"))));
        // The class has a part of the segments.
        put(fast().allowedTopologies(List.of(Topology.of("zone", "z2"), Topology.of("zone", "z3"))));
        make("b", "n3", request("some"));
        assertThat(asked("some"))
                .isEqualTo(new TopologyRequirement(List.of(zone("z3"), zone("z2")), List.of(zone("z3"))));
        assertThat(never("c", "n1", request("none"))).isEqualTo(NeverReason.TOPOLOGY_NOT_ALLOWED);
        assertThat(find("none")).isEmpty();
    }

    @Test
    void requestDoesNotDependOnTheOrderInWhichNodesCome() {
        List<Integer> order = new ArrayList<>(IntStream.range(0, 12).boxed().toList());
        for (int run = 0; run < 20; run++) {
            Collections.shuffle(order, new java.util.Random(run));
            cluster = Cluster.attaching();
            node("n1", "z1");
            put(fast());
            order.forEach(number -> node("m" + number, "y" + number));
            cluster.ok(new NodeCommand.RemoveNode(NodeId.of("m" + order.get(0)), "sold", AT));
            node("m" + order.get(0), "y" + order.get(0));
            make("a", "n1", request("data"));
            assertThat(asked("data").requisite())
                    .containsExactlyElementsOf(Stream.concat(
                                    Stream.of("z1"),
                                    IntStream.range(0, 12)
                                            .mapToObj(number -> "y" + number)
                                            .sorted())
                            .map(TemplateVolumesTest::zone)
                            .toList());
        }
    }

    /** I23: the request is stored, and not computed again. */
    @Test
    void requestStaysTheSameWhileNodesComeAndGo() {
        make("a", "n1", request("data"));
        begin("data");
        VolumeSpec spec = get("data").spec();
        node("n3", "z3");
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n2"), "sold", AT));
        put(fast().parameters(Map.of("pool", "hdd")));
        assertThat(waits("a", "n1", request("data"))).isEqualTo(WaitReason.VOLUME_NOT_READY);
        cluster.ended("a", "n1");
        make("b", "n1", request("data"));
        assertThat(get("data").spec()).isEqualTo(spec);
        cluster.ok(discard(get("data")));
        make("c", "n3", request("data"), request("more"));
        assertThat(get("more").spec().parameters()).isEqualTo(Map.of("pool", "hdd"));
    }

    @Test
    void requestHasAtMost256Topologies() {
        List<Topology> others = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            node("m" + i, "y" + i);
            node("same" + i, "y" + i);
            others.add(zone("y" + i));
        }
        others.sort(Comparator.comparing(place -> place.segments().toString()));
        make("a", "n2", request("data"));
        assertThat(asked("data").requisite())
                .hasSize(256)
                .startsWith(zone("z2"))
                .endsWith(others.subList(0, 255).toArray(Topology[]::new));
    }

    @Test
    void pluginWithoutTopologiesGetsNone() {
        topologies = false;
        cluster = Cluster.attaching();
        put(fast().allowedTopologies(List.of(zone("z1"))));
        node("n1", (String) null);
        assertThat(fields("a", "n1", request("data"))).containsExactly("pluginId");
        put(fast());
        make("a", "n1", request("data"));
        assertThat(get("data").spec().accessibilityRequirements()).isEmpty();
        assertThat(never("a", "n1", request("more", template().nodeTopologyOnly(true))))
                .isEqualTo(NeverReason.PLUGIN_CANNOT);
    }

    @Test
    void topologiesAreKeptOnlyWhileACallMayNeedThem() {
        make("a", "n1", request("data"));
        assertThat(get("data").spec().accessibilityRequirements().orElseThrow().requisite())
                .containsExactly(zone("z1"), zone("z2"));
        made("data", zone("z1"));
        assertThat(get("data").spec().accessibilityRequirements())
                .contains(new TopologyRequirement(List.of(zone("z1")), List.of(zone("z1"))));
    }

    @Test
    void claimMakesAtMostSixtyFourVolumes() {
        List<ClaimRequest> requests = new ArrayList<>();
        for (int i = 0; i < TemplateVolumes.MOST_TOGETHER; i++) {
            requests.add(request("v" + i));
        }
        cluster.allocation("a", "n1");
        List<ClaimRequest> more = new ArrayList<>(requests);
        more.add(request("more"));
        assertThat(fields("a", "n1", more.toArray(ClaimRequest[]::new))).containsExactly("requests");
        assertThat(ids()).isEmpty();
        make("a", "n1", requests.toArray(ClaimRequest[]::new));
        assertThat(ids()).hasSize(TemplateVolumes.MOST_TOGETHER);
    }

    // Volumes that are left behind

    @Test
    void nextClaimInTheSamePlaceContinuesTheVolume() {
        node("n4", "z1");
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        assertThat(waits("b", "n4", request("data"))).as("a is alive").isEqualTo(WaitReason.VOLUME_NOT_READY);
        cluster.ended("a", "n1");
        assertThat(get("data").firstClaim())
                .hasValue(before.firstClaim().orElseThrow().asEnded());
        Outcome.Accepted outcome = make("b", "n4", request("data"), request("more"));
        assertThat(get("data").createIndex()).isEqualTo(before.createIndex());
        assertThat(get("data").name()).isEqualTo(before.name());
        assertThat(get("data").firstClaim())
                .hasValue(new FirstClaim(alloc("b"), NodeId.of("n4"), List.of(vol("data"), vol("more")), false));
        assertThat(outcome.effects())
                .containsExactly(
                        new Effect.VolumeStored(get("data"), false), new Effect.VolumeStored(get("more"), true));
        assertThat(cluster.state.volumesOn(NodeId.of("n1"))).isEmpty();
        made("data", zone("z1"));
        made("more");
        cluster.ok(take("b", request("data"), request("more")));
    }

    @Test
    void nextClaimInAnotherPlaceMakesAnotherVolume() {
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        cluster.ended("a", "n1");
        Outcome.Accepted outcome = make("b", "n2", request("data"));
        Volume now = get("data");
        assertThat(now.createIndex()).isGreaterThan(before.createIndex());
        assertThat(now.name()).isNotEqualTo(before.name());
        assertThat(asked("data").preferred()).containsExactly(zone("z2"));
        Volume old = get(givenUp(before));
        assertThat(old.spec()).isEqualTo(before.spec());
        assertThat(old.phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(old.formerKey()).hasValue(vol("data"));
        assertThat(old.createIndex()).isEqualTo(before.createIndex());
        assertThat(old.classOrigin()).isEqualTo(before.classOrigin());
        assertThat(old.asRequested().key()).isEqualTo(vol("data"));
        assertThat(outcome.effects())
                .containsExactly(
                        new Effect.VolumeRemoved(vol("data"), List.of(), List.of()),
                        new Effect.DeletionBegun(old.key()),
                        new Effect.VolumeStored(now, true));
    }

    @Test
    void volumeThatWasNeverRequestedIsJustReplaced() {
        make("a", "n1", request("data"));
        cluster.ended("a", "n1");
        Outcome.Accepted outcome = make("b", "n2", request("data"));
        assertThat(ids()).containsExactly("data");
        assertThat(asked("data").preferred()).containsExactly(zone("z2"));
        assertThat(kinds(outcome)).containsExactly(Effect.VolumeRemoved.class, Effect.VolumeStored.class);
    }

    static Stream<Arguments> madeTopologies() {
        return Stream.of(
                Arguments.of(List.of(), true),
                Arguments.of(List.of(zone("z1"), zone("z2")), true),
                Arguments.of(List.of(Topology.of("zone", "z2")), true),
                Arguments.of(List.of(zone("z1")), false));
    }

    /** A match is a subset: the volume may have fewer segments than the node. */
    @ParameterizedTest
    @MethodSource("madeTopologies")
    void madeVolumeServesTheNextClaimIfItsNodeCanUseIt(List<Topology> topology, boolean reused) {
        make("a", "n1", request("data"));
        begin("data");
        made("data", topology.toArray(new Topology[0]));
        Volume before = get("data");
        cluster.ended("a", "n1");
        make("b", "n2", request("data"));
        assertThat(get("data").createIndex() == before.createIndex()).isEqualTo(reused);
        assertThat(find(givenUp(before)).isPresent()).isEqualTo(!reused);
        if (reused) {
            cluster.ok(take("b", request("data")));
        } else {
            assertThat(get(givenUp(before)).externalVolumeId()).isEqualTo(before.externalVolumeId());
        }
    }

    static Stream<Arguments> otherTemplates() {
        UnaryOperator<VolumeTemplate.Builder> same = template -> template;
        return Stream.of(
                Arguments.of("same", same, "fast"),
                Arguments.of("class", same, "other"),
                Arguments.of(
                        "size",
                        (UnaryOperator<VolumeTemplate.Builder>)
                                template -> template.capacityRange(CapacityRange.atLeast(301)),
                        "fast"),
                Arguments.of(
                        "capabilities",
                        (UnaryOperator<VolumeTemplate.Builder>)
                                template -> template.requestedCapabilities(List.of(MOUNT)),
                        "fast"),
                Arguments.of(
                        "lifetime",
                        (UnaryOperator<VolumeTemplate.Builder>) template -> template.ofAllocation(),
                        "fast"));
    }

    /** A volume that is left behind and was made from another template is given up; a place has one unsettled attempt. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("otherTemplates")
    void volumeOfAnotherTemplateDoesNotServeTheNextClaim(
            String name, UnaryOperator<VolumeTemplate.Builder> change, String className) {
        put(VolumeClass.builder(VolumeClassName.of("other"), PLUGIN).requestedCapabilities(List.of(MOUNT)));
        ClaimRequest other = request("data", change.apply(VolumeTemplate.builder(VolumeClassName.of(className))));
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        cluster.ended("a", "n1");
        if (name.equals("same")) {
            make("b", "n1", other);
            assertThat(get("data").createIndex()).isEqualTo(before.createIndex());
            return;
        }
        assertThat(never("b", "n1", other)).as("unsettled here").isEqualTo(NeverReason.CREATION_UNSETTLED);
        make("c", "n2", other);
        assertThat(get(givenUp(before)).spec()).isEqualTo(before.spec());
        assertThat(get("data").spec()).isNotEqualTo(before.spec());
        // The claim of the new volume fits it.
        made("data");
        cluster.ok(take("c", other));
    }

    @Test
    void volumeOfAnotherPluginOrCapabilityDoesNotServeTheNextClaim() {
        put(fast().requestedCapabilities(List.of(BLOCK)));
        cluster.allocation("a", "n1");
        ClaimRequest block =
                ClaimRequest.writing(vol("data"), BLOCK).madeFrom(template().build());
        cluster.ok(take("a", block));
        long before = get("data").createIndex();
        cluster.ended("a", "n1");
        put(fast());
        make("b", "n1", request("data"));
        assertThat(get("data").createIndex()).isGreaterThan(before);
        assertThat(get("data").spec().requestedCapabilities()).contains(MOUNT);
    }

    @Test
    void attemptsThatAreNotSettledAreLimitedByPlaceAndVolume() {
        for (String zone : List.of("z3", "z4", "z5")) {
            node("n" + zone.charAt(1), zone);
        }
        for (int i = 1; i <= 3; i++) {
            make("a" + i, "n" + i, request("data"));
            begin("data");
            cluster.ended("a" + i, "n" + i);
        }
        assertThat(ids()).hasSize(3);
        assertThat(never("b1", "n1", request("data"))).isEqualTo(NeverReason.CREATION_UNSETTLED);
        assertThat(never("b4", "n4", request("data"))).isEqualTo(NeverReason.TOO_MANY_UNSETTLED);
        make("b3", "n3", request("data"));
        assertThat(ids()).as("the present one is continued").hasSize(3);
        // One attempt is settled: its volume is known, and is deleted.
        Volume settled = cluster.state.volumes(VolumeQuery.all()).items().stream()
                .filter(volume -> volume.formerKey().isPresent())
                .findFirst()
                .orElseThrow();
        cluster.ok(answer(settled, "late"));
        cluster.ended("b3", "n3");
        make("b4", "n4", request("data"));
        assertThat(ids()).hasSize(4);
        cluster.ended("b4", "n4");
        assertThat(never("b5", "n3", request("other"), request("data"))).isEqualTo(NeverReason.CREATION_UNSETTLED);
        assertThat(find("other")).isEmpty();
    }

    @Test
    void volumeThatIsKeptUnusedStaysForTheNextClaimOfItsTemplateOnly() {
        make("a", "n1", request("data", template().keepUnused(true)));
        begin("data");
        made("data", zone("z1"));
        cluster.ended("a", "n1");
        assertThat(get("data").firstClaim()).isEmpty();
        assertThat(get("data").unsettled()).isFalse();
        assertThat(never("b", "n2", request("data"))).isEqualTo(NeverReason.OUT_OF_REACH);
        assertThat(never("b", "n2", ownRequest("data"))).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        cluster.allocation("c", "n1");
        cluster.ok(take("c", request("data")));
    }

    // Volumes that exist

    static Stream<Arguments> differences() {
        return Stream.of(
                Arguments.of(template(), null),
                Arguments.of(template().capacityRange(new CapacityRange(200, 400)), null),
                Arguments.of(template().keepUnused(true).nodeTopologyOnly(true), null),
                Arguments.of(template().requestedCapabilities(List.of(SHARED, BLOCK, MOUNT)), null),
                Arguments.of(VolumeTemplate.builder(VolumeClassName.of("other")), "className is other"),
                Arguments.of(template().ofAllocation(), "lifetime is ALLOCATION"),
                Arguments.of(template().requestedCapabilities(List.of(MOUNT)), "requestedCapabilities are"),
                Arguments.of(template().capacityRange(CapacityRange.atLeast(301)), "capacityRange is"),
                Arguments.of(template().capacityRange(new CapacityRange(0, 299)), "capacityRange is"));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("differences")
    void existingVolumeIsUsedIfItWasMadeFromTheSameTemplate(VolumeTemplate.Builder template, String difference) {
        ClaimRequest first =
                ClaimRequest.writing(vol("data"), SHARED).madeFrom(template().build());
        make("a", "n1", first);
        made("data", zone("z1"));
        cluster.ok(take("a", first));
        cluster.allocation("b", "n1");
        ClaimRequest other = ClaimRequest.writing(vol("data"), SHARED).madeFrom(template.build());
        if (difference == null) {
            cluster.ok(take("b", other));
            return;
        }
        AdmissionDecision.Never never = (AdmissionDecision.Never) decision("b", "n1", other);
        assertThat(never.reason()).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        assertThat(never.detail()).contains(difference);
    }

    @Test
    void registeredVolumeWasMadeFromNoTemplateAndStaysAsItIs() {
        cluster.volume("data", VolumeAccessMode.SINGLE_NODE_WRITER);
        Volume before = get("data");
        assertThat(never("a", "n1", request("data"))).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        assertThat(never("a", "n1", ownRequest("data"))).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        assertThat(get("data")).isEqualTo(before);
        cluster.ok(take("a", ClaimRequest.writing(vol("data"), MOUNT)));
    }

    /** A caller who is told that the volume exists keeps it, also if the claim does not take it. */
    @Test
    void explicitCreationKeepsAVolumeThatWasMadeForAClaim() {
        make("a", "n1", request("data"), ownRequest("own"));
        Outcome.Accepted outcome = cluster.ok(
                new VolumeCommand.CreateFromClass(vol("data"), template().build(), AT));
        assertThat(outcome.effects()).containsExactly(new Effect.VolumeStored(get("data"), false));
        assertThat(get("data").isUnused()).isFalse();
        cluster.refused(
                Rejection.ConflictingFields.class,
                new VolumeCommand.CreateFromClass(vol("own"), template().build(), AT));
        VolumeCommand.RegisterVolume create = new VolumeCommand.RegisterVolume(
                vol("own"), get("own").spec(), VolumeOrigin.CREATED, ProviderFacts.none(), AT);
        assertThat(cluster.refused(Rejection.ConflictingFields.class, create).problems())
                .extracting(Problem::field)
                .containsExactly("key");
        cluster.ended("a", "n1");
        assertThat(ids()).containsExactly("data");
        assertThat(get("data").firstClaim()).isEmpty();
        cluster.unchanged(
                new VolumeCommand.CreateFromClass(vol("data"), template().build(), AT));
    }

    // Owners

    @Test
    void volumesOfAllocationsHaveKeysThatCannotCollide() {
        VolumeRequest scratch = new VolumeRequest("scratch", false, MOUNT, MountOptions.none(), false)
                .madeFrom(template().ofAllocation().build());
        VolumeRequest joined = new VolumeRequest("a-scratch", false, MOUNT, MountOptions.none(), false)
                .madeFrom(template().ofAllocation().build());
        Namespace namespace = Namespace.of("default");
        make("pod-a", "n1", scratch.claimOf(namespace, alloc("pod-a"), 0));
        make("pod", "n1", joined.claimOf(namespace, alloc("pod"), 0));
        assertThat(ids()).hasSize(2);
        assertThat(scratch.claimOf(namespace, alloc("pod-a"), 7))
                .isEqualTo(scratch.claimOf(namespace, alloc("pod-a"), 0));
    }

    @Test
    void onlyTheOwnerClaimsItsVolume() {
        make("a", "n1", ownRequest("own"));
        made("own");
        for (ClaimRequest request :
                List.of(request("own"), ownRequest("own"), ClaimRequest.writing(vol("own"), MOUNT))) {
            assertThat(never("b", "n1", request)).isEqualTo(NeverReason.OWNED_BY_ALLOCATION);
        }
        cluster.ok(take("a", ownRequest("own")));
        assertThat(never("b", "n1", ownRequest("own"))).isEqualTo(NeverReason.OWNED_BY_ALLOCATION);
    }

    @ParameterizedTest
    @EnumSource(AllocationEnd.class)
    void volumeThatItsOwnerNeverUsedIsGivenUpWhenTheOwnerEnds(AllocationEnd end) {
        make("a", "n1", ownRequest("never-called"), ownRequest("unknown"), ownRequest("made"), request("stays"));
        begin("unknown");
        made("made");
        Volume unknown = get("unknown");
        Volume made = get("made");
        Outcome.Accepted outcome = cluster.ok(end.command());
        assertThat(ids()).containsExactlyInAnyOrder(givenUp(unknown), givenUp(made), "stays");
        assertThat(get(givenUp(made)).externalVolumeId()).isEqualTo(made.externalVolumeId());
        assertThat(Cluster.effects(outcome, Effect.VolumeRemoved.class))
                .extracting(removed -> removed.key().volumeId().value())
                .containsExactly("made", "never-called", "unknown");
        assertThat(Cluster.effects(outcome, Effect.DeletionBegun.class))
                .extracting(begun -> begun.key().volumeId().value())
                .containsExactly(givenUp(made), givenUp(unknown));
        assertThat(get(givenUp(made)).owner()).isEmpty();
        cluster.allocation("b", "n2");
        assertThat(never("b", "n2", ClaimRequest.writing(vol(givenUp(made)), MOUNT)))
                .isEqualTo(NeverReason.VOLUME_LEAVING);
    }

    enum AllocationEnd {
        ENDED,
        REMOVED,
        FENCED,
        NODE_REMOVED;

        Command command() {
            return switch (this) {
                case ENDED -> Cluster.status("a", "n1", AllocationStatus.ENDED);
                case REMOVED -> new AllocationCommand.RemoveAllocation(alloc("a"), AT);
                case FENCED -> new NodeCommand.FenceNode(NodeId.of("n1"), "power off", AT);
                case NODE_REMOVED -> new NodeCommand.RemoveNode(NodeId.of("n1"), "sold", AT);
            };
        }
    }

    /** Silence is not an end. */
    @Test
    void silentNodeEndsNothing() {
        make("a", "n1", ownRequest("own"));
        made("own");
        cluster.ok(take("a", ownRequest("own")));
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "silent", AT));
        cluster.ok(new AllocationCommand.RemoveAllocation(alloc("a"), AT));
        assertThat(get("own").phase()).isEqualTo(VolumePhase.AVAILABLE);
        cluster.refused(Rejection.VolumeInUse.class, setPhase("own", VolumePhase.DELETING));
    }

    private static VolumeCommand.SetVolumePhase setPhase(String id, VolumePhase phase) {
        return new VolumeCommand.SetVolumePhase(vol(id), phase, AT);
    }

    /** The ways in which a used volume of an allocation can lose its owner and its claim, in all orders. */
    enum Loss {
        OWNER_ENDS,
        OWNER_IS_REMOVED,
        CLAIM_IS_RELEASED,
        NODE_IS_FENCED,
        OPERATOR_OVERRIDES
    }

    static Stream<List<Loss>> orders() {
        List<List<Loss>> orders = new ArrayList<>();
        permute(new ArrayList<>(List.of(Loss.values())), new ArrayList<>(), orders);
        return orders.stream();
    }

    private static void permute(List<Loss> rest, List<Loss> done, List<List<Loss>> orders) {
        if (rest.isEmpty()) {
            orders.add(List.copyOf(done));
        }
        for (Loss next : List.copyOf(rest)) {
            List<Loss> others = new ArrayList<>(rest);
            others.remove(next);
            done.add(next);
            permute(others, done, orders);
            done.remove(next);
        }
    }

    /** The order does not matter, and each end begins one deletion. */
    @ParameterizedTest
    @MethodSource("orders")
    void usedVolumeIsDeletedOnceInEachOrderOfTheEnds(List<Loss> order) {
        make("a", "n1", ownRequest("own"), request("stays"));
        made("own");
        made("stays");
        cluster.ok(take("a", ownRequest("own"), request("stays")));
        List<Effect.DeletionBegun> begun = new ArrayList<>();
        for (Loss loss : order) {
            for (Command command : commands(loss)) {
                Outcome outcome = cluster.state.apply(command);
                Invariants.check(cluster.state);
                if (outcome instanceof Outcome.Accepted accepted) {
                    begun.addAll(Cluster.effects(accepted, Effect.DeletionBegun.class));
                }
            }
        }
        for (String id : List.of("own", "stays")) {
            cluster.state.apply(Cluster.free(id, "a"));
        }
        assertThat(get("own").claims()).isEmpty();
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(get("stays").phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(begun.size() + (begun.isEmpty() ? 1 : 0)).isEqualTo(1);
    }

    private List<Command> commands(Loss loss) {
        return switch (loss) {
            case OWNER_ENDS -> List.of(Cluster.status("a", "n1", AllocationStatus.ENDED));
            case OWNER_IS_REMOVED -> List.of(new AllocationCommand.RemoveAllocation(alloc("a"), AT));
            case CLAIM_IS_RELEASED ->
                Stream.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)
                        .<Command>flatMap(state -> Stream.of(
                                Cluster.checkpoint("own", "a", state), Cluster.checkpoint("stays", "a", state)))
                        .toList();
            case NODE_IS_FENCED -> List.of(new NodeCommand.FenceNode(NodeId.of("n1"), "power off", AT));
            case OPERATOR_OVERRIDES ->
                List.of(
                        new ClaimCommand.OverrideClaim(vol("own"), alloc("a"), "ann", "because", AT),
                        Cluster.free("own", "a"));
        };
    }

    @Test
    void lastClaimThatIsFreedDeletesTheVolumeOfAnEndedOwner() {
        make("a", "n1", ownRequest("own"));
        made("own");
        cluster.ok(take("a", ownRequest("own")));
        assertThat(Cluster.effects(cluster.ended("a", "n1"), Effect.DeletionBegun.class))
                .isEmpty();
        assertThat(get("own").phase()).isEqualTo(VolumePhase.AVAILABLE);
        for (ClaimState next : List.of(ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.ok(Cluster.checkpoint("own", "a", next));
        }
        Outcome.Accepted freed = cluster.ok(Cluster.free("own", "a"));
        assertThat(Cluster.effects(freed, Effect.DeletionBegun.class))
                .containsExactly(new Effect.DeletionBegun(vol("own")));
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        // Its deletion cannot be withdrawn.
        cluster.refused(Rejection.WrongPhase.class, setPhase("own", VolumePhase.AVAILABLE));
        assertThat(cluster.state.volumesClaimedBy(alloc("a"))).containsExactly(vol("own"));
    }

    @Test
    void withdrawnClaimOfALiveOwnerKeepsTheVolumeThatIsMadeForIt() {
        make("a", "n1", ownRequest("own"), request("kept", template().keepUnused(true)));
        begin("own");
        List<Volume> before = List.of(get("own"), get("kept"));
        cluster.ok(new ClaimCommand.WithdrawClaims(alloc("a"), AT));
        assertThat(List.of(get("own"), get("kept"))).isEqualTo(before);
    }

    @Test
    void withdrawnClaimOfALiveOwnerKeepsItsVolume() {
        make("a", "n1", ownRequest("own"));
        made("own");
        cluster.ok(take("a", ownRequest("own")));
        cluster.ok(new ClaimCommand.WithdrawClaims(alloc("a"), AT));
        for (ClaimState next : List.of(ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.ok(Cluster.checkpoint("own", "a", next));
        }
        cluster.ok(Cluster.free("own", "a"));
        assertThat(get("own").phase()).isEqualTo(VolumePhase.AVAILABLE);
        cluster.ok(take("a", ownRequest("own")));
        cluster.release("own", "a");
        cluster.ended("a", "n1");
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        // An allocation that is placed again under the same id has a volume of its own.
        cluster.ok(new VolumeCommand.DeregisterVolume(vol("own"), false, AT));
        cluster.ok(new AllocationCommand.RemoveAllocation(alloc("a"), AT));
        make("a", "n2", ownRequest("own"));
    }

    private VolumeUse use(String id, String allocation) {
        Volume volume = get(id);
        return new VolumeUse(volume.key(), PLUGIN, volume.remoteId(), alloc(allocation), ClaimMode.WRITE, MOUNT, false);
    }

    /** After a restore, a node reports a mount of a volume that the restored state has as unused. */
    @Test
    void mountThatANodeReportsMakesTheVolumeAUsedOne() {
        make("a", "n1", ownRequest("own"), request("data"));
        made("own");
        made("data");
        cluster.ok(new ClaimCommand.AdoptUses(vol("own"), NodeId.of("n1"), List.of(use("own", "a")), AT));
        cluster.ok(new ClaimCommand.AdoptUses(vol("data"), NodeId.of("n1"), List.of(use("data", "gone")), AT));
        for (String id : List.of("own", "data")) {
            assertThat(get(id).firstClaim()).isEmpty();
            cluster.refused(Rejection.VolumeNotFound.class, discard(get(id)));
        }
        cluster.ended("a", "n1");
        assertThat(get("own").phase()).isEqualTo(VolumePhase.AVAILABLE);
        for (ClaimState next : List.of(ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.ok(Cluster.checkpoint("own", "a", next));
        }
        cluster.ok(Cluster.free("own", "a"));
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(get("data").phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    /** After a restore, a node reports a mount of a volume whose creation the restored state has as unfinished. */
    @ParameterizedTest
    @EnumSource(value = VolumeLifetime.class, names = "PERSISTENT", mode = EnumSource.Mode.EXCLUDE)
    void mountedVolumeThatIsStillCreatedIsDeletedAfterItsLastUseIfItsOwnerHasEnded(VolumeLifetime lifetime) {
        put(fast().reclaim(ReclaimPolicy.DELETE));
        WorkloadOwner job = WorkloadOwner.of("job", 1);
        make(
                "a",
                "n1",
                lifetime == VolumeLifetime.ALLOCATION
                        ? ownRequest("own")
                        : request("own", template().ofWorkload(job)));
        begin("own");
        VolumeCommand.RecordProviderFacts answer = answer(get("own"), "late");
        cluster.ok(new ClaimCommand.AdoptUses(vol("own"), NodeId.of("n1"), List.of(use("own", "a")), AT));
        if (lifetime == VolumeLifetime.WORKLOAD) {
            cluster.ok(new OwnerCommand.EndOwner(Namespace.of("default"), job, AT));
        }
        cluster.ended("a", "n1");
        assertThat(get("own").phase()).as("used").isEqualTo(VolumePhase.CREATING);
        cluster.refused(Rejection.VolumeInUse.class, setPhase("own", VolumePhase.DELETING));
        for (ClaimState next : List.of(ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            cluster.ok(Cluster.checkpoint("own", "a", next));
        }
        Outcome.Accepted freed = cluster.ok(Cluster.free("own", "a"));
        assertThat(Cluster.effects(freed, Effect.DeletionBegun.class))
                .containsExactly(new Effect.DeletionBegun(vol("own")));
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        // The answer to the creation, which is still in flight, tells the id of the volume to delete.
        cluster.ok(answer);
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(get("own").externalVolumeId()).hasValue(ExternalVolumeId.of("late"));
    }

    /** A volume that is attached somewhere is not given up, because its key and its attachment would be lost. */
    @Test
    void attachmentThatTheProviderReportsMakesTheVolumeAUsedOne() {
        make("a", "n1", ownRequest("own"), request("data"));
        made("own");
        made("data");
        for (String id : List.of("own", "data")) {
            cluster.ok(new AttachmentCommand.RecordOrphan(
                    vol(id), NodeId.of("n1"), ExternalNodeId.of("ext-n1"), get(id).modifyIndex(), AT));
            assertThat(get(id).firstClaim()).isEmpty();
        }
        cluster.ended("a", "n1");
        assertThat(get("own").phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(get("own").attachments()).isNotEmpty();
        assertThat(get("data").phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    // Giving up

    @Test
    void setFailsAsAWhole() {
        node("n3", "z3");
        make(
                "a",
                "n1",
                request("none"),
                request("made"),
                request("unknown"),
                request("kept", template().keepUnused(true)));
        made("made");
        begin("unknown");
        Volume made = get("made");
        Volume unknown = get("unknown");
        Volume none = get("none");
        make("b", "n3", request("other"));
        Outcome.Accepted outcome = cluster.ok(
                new VolumeCommand.DeregisterVolume(none.key(), true, none.modifyIndex(), Optional.of(FULL), AT));
        assertThat(ids()).containsExactlyInAnyOrder("kept", "other", givenUp(made), givenUp(unknown));
        assertThat(cluster.state.rows(RowType.REFUSED_CREATIONS))
                .extracting(RefusedCreation::createIndex, RefusedCreation::volume)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(none.createIndex(), vol("none")));
        assertThat(kinds(outcome).stream().filter(Effect.VolumeRemoved.class::equals))
                .hasSize(3);
        // Another claim can have the keys at once.
        make("c", "n2", request("none"), request("made"), request("unknown"));
    }

    @Test
    void discardedVolumeTakesTheUnusedOnesOfItsSetWithIt() {
        make("a", "n1", request("one"), request("two"), request("three"));
        made("one");
        made("two");
        made("three");
        Volume one = get("one");
        Volume two = get("two");
        // Another claim has used one of the set.
        cluster.allocation("b", "n1");
        cluster.ok(take("b", request("three")));
        cluster.refused(
                Rejection.VolumeNotFound.class,
                new VolumeCommand.DiscardUnused(one.key(), one.createIndex() + 1, Optional.empty(), AT));
        cluster.refused(Rejection.VolumeNotFound.class, discard(get("three")));
        cluster.ok(new VolumeCommand.DiscardUnused(one.key(), one.createIndex(), Optional.of(FULL), AT));
        assertThat(ids()).containsExactlyInAnyOrder("three", givenUp(one), givenUp(two));
        assertThat(cluster.state.rows(RowType.REFUSED_CREATIONS)).hasSize(1);
        cluster.refused(Rejection.VolumeNotFound.class, discard(one));
        cluster.refused(Rejection.WrongPhase.class, setPhase(givenUp(one), VolumePhase.AVAILABLE));
    }

    @Test
    void setOfAnotherClaimStays() {
        make("a", "n1", request("one"), request("two"));
        made("one");
        made("two");
        cluster.ended("a", "n1");
        make("b", "n1", request("two"));
        cluster.ok(discard(get("one")));
        assertThat(cluster.claimOf("two", "b"))
                .as("the claim takes a volume that was left behind")
                .isPresent();
    }

    @Test
    void lateAnswersReachTheVolumeThatWasGivenUp() {
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        VolumeCommand.RecordProviderFacts late = answer(before, "late");
        cluster.ok(discard(before));
        make("b", "n2", request("data"));
        Volume after = get("data");
        cluster.ok(late);
        assertThat(get(givenUp(before)).externalVolumeId()).hasValue(ExternalVolumeId.of("late"));
        assertThat(get(givenUp(before)).phase()).isEqualTo(VolumePhase.DELETING);
        assertThat(get("data")).isEqualTo(after);
        cluster.ok(answer(after, "present"));
        assertThat(get("data").externalVolumeId()).hasValue(ExternalVolumeId.of("present"));
        cluster.ok(new VolumeCommand.DeregisterVolume(vol(givenUp(before)), false, AT));
        cluster.refused(Rejection.VolumeNotFound.class, late);
        assertThat(cluster.state.index()).isPositive();
    }

    @Test
    void callThatWasNotBegunBeforeTheVolumeWasGivenUpIsNotBegun() {
        make("a", "n1", request("data"));
        Volume before = get("data");
        cluster.ok(discard(before));
        assertThat(ids()).isEmpty();
        cluster.refused(
                Rejection.VolumeNotFound.class,
                new CallCommand.BeginCall(
                        before.key(), new CallTarget.OfVolume(before.createIndex(), VolumePhase.CREATING), AT));
        cluster.refused(Rejection.VolumeNotFound.class, answer(before, "late"));
    }

    /** The host may have given the key of a volume that is given up to a volume of its own. */
    @Test
    void volumeThatIsGivenUpOverwritesNoOtherVolume() {
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        cluster.volume(givenUp(before), VolumeAccessMode.SINGLE_NODE_WRITER);
        Volume hosts = get(givenUp(before));
        cluster.ok(discard(before));
        assertThat(get(givenUp(before))).isEqualTo(hosts);
        assertThat(get(givenUp(before) + "~2").formerKey()).hasValue(vol("data"));
        cluster.ok(new VolumeCommand.DeregisterVolume(hosts.key(), false, AT));
        cluster.ok(answer(before, "late"));
        assertThat(get(givenUp(before) + "~2").externalVolumeId()).hasValue(ExternalVolumeId.of("late"));
    }

    @Test
    void longestIdsCanBeGivenUp() {
        String longest = "v".repeat(128);
        make("a", "n1", request(longest));
        begin(longest);
        Volume before = get(longest);
        cluster.ok(discard(before));
        assertThat(ids()).singleElement().satisfies(id -> assertThat(id).hasSizeLessThan(128));
        cluster.ok(answer(before, "late"));
        assertThat(cluster.state.volumes(VolumeQuery.all()).items().get(0).externalVolumeId())
                .isPresent();
        make("b", "n1", request(longest));
        assertThat(ids()).hasSize(2);
    }

    @Test
    void sizesThatAnExpansionMayStillBringCountUntilTheVolumeIsGone() {
        make("a", "n1", request("data"));
        made("data");
        QuotaKey all = QuotaKey.of(Namespace.of("default"));
        cluster.state.putVolume(
                get("data").toBuilder().unsettledTargets(List.of(800L)).build());
        QuotaUse before = cluster.state.quotaUse(all);
        assertThat(before.bytes()).isEqualTo(800);
        cluster.ok(discard(get("data")));
        assertThat(cluster.state.quotaUse(all).bytes()).isEqualTo(800);
    }

    /** A node knows the volume by the key under which it mounted it. */
    @Test
    void reportsOfNodesAboutTheFormerKeyHoldTheDeletion() {
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        cluster.ok(discard(before));
        Volume now = get(givenUp(before));
        assertThat(Ledgers.firstUnsettled(cluster.state, now)).isEmpty();
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        cluster.ok(new NodeCommand.RecordLedger(
                NodeId.of("n1"), new LedgerReport(List.of(), List.of(vol("data"))), 0, AT));
        cluster.ok(new NodeCommand.RecordLedger(NodeId.of("n2"), LedgerReport.empty(), 0, AT));
        assertThat(Ledgers.firstUnsettled(cluster.state, now)).hasValue(NodeId.of("n1"));
    }

    /** A claim may have taken them since the backup, and then they have data. */
    @Test
    void volumesOfARestoredStateAreNotGivenUpAsUnused() {
        make("a", "n1", request("data"), request("half"));
        begin("half");
        made("data");
        Volume data = get("data");
        Volume half = get("half");
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        assertThat(get("data").isUnused()).isFalse();
        assertThat(get("half").isUnused()).isFalse();
        cluster.refused(Rejection.VolumeNotFound.class, discard(data));
        cluster.refused(Rejection.VolumeNotFound.class, discard(half));
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.RecordLedger(NodeId.of(node), LedgerReport.empty(), 0, AT));
        }
        cluster.ended("a", "n1");
        assertThat(get("data").phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(get("half").phase()).isEqualTo(VolumePhase.CREATING);
        made("half");
        assertThat(get("half").phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    /** A claim may have taken it since the backup, and then a node knows it by its key. */
    @Test
    void keptVolumeOfARestoredStateIsDeletedAndNotGivenUpWhenItsOwnerEnds() {
        put(fast().reclaim(ReclaimPolicy.DELETE));
        WorkloadOwner job = WorkloadOwner.of("job", 1);
        make("a", "n1", request("data", template().ofWorkload(job).keepUnused(true)));
        made("data");
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        cluster.ok(new OwnerCommand.EndOwner(Namespace.of("default"), job, AT));
        assertThat(get("data").phase()).isEqualTo(VolumePhase.DELETING);
    }

    /** It would have to wait for ever otherwise: only a claim begins the verification. */
    @Test
    void claimThatMakesALeftBehindVolumeOnceMoreBeginsTheVerificationOfTheOthers() {
        cluster.volume("x", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.RecordLedger(NodeId.of(node), LedgerReport.empty(), 0, AT));
        }
        make("a", "n1", request("data"));
        made("data", zone("z1"));
        cluster.ended("a", "n1");
        ClaimRequest x = ClaimRequest.writing(vol("x"), MOUNT);
        make("b", "n2", request("data"), x);
        assertThat(get("x").verification().orElseThrow().stage()).isEqualTo(Verification.Stage.ASKED);
        assertThat(cluster.state.volumesClaimedBy(alloc("b"))).isEmpty();
        assertThat(waits("b", "n2", request("data"), x)).isEqualTo(WaitReason.NOT_VERIFIED);
    }

    /** A volume is verified only when nothing else keeps the claim waiting, so the other reason says more. */
    @Test
    void claimThatMakesAVolumeNamesAnotherReasonThanTheVerificationOfItsOthers() {
        cluster.volume("x", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.RecordLedger(NodeId.of(node), LedgerReport.empty(), 0, AT));
        }
        cluster.volume("taken", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.claim("other", "n2", "taken", ClaimMode.WRITE, VolumeAccessMode.SINGLE_NODE_WRITER);
        ClaimRequest x = ClaimRequest.writing(vol("x"), MOUNT);
        ClaimRequest taken = ClaimRequest.writing(vol("taken"), MOUNT);
        assertThat(waits("b", "n1", x, taken, request("data"))).isEqualTo(WaitReason.CLAIMED_ON_OTHER_NODE);
        assertThat(find("data")).isEmpty();
        assertThat(get("x").verification()).isEmpty();
        make("c", "n1", x, request("data"));
        assertThat(get("x").verification().orElseThrow().stage()).isEqualTo(Verification.Stage.ASKED);
        assertThat(find("data")).isEmpty();
    }

    @Test
    void claimThatRequestsACreationAgainNamesAnotherReasonThanItsVerification() {
        make("a", "n1", request("data"));
        begin("data");
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.RecordLedger(NodeId.of(node), LedgerReport.empty(), 0, AT));
        }
        cluster.volume("taken", VolumeAccessMode.SINGLE_NODE_WRITER);
        cluster.claim("other", "n2", "taken", ClaimMode.WRITE, VolumeAccessMode.SINGLE_NODE_WRITER);
        ClaimRequest taken = ClaimRequest.writing(vol("taken"), MOUNT);
        assertThat(waits("a", "n1", request("data"), taken)).isEqualTo(WaitReason.CLAIMED_ON_OTHER_NODE);
    }

    @Test
    void claimThatRequestsACreationAgainSaysWhatElseItWaitsFor() {
        make("a", "n1", request("data"));
        begin("data");
        cluster.ok(new NodeCommand.RequireLedgers("restored", AT));
        assertThat(waits("a", "n1", request("data"))).isEqualTo(WaitReason.LEDGER_NOT_KNOWN);
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.RecordLedger(NodeId.of(node), LedgerReport.empty(), 0, AT));
        }
        cluster.ok(take("a", request("data")));
        assertThat(get("data").verification().orElseThrow().stage()).isEqualTo(Verification.Stage.CONFIRMED);
    }

    /** A volume that waits for its next claim holds neither the node nor the allocation for which it was made. */
    @Test
    void removedNodeLeavesTheStateAlthoughVolumesWereMadeForIt() {
        make("a", "n1", request("data"), request("kept", template().keepUnused(true)), ownRequest("own"));
        begin("own");
        made("data");
        assertThat(cluster.state.volumesOn(NodeId.of("n1"))).hasSize(3);
        Outcome.Accepted removed = cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "sold", AT));
        assertThat(Cluster.effects(removed, Effect.NodeRemoved.class))
                .containsExactly(new Effect.NodeRemoved(NodeId.of("n1")));
        assertThat(cluster.statusOf("n1")).isEmpty();
        assertThat(get("data").firstClaim().orElseThrow().ended()).isTrue();
        assertThat(get("kept").firstClaim()).isEmpty();
        assertThat(cluster.state.volumesClaimedBy(alloc("a"))).isEmpty();
    }

    @Test
    void volumesOfABatchAreGivenUpAndMadeInOneTransaction() {
        make("a", "n1", request("data"));
        begin("data");
        Volume before = get("data");
        cluster.allocation("b", "n2");
        cluster.ok(
                new Batch(List.of(Cluster.status("a", "n1", AllocationStatus.ENDED), take("b", request("data"))), AT));
        assertThat(get("data").createIndex()).isGreaterThan(before.createIndex());
        assertThat(find(givenUp(before))).isPresent();
    }
}
