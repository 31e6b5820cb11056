package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.placement.NodeDescription;
import io.csi4j.core.placement.NodePreference;
import io.csi4j.core.placement.ProposedPlacement;
import io.csi4j.core.placement.RankedNode;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The known capacity decides about placements and claims that make volumes, as far as the class wants it. */
class CapacityClaimsTest extends TemplateRig {
    private static final RequestedCapability READS = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY);

    private final Map<String, GetCapacityResponse> zones = new HashMap<>();

    CapacityClaimsTest() {
        rig.provider.capacity = request -> zones.getOrDefault(
                request.accessibleTopology().orElseThrow().segments().get("zone"),
                new GetCapacityResponse(0, Optional.empty(), Optional.empty()));
    }

    private void free(String zone, long bytes) {
        zones.put(zone, new GetCapacityResponse(bytes, Optional.empty(), Optional.empty()));
    }

    private void check(CapacityCheck check) {
        put(VolumeClass.builder(FAST, VolumeRig.PLUGIN)
                .requestedCapabilities(List.of(MOUNT, READS))
                .defaultCapacity(CapacityRange.atLeast(300))
                .capacityCheck(check));
    }

    private void put(VolumeClass.Builder row) {
        rig.done(leader.classes().put(row.build()));
    }

    /** Lets the leader ask for everything that is due. */
    private void measured() {
        rig.clock.advance(Duration.ofSeconds(30));
        rig.run();
    }

    private FeasibleNodes feasible() {
        return FeasibleNodes.in(rig.log.snapshot())
                .withCapacity(rig.done(leader.cluster().storageCapacity()));
    }

    private NodeAnswer on(String node, ClaimRequest... requests) {
        return feasible().on(NAMESPACE, NodeId.of(node), List.of(requests));
    }

    private static ClaimRequest sized(VolumeKey key, long bytes) {
        return request(
                key,
                VolumeTemplate.builder(FAST)
                        .capacityRange(CapacityRange.atLeast(bytes))
                        .build());
    }

    private static NeverReason reason(NodeAnswer answer) {
        return ((AdmissionDecision.Never) answer.refusals().values().iterator().next()).reason();
    }

    private List<String> ranked(NodePreference preference, ClaimRequest... requests) {
        return feasible().ranked(NAMESPACE, List.of(requests), preference).stream()
                .map(node -> node.answer().nodeId().value())
                .toList();
    }

    @Test
    void requiredClassRefusesTheNodeAndTheClaimBeforeThePluginIsAsked() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 299);
        free("zone-b", 300);
        measured();
        assertThat(reason(on("a", request(DATA)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(on("b", request(DATA)).admitted()).isTrue();
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        assertThat(refused(claim)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(rig.failed(claim, RejectedException.class))
                .hasMessageContaining("300 bytes")
                .hasMessageContaining("299 bytes were free there")
                .hasMessageContaining(" ago")
                .hasMessageContaining("zone-a");
        assertThat(creations()).isEmpty();
        assertThat(volumes()).isEmpty();
        ended("x", "a");
        assertThat(claim("y", "b", request(DATA))).isCompleted();
        nothingLeaks();
    }

    @Test
    void advisedClassIsMadeInSpiteOfTheKnownCapacityWhichOnlyOrders() {
        check(CapacityCheck.ADVISE);
        free("zone-a", 0);
        free("zone-b", 1000);
        measured();
        assertThat(on("a", request(DATA)).admitted()).isTrue();
        assertThat(ranked(NodePreference.mostFree(), request(DATA))).containsExactly("b", "a");
        assertThat(ranked(NodePreference.leastFree(), request(DATA)))
                .as("a place that has no room comes last")
                .containsExactly("b", "a");
        RankedNode full = feasible()
                .ranked(NAMESPACE, List.of(request(DATA)), NodePreference.mostFree())
                .get(1);
        assertThat(full.unlikely()).isTrue();
        assertThat(full.freeBytes()).hasValue(-300);
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        nothingLeaks();
    }

    @Test
    void unknownCapacityIsNoReasonToRefuse() {
        check(CapacityCheck.REQUIRED);
        rig.provider.capacity = request -> {
            throw HandGateway.failure(Rpc.GET_CAPACITY, StatusCode.UNAVAILABLE);
        };
        measured();
        assertThat(on("a", request(DATA)).admitted()).isTrue();
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        leader = rig.engine();
        assertThat(claim("y", "a", request(LOGS)))
                .as("a leader that has not asked")
                .isCompleted();
    }

    @Test
    void oldAnswerRefusesNothing() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 0);
        measured();
        assertThat(on("a", request(DATA)).admitted()).isFalse();
        rig.provider.capacity = request -> {
            throw HandGateway.failure(Rpc.GET_CAPACITY, StatusCode.UNAVAILABLE);
        };
        rig.clock.advance(Duration.ofSeconds(80));
        assertThat(on("a", request(DATA)).admitted())
                .as("younger than two intervals")
                .isFalse();
        rig.clock.advance(Duration.ofSeconds(30));
        assertThat(on("a", request(DATA)).admitted()).isTrue();
        assertThat(claim("x", "a", request(DATA))).isCompleted();
    }

    @ParameterizedTest
    @CsvSource({"500,600,,false", "600,600,,true", "700,,600,true", "500,,600,true"})
    void sizeOfOneVolumeHasItsLimits(long bytes, Long maximum, Long minimum, boolean admitted) {
        check(CapacityCheck.REQUIRED);
        zones.put(
                "zone-a",
                new GetCapacityResponse(
                        10_000,
                        Optional.ofNullable(maximum).map(most -> most == 600 && bytes == 500 ? 400L : most),
                        Optional.ofNullable(minimum)));
        measured();
        assertThat(on("a", sized(DATA, bytes)).admitted()).isEqualTo(admitted);
    }

    @Test
    void volumeThatMustBeSmallerThanTheSmallestIsRefused() {
        check(CapacityCheck.REQUIRED);
        zones.put("zone-a", new GetCapacityResponse(10_000, Optional.empty(), Optional.of(600L)));
        measured();
        ClaimRequest limited = request(
                DATA,
                VolumeTemplate.builder(FAST)
                        .capacityRange(new CapacityRange(100, 500))
                        .build());
        assertThat(reason(on("a", limited))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
    }

    @Test
    void volumesOfOneSetAreSummed() {
        // Two volumes of 300 do not both fit into 500.
        check(CapacityCheck.REQUIRED);
        free("zone-a", 500);
        free("zone-b", 600);
        measured();
        assertThat(on("a", request(DATA)).admitted()).isTrue();
        assertThat(reason(on("a", request(DATA), request(LOGS)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(on("b", request(DATA), request(LOGS)).admitted()).isTrue();
        assertThat(refused(claim("x", "a", request(DATA), request(LOGS))))
                .isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(volumes()).as("nothing of the set is made").isEmpty();
        assertThat(creations()).isEmpty();
    }

    @Test
    void placementsOfOnePlanAreSubtracted() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 500);
        measured();
        ProposedPlacement first =
                new ProposedPlacement(AllocationId.of("p"), NAMESPACE, NodeId.of("a"), List.of(request(DATA)));
        FeasibleNodes after = feasible().with(first);
        assertThat(after.on(NAMESPACE, NodeId.of("a"), List.of(request(LOGS))).admitted())
                .isFalse();
        assertThat(feasible()
                        .on(NAMESPACE, NodeId.of("a"), List.of(request(LOGS)))
                        .admitted())
                .isTrue();
    }

    @Test
    void creationsInFlightAreSubtractedOnlyInTheirClassAndPlace() {
        check(CapacityCheck.REQUIRED);
        VolumeClassName other = VolumeClassName.of("other");
        put(VolumeClass.builder(other, VolumeRig.PLUGIN)
                .requestedCapabilities(List.of(MOUNT))
                .defaultCapacity(CapacityRange.atLeast(300))
                .capacityCheck(CapacityCheck.REQUIRED));
        free("zone-a", 500);
        free("zone-b", 500);
        measured();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> new CompletableFuture<>());
        CompletableFuture<ClaimGrant> creating = claim("x", "a", request(DATA));
        assertThat(creating).isNotDone();
        assertThat(on("a", request(LOGS)).admitted()).isFalse();
        assertThat(on("a", sized(LOGS, 200)).admitted()).isTrue();
        assertThat(on("b", request(LOGS)).admitted()).isTrue();
        assertThat(on("a", request(LOGS, VolumeTemplate.of(other))).admitted())
                .as("the pool of another class is not known")
                .isTrue();
        assertThat(refused(claim("y", "a", request(LOGS)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
    }

    /** Starts a leader whose log applies TakeClaims only when the returned tasks run. */
    private List<Runnable> slowLog() {
        List<Runnable> held = new ArrayList<>();
        VolumeLifecycleBuilder builder = rig.builder();
        CommandLog log = rig.log.nextServer();
        leader = builder.log((CommandLog) Proxy.newProxyInstance(
                        CommandLog.class.getClassLoader(),
                        new Class<?>[] {CommandLog.class},
                        (self, method, arguments) -> {
                            if (!method.getName().equals("submit")
                                    || !(arguments[0] instanceof ClaimCommand.TakeClaims take)) {
                                return method.invoke(log, arguments);
                            }
                            CompletableFuture<Outcome> answer = new CompletableFuture<>();
                            held.add(() -> answer.complete(log.submit(take).join()));
                            return answer;
                        }))
                .build();
        leader.startLeading();
        return held;
    }

    @Test
    void claimsOfOneMomentDoNotTakeTheSameRoom() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 500);
        List<Runnable> held = slowLog();
        measured();
        CompletableFuture<ClaimGrant> first = claim("x", "a", request(DATA));
        assertThat(held).as("the log has not answered").hasSize(1);
        assertThat(volumes()).isEmpty();
        CompletableFuture<ClaimGrant> second = claim("y", "a", request(LOGS));
        assertThat(refused(second)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        held.remove(0).run();
        rig.run();
        held.remove(0).run();
        rig.run();
        assertThat(first).isCompleted();
        assertThat(creations()).hasSize(1);
    }

    @Test
    void madeVolumesAreSubtractedUntilTheNextAnswer() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 500);
        measured();
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        assertThat(on("a", request(LOGS)).admitted()).isFalse();
        free("zone-a", 400);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(on("a", request(LOGS)).admitted()).as("the next answer").isTrue();
    }

    @Test
    void refusedSizeIsRememberedForItsPlaceUntilTheNextAnswer() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 1 << 20);
        free("zone-b", 1 << 20);
        measured();
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(refused(claim("x", "a", request(DATA)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(on("a", request(LOGS)).admitted()).isFalse();
        assertThat(on("a", sized(LOGS, 299)).admitted()).as("a smaller one").isTrue();
        assertThat(on("b", request(LOGS)).admitted()).as("another place").isTrue();
        assertThat(refused(claim("y", "a", request(LOGS)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(creations()).as("the second claim asks nothing").hasSize(1);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(on("a", request(LOGS)).admitted()).as("measured anew").isTrue();
        nothingLeaks();
    }

    @Test
    void refusalEndsByTimeIfThePluginDoesNotSayItsCapacity() {
        check(CapacityCheck.REQUIRED);
        rig.controller.remove(ControllerCapability.GET_CAPACITY);
        node("a", "zone-a");
        node("b", "zone-b");
        measured();
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(refused(claim("x", "a", request(DATA)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(on("a", request(LOGS)).admitted()).isFalse();
        rig.clock.advance(Duration.ofSeconds(70));
        assertThat(on("a", request(LOGS)).admitted()).isTrue();
        // The second time lasts longer.
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(refused(claim("y", "a", request(LOGS)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        rig.clock.advance(Duration.ofSeconds(70));
        assertThat(on("a", request(DATA)).admitted()).isFalse();
        rig.clock.advance(Duration.ofSeconds(60));
        assertThat(on("a", request(DATA)).admitted()).isTrue();
    }

    @Test
    void deletedVolumeEndsTheRefusal() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 1 << 20);
        measured();
        assertThat(claim("x", "a", ownRequest("x"))).isCompleted();
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(refused(claim("y", "a", request(DATA)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(on("a", request(LOGS)).admitted()).isFalse();
        ended("x", "a");
        assertThat(on("a", request(LOGS)).admitted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"OUT_OF_RANGE", "INVALID_ARGUMENT", "UNAVAILABLE"})
    void otherFailuresSayNothingAboutTheRoom(StatusCode code) {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 1 << 20);
        measured();
        rig.gateway.fail(Rpc.CREATE_VOLUME, code);
        var unused = claim("x", "a", request(DATA));
        assertThat(on("a", request(LOGS)).admitted()).isTrue();
    }

    @Test
    void hostThatTakesTheFirstRankedNodeFindsTheOneWithRoom() {
        // With numbers that are wrong, and without any limit by the class.
        check(CapacityCheck.ADVISE);
        for (String node : List.of("c", "d", "e")) {
            node(node, "zone-" + node);
        }
        List.of("a", "b", "c", "d", "e").forEach(zone -> free("zone-" + zone, 1 << 20));
        measured();
        rig.gateway.script = call -> {
            if (call.request() instanceof CreateVolumeRequest creation
                    && !creation.accessibilityRequirements()
                            .orElseThrow()
                            .preferred()
                            .contains(zone("zone-e"))) {
                call.fail(StatusCode.RESOURCE_EXHAUSTED);
            } else {
                call.succeed();
            }
            return true;
        };
        int tries = 0;
        boolean served = false;
        while (!served && tries < 10) {
            String node = ranked(NodePreference.mostFree(), request(DATA)).get(0);
            CompletableFuture<ClaimGrant> claim = claim("x" + tries, node, request(DATA));
            served = !claim.isCompletedExceptionally();
            ended("x" + tries, node);
            tries++;
        }
        assertThat(served).isTrue();
        assertThat(creations()).hasSizeLessThanOrEqualTo(5);
    }

    @Test
    void refusedPlacementIsMeasuredAgainSoon() {
        // The number is old, and there is room.
        check(CapacityCheck.REQUIRED);
        free("zone-a", 0);
        measured();
        free("zone-a", 1000);
        assertThat(refused(claim("x", "a", request(DATA)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        rig.clock.advance(Duration.ofSeconds(2));
        assertThat(claim("y", "a", request(DATA))).isCompleted();
    }

    @Test
    void templateWithOtherCapabilitiesHasNoKnownCapacity() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 0);
        measured();
        ClaimRequest other = request(
                DATA,
                VolumeTemplate.builder(FAST)
                        .requestedCapabilities(List.of(MOUNT))
                        .build());
        ClaimRequest same = request(
                DATA,
                VolumeTemplate.builder(FAST)
                        .requestedCapabilities(List.of(READS, MOUNT))
                        .build());
        assertThat(on("a", other).admitted()).isTrue();
        assertThat(on("a", same).admitted()).isFalse();
    }

    @Test
    void volumeWithoutASizeNeedsSomeRoom() {
        put(VolumeClass.builder(FAST, VolumeRig.PLUGIN)
                .requestedCapabilities(List.of(MOUNT))
                .capacityCheck(CapacityCheck.REQUIRED));
        free("zone-a", 0);
        free("zone-b", 1);
        measured();
        assertThat(on("a", request(DATA)).admitted()).isFalse();
        assertThat(on("b", request(DATA)).admitted()).isTrue();
    }

    @Test
    void hugeSizesDoNotOverflow() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", Long.MAX_VALUE);
        free("zone-b", 5);
        measured();
        assertThat(on("a", sized(DATA, Long.MAX_VALUE)).admitted()).isTrue();
        assertThat(on("a", sized(DATA, Long.MAX_VALUE - 1), sized(LOGS, Long.MAX_VALUE - 1))
                        .admitted())
                .as("a sum above all numbers is that of the largest one")
                .isTrue();
        assertThat(on("b", sized(DATA, Long.MAX_VALUE), sized(LOGS, Long.MAX_VALUE))
                        .admitted())
                .isFalse();
    }

    @Test
    void existingVolumeNeedsNoRoom() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 400);
        measured();
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        ended("x", "a");
        free("zone-a", 0);
        measured();
        assertThat(on("a", request(DATA)).admitted()).isTrue();
        assertThat(claim("y", "a", request(DATA))).isCompleted();
        assertThat(creations()).hasSize(1);
    }

    @Test
    void claimWithoutRoomElsewhereIsStillRefusedForItsOwnReason() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 0);
        measured();
        ClaimRequest unknownClass = request(DATA, VolumeTemplate.of(VolumeClassName.of("none")));
        assertThat(claim("x", "a", unknownClass)).isCompletedExceptionally();
        assertThat(rig.failed(
                        leader.claims().claim(AllocationId.of("x"), List.of(unknownClass)), RejectedException.class))
                .hasMessageContaining("className");
    }

    @Test
    void nodesAreOrderedByFreeCapacityAsTheCallerChooses() {
        check(CapacityCheck.ADVISE);
        node("c", "zone-c");
        node("d", "zone-d");
        free("zone-a", 1000);
        free("zone-b", 3000);
        free("zone-c", 2000);
        free("zone-d", 100);
        measured();
        assertThat(ranked(NodePreference.mostFree(), request(DATA))).containsExactly("b", "c", "a", "d");
        assertThat(ranked(NodePreference.leastFree(), request(DATA))).containsExactly("a", "c", "b", "d");
        node("e", "zone-e");
        assertThat(ranked(NodePreference.mostFree(), request(DATA)))
                .as("what is not known comes after what fits, and before what does not")
                .containsExactly("b", "c", "a", "e", "d");
    }

    @Test
    void nodesThatAreNotFeasibleComeLast() {
        put(VolumeClass.builder(FAST, VolumeRig.PLUGIN)
                .requestedCapabilities(List.of(MOUNT))
                .allowedTopologies(List.of(zone("zone-b"))));
        assertThat(ranked(NodePreference.mostFree(), request(DATA))).containsExactly("b", "a");
        rig.fingerprint("b", false);
        List<RankedNode> nodes = feasible().ranked(NAMESPACE, List.of(request(DATA)), NodePreference.mostFree());
        assertThat(nodes.get(0).answer().never()).as("it may be feasible later").isFalse();
        assertThat(nodes.get(1).answer().never()).isTrue();
    }

    private static ClaimRequest of(WorkloadOwner owner, String id) {
        return request(
                VolumeKey.of("default", id),
                VolumeTemplate.builder(FAST).ofWorkload(owner).build());
    }

    @Test
    void volumesOfAWorkloadSpreadOverTopologies() {
        check(CapacityCheck.ADVISE);
        node("a2", "zone-a");
        free("zone-a", 1 << 20);
        free("zone-b", 1 << 10);
        measured();
        WorkloadOwner web = WorkloadOwner.of("web", 1);
        NodePreference spread = NodePreference.mostFree().spreading(web);
        assertThat(ranked(spread, of(web, "data-0"))).containsExactly("a", "a2", "b");
        assertThat(claim("web-0", "a", of(web, "data-0"))).isCompleted();
        assertThat(ranked(spread, of(web, "data-1"))).containsExactly("b", "a", "a2");
        assertThat(ranked(NodePreference.mostFree().spreading(WorkloadOwner.of("web", 2)), of(web, "data-1")))
                .as("another life of the workload")
                .containsExactly("a", "a2", "b");
        ProposedPlacement next =
                new ProposedPlacement(AllocationId.of("web-1"), NAMESPACE, NodeId.of("b"), List.of(of(web, "data-1")));
        List<RankedNode> nodes = feasible().with(next).ranked(NAMESPACE, List.of(of(web, "data-2")), spread);
        assertThat(nodes).extracting(RankedNode::workloadVolumes).containsExactly(1, 1, 1);
    }

    @Test
    void volumesOfAGroupOfAllocationsSpreadOverTopologies() {
        check(CapacityCheck.ADVISE);
        free("zone-a", 1 << 20);
        free("zone-b", 1 << 10);
        measured();
        assertThat(claim("one", "a", ownRequest("one"))).isCompleted();
        NodePreference spread = NodePreference.mostFree().spreadingGroup(List.of(AllocationId.of("one")));
        assertThat(ranked(spread, ownRequest("two"))).containsExactly("b", "a");
        assertThat(ranked(
                        NodePreference.mostFree().spreadingGroup(List.of(AllocationId.of("none"))), ownRequest("two")))
                .containsExactly("a", "b");
    }

    @Test
    void nodeThatDoesNotExistYetHasTheReasonsOfOtherNodes() {
        put(VolumeClass.builder(FAST, VolumeRig.PLUGIN)
                .requestedCapabilities(List.of(MOUNT))
                .defaultCapacity(CapacityRange.atLeast(300))
                .capacityCheck(CapacityCheck.REQUIRED)
                .allowedTopologies(List.of(zone("zone-a"), zone("zone-b"), zone("zone-new"))));
        free("zone-a", 0);
        free("zone-b", 1000);
        measured();
        FeasibleNodes nodes = feasible()
                .withNode(described("new-a", zone("zone-a"), 0))
                .withNode(described("new-b", zone("zone-b"), 0))
                .withNode(described("new-new", zone("zone-new"), 0))
                .withNode(described("new-far", zone("zone-far"), 0))
                .withNode(described("new-none", null, 0))
                .withNode(NodeDescription.builder(NodeId.of("new-bare"))
                        .plugin(PluginId.of("other"))
                        .build());
        Map<String, NodeAnswer> answers = new HashMap<>();
        nodes.onAll(NAMESPACE, List.of(request(DATA)))
                .forEach(answer -> answers.put(answer.nodeId().value(), answer));
        assertThat(answers).hasSize(8);
        assertThat(reason(answers.get("new-a"))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(answers.get("new-b").admitted()).isTrue();
        assertThat(answers.get("new-new").admitted())
                .as("its capacity is not known")
                .isTrue();
        assertThat(reason(answers.get("new-far"))).isEqualTo(NeverReason.TOPOLOGY_NOT_ALLOWED);
        assertThat(wait(answers.get("new-none"))).contains("topology of node new-none");
        assertThat(wait(answers.get("new-bare"))).contains("no healthy node instance");
        assertThat(nodes.ranked(NAMESPACE, List.of(request(DATA)), NodePreference.mostFree())
                        .get(0)
                        .answer()
                        .nodeId()
                        .value())
                .isEqualTo("b");
    }

    private static String wait(NodeAnswer answer) {
        return ((AdmissionDecision.Wait) answer.refusals().get(DATA)).detail();
    }

    private static NodeDescription described(String name, Topology topology, long max) {
        return NodeDescription.builder(NodeId.of(name))
                .plugin(VolumeRig.PLUGIN, topology, max)
                .build();
    }

    @Test
    void nodeThatDoesNotExistYetHasItsLimitOfVolumes() {
        check(CapacityCheck.ADVISE);
        NodeId fresh = NodeId.of("new");
        FeasibleNodes nodes = feasible().withNode(described("new", zone("zone-a"), 1));
        assertThat(nodes.on(NAMESPACE, fresh, List.of(request(DATA))).admitted())
                .isTrue();
        assertThat(nodes.on(NAMESPACE, fresh, List.of(request(DATA), request(LOGS)))
                        .admitted())
                .isFalse();
        FeasibleNodes after =
                nodes.with(new ProposedPlacement(AllocationId.of("p"), NAMESPACE, fresh, List.of(request(DATA))));
        assertThat(after.on(NAMESPACE, fresh, List.of(request(LOGS))).admitted())
                .isFalse();
        assertThatThrownBy(() -> nodes.withNode(described("a", null, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node a exists");
        assertThatThrownBy(() -> nodes.withNode(described("new", null, 0)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void topologyThatNoNodeHasIsNotAskedFor() {
        check(CapacityCheck.ADVISE);
        measured();
        int before = rig.gateway.requests(Rpc.GET_CAPACITY).size();
        var unused = feasible()
                .withNode(described("new", zone("zone-new"), 0))
                .on(NAMESPACE, NodeId.of("new"), List.of(request(DATA)));
        rig.clock.advance(Duration.ofSeconds(20));
        assertThat(rig.gateway.requests(Rpc.GET_CAPACITY)).hasSize(before);
    }

    @Test
    void storedRequestIsRefusedToo() {
        check(CapacityCheck.REQUIRED);
        free("zone-a", 0);
        measured();
        rig.allocation("x", "a", AllocationStatus.RUNNING);
        rig.done(leader.claims().request(AllocationId.of("x"), List.of(request(DATA))));
        rig.run();
        assertThat(creations()).isEmpty();
        assertThat(volumes()).isEmpty();
    }
}
