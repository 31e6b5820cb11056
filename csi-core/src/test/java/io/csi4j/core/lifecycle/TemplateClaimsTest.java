package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.VolumeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims that make their volumes from templates, from the request to the grant and to the end of the volume. */
class TemplateClaimsTest extends TemplateRig {
    private CompletableFuture<?> madeIn(Object request, String zone) {
        CreateVolumeRequest creation = (CreateVolumeRequest) request;
        ExternalVolume made = ExternalVolume.builder(ExternalVolumeId.of("made-" + creation.name()))
                .capacityBytes(300)
                .accessibleTopology(List.of(zone(zone)))
                .build();
        rig.provider.volumes.put(creation.name(), made);
        return CompletableFuture.completedFuture(new CreateVolumeResponse(made));
    }

    @Test
    void claimMakesItsVolumeWhereItsNodeIs() {
        CompletableFuture<ClaimGrant> grant = claim("x", "b", request(DATA));
        assertThat(grant).isCompleted();
        Volume volume = volume(DATA).orElseThrow();
        assertThat(volume.claims().get(AllocationId.of("x")).orElseThrow().state())
                .isEqualTo(ClaimState.TAKEN);
        assertThat(volume.firstClaim()).isEmpty();
        assertThat(creations()).hasSize(1);
        assertThat(creations().get(0).accessibilityRequirements())
                .contains(new TopologyRequirement(List.of(zone("zone-b"), zone("zone-a")), List.of(zone("zone-b"))));
        assertThat(leader.claims().claim(AllocationId.of("x"), List.of(request(DATA))))
                .as("the same claim again")
                .isNotCompletedExceptionally();
        ended("x", "b");
        assertThat(volume(DATA).orElseThrow().phase()).as("a persistent volume").isEqualTo(VolumePhase.AVAILABLE);
        assertThat(claim("y", "b", request(DATA))).isCompleted();
        assertThat(creations()).hasSize(1);
        nothingLeaks();
    }

    @Test
    void groupAndPolicyOfAClassReachTheGrantOfAClaimWithoutOptions() {
        VolumeClassName shared = VolumeClassName.of("shared");
        MountOptions initial = new MountOptions(
                "",
                MountFlags.empty(),
                "1234",
                new OwnershipOptions(GroupChangePolicy.ROOT_IF_EMPTY, OptionalLong.of(7)));
        rig.done(leader.classes()
                .put(VolumeClass.builder(shared, VolumeRig.PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .defaultCapacity(CapacityRange.atLeast(300))
                        .mountOptions(initial)
                        .build()));
        CompletableFuture<ClaimGrant> grant = claim("x", "a", request(DATA, VolumeTemplate.of(shared)));
        assertThat(rig.done(grant).volumes().get(0).mountOptions()).isEqualTo(initial);
    }

    @Test
    void volumeOfAnAllocationGoesWhenTheAllocationHasEnded() {
        ClaimRequest scratch = ownRequest("x");
        assertThat(claim("x", "a", scratch)).isCompleted();
        assertThat(refused(claim("other", "a", ClaimRequest.writing(scratch.volume(), MOUNT))))
                .isEqualTo(NeverReason.OWNED_BY_ALLOCATION);
        rig.provider.mounted.add("held");
        ended("x", "a");
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
        nothingLeaks();
    }

    @Test
    void volumeOfAnAllocationStaysWhileItsNodeMayUseIt() {
        // Silence is no end.
        ClaimRequest scratch = ownRequest("x");
        assertThat(claim("x", "a", scratch)).isCompleted();
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.UNAVAILABLE);
        ended("x", "a");
        assertThat(volume(scratch.volume()).orElseThrow().phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(volumes()).isEmpty();
        nothingLeaks();
    }

    @Test
    void noRoomIsSaidToTheClaimAndTheNextNodeIsTried() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        node("c", "zone-a");
        rig.node("d");
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        assertThat(refused(claim)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(rig.failed(claim, RejectedException.class))
                .hasMessageContaining("nodes in other topologies that can make it: [b]");
        assertThat(volumes()).isEmpty();
        ended("x", "a");
        assertThat(claim("y", "b", request(DATA))).isCompleted();
        assertThat(creations()).hasSize(2);
        assertThat(creations().get(0).name()).isNotEqualTo(creations().get(1).name());
        nothingLeaks();
    }

    @ParameterizedTest
    @EnumSource(
            value = StatusCode.class,
            names = {"INVALID_ARGUMENT", "OUT_OF_RANGE", "ALREADY_EXISTS"})
    void refusalEndsTheClaimWithTheWordsOfThePlugin(StatusCode code) {
        rig.gateway.fail(Rpc.CREATE_VOLUME, code);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        assertThat(refused(claim)).isEqualTo(NeverReason.CREATION_REFUSED);
        assertThat(rig.failed(claim, RejectedException.class)).hasMessageContaining("CreateVolume failed with " + code);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(creations()).as("a refused claim makes nothing more").hasSize(1);
        assertThat(volumes()).isEmpty();
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        nothingLeaks();
    }

    @Test
    void unknownOutcomeIsFinishedWithTheSameRequestAndUsed() {
        // Nothing is deleted between the calls, so that a slow creation ends.
        for (int i = 0; i < 4; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        }
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        assertThat(claim).isNotDone();
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(claim).isCompleted();
        assertThat(creations()).hasSize(6);
        assertThat(creations().stream().distinct()).hasSize(1);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        nothingLeaks();
    }

    /** The codes after which a plugin that made the volume nevertheless leaves an orphan: they say that it made none. */
    private static final Set<StatusCode> FINAL = EnumSet.of(
            StatusCode.INVALID_ARGUMENT,
            StatusCode.ALREADY_EXISTS,
            StatusCode.RESOURCE_EXHAUSTED,
            StatusCode.OUT_OF_RANGE,
            StatusCode.UNIMPLEMENTED);

    @ParameterizedTest
    @EnumSource(value = StatusCode.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
    void volumeThatWasMadeBeforeAFailureIsUsedUnlessTheCodeIsFinal(StatusCode code) {
        // An error is no proof that nothing was made.
        rig.gateway.lose(Rpc.CREATE_VOLUME, code);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(claim.isCompletedExceptionally()).isEqualTo(FINAL.contains(code));
        assertThat(volumes()).hasSize(FINAL.contains(code) ? 0 : 1);
        if (!FINAL.contains(code)) {
            assertThat(claim).isCompleted();
            assertThat(creations().stream().distinct()).hasSize(1);
            nothingLeaks();
        }
    }

    @Test
    void answerThatIsTooLargeIsNoLackOfRoom() {
        // The client reports RESOURCE_EXHAUSTED for an answer that it could not take.
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            call.succeed();
            return CompletableFuture.failedFuture(new CsiCallException(
                    Rpc.CREATE_VOLUME,
                    "p",
                    null,
                    StatusCode.RESOURCE_EXHAUSTED,
                    CallOutcome.OUTCOME_UNKNOWN,
                    "the answer has 5 MiB",
                    null));
        });
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        assertThat(claim).isNotDone();
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(claim).isCompleted();
        assertThat(creations().stream().distinct()).hasSize(1);
        nothingLeaks();
    }

    @Test
    void claimLeavesAfterItsPatienceAndTheAllocationRunsElsewhere() {
        // The plugin never says whether it made the volume on node a.
        neverSaysInZoneA();
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(claim).isNotDone();
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(refused(claim)).isEqualTo(NeverReason.CREATION_UNSETTLED);
        ended("x", "a");
        assertThat(claim("y", "b", request(DATA))).isCompleted();
        assertThat(volumes()).hasSize(2);
        assertThat(refused(claim("z", "a", request(DATA)))).isEqualTo(NeverReason.OUT_OF_REACH);
        rig.gateway.answer();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volumes()).containsExactly(DATA);
        nothingLeaks();
    }

    private void neverSaysInZoneA() {
        rig.gateway.script = call -> {
            if (call.request() instanceof CreateVolumeRequest request
                    && request.accessibilityRequirements()
                            .orElseThrow()
                            .preferred()
                            .contains(zone("zone-a"))) {
                call.fail(StatusCode.UNKNOWN);
            } else {
                call.succeed();
            }
            return true;
        };
    }

    @Test
    void claimThatWaitsForItsVolumeWatchesNoOtherVolumesOfItsNode() {
        // Each claim of a node changes them, so that many claims of one node would be decided again for each other.
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        NodeId node = NodeId.of("a");
        assertThat(rig.log.watches(StateScope.volumesOn(node))).isZero();
        assertThat(rig.log.watches(StateScope.volume(DATA))).isPositive();
        assertThat(rig.log.watches(StateScope.node(node))).isPositive();
        rig.gateway.hanging().get(0).completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.ABORTED));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(claim).isCompleted();
    }

    @Test
    void sameNodeContinuesTheCreationOfAClaimThatLeft() {
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofMinutes(4));
        assertThat(refused(claim)).isEqualTo(NeverReason.CREATION_UNSETTLED);
        ended("x", "a");
        CompletableFuture<ClaimGrant> next = claim("y", "a", request(DATA));
        assertThat(next).isNotDone();
        rig.gateway.hanging().get(0).completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.ABORTED));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(next).isCompleted();
        assertThat(creations().stream().distinct()).hasSize(1);
        nothingLeaks();
    }

    @Test
    void volumeInAnotherPlaceIsDeletedAndTheClaimIsRefused() {
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> madeIn(call.request(), "zone-b"));
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        assertThat(refused(claim)).isEqualTo(NeverReason.WRONG_PLACE);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
        assertThat(claim("y", "a", request(DATA))).isCompleted();
        nothingLeaks();
    }

    @Test
    void volumeInAnotherPlaceStaysIfTheTemplateKeepsIt() {
        VolumeTemplate keeps = VolumeTemplate.builder(FAST).keepUnused(true).build();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> madeIn(call.request(), "zone-b"));
        assertThat(refused(claim("x", "a", request(DATA, keeps)))).isEqualTo(NeverReason.OUT_OF_REACH);
        ended("x", "a");
        rig.clock.advance(Duration.ofHours(1));
        assertThat(claim("y", "b", request(DATA, keeps))).isCompleted();
        assertThat(creations()).hasSize(1);
        nothingLeaks();
    }

    @Test
    void smallVolumeIsDeletedAndTheClaimIsRefused() {
        // The deletion fails several times, and a new leader continues it.
        rig.gateway.answer(
                Rpc.CREATE_VOLUME,
                request -> new CreateVolumeResponse(ExternalVolume.builder(ExternalVolumeId.of("small"))
                        .capacityBytes(1)
                        .build()));
        for (int i = 0; i < 5; i++) {
            rig.gateway.fail(Rpc.DELETE_VOLUME, StatusCode.INTERNAL);
        }
        assertThat(refused(claim("x", "a", request(DATA)))).isEqualTo(NeverReason.CREATION_REFUSED);
        leader = rig.engine();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway
                        .request(Rpc.DELETE_VOLUME, DeleteVolumeRequest.class)
                        .volumeId())
                .isEqualTo(ExternalVolumeId.of("small"));
    }

    @Test
    void setIsMadeTogetherOrNotAtAll() {
        // There is room for one of two.
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            call.succeed();
            return call.answer;
        });
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA), request(LOGS));
        assertThat(refused(claim)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
        ended("x", "a");
        assertThat(claim("y", "b", request(DATA), request(LOGS))).isCompleted();
        nothingLeaks();
    }

    @Test
    void unusedVolumeGoesAfterTenMinutes() {
        // The claim is cancelled while its volume is being made.
        CompletableFuture<CreateVolumeResponse> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            call.succeed();
            return answer;
        });
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        claim.cancel(false);
        answer.complete(new CreateVolumeResponse(
                rig.provider.volumes.values().iterator().next()));
        rig.clock.advance(Duration.ofMinutes(9));
        assertThat(volume(DATA).orElseThrow().phase()).isEqualTo(VolumePhase.AVAILABLE);
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(volumes()).isEmpty();
        nothingLeaks();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allocationThatEndsDuringTheCreationLeavesNothing(boolean answerLost) {
        // The volume of an allocation that has ended is made after all.
        CompletableFuture<Object> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            call.succeed();
            return answer;
        });
        ClaimRequest scratch = ownRequest("x");
        CompletableFuture<ClaimGrant> claim = claim("x", "a", scratch);
        assertThat(claim).isNotDone();
        ended("x", "a");
        assertThat(claim).isCompletedExceptionally();
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(creations())
                .as("one call at a time for one volume of the provider")
                .hasSize(1);
        if (answerLost) {
            answer.completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED));
        } else {
            answer.complete(new CreateVolumeResponse(
                    rig.provider.volumes.values().iterator().next()));
        }
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(volumes()).isEmpty();
        assertThat(rig.provider.volumes).isEmpty();
        assertThat(creations().stream().distinct()).hasSize(1);
        nothingLeaks();
    }

    @Test
    void storedRequestMakesItsVolumesUnderEachLeader() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        rig.allocation("x", "a", AllocationStatus.RUNNING);
        rig.done(leader.claims().request(AllocationId.of("x"), List.of(request(DATA))));
        rig.run();
        assertThat(creations()).hasSize(1);
        leader = rig.engine();
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(volume(DATA).orElseThrow().claims().get(AllocationId.of("x")))
                .isPresent();
        assertThat(creations()).hasSize(2);
        assertThat(creations().get(0)).isEqualTo(creations().get(1));
        nothingLeaks();
    }

    @Test
    void storedRequestThatIsRefusedIsRemoved() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        rig.allocation("x", "a", AllocationStatus.RUNNING);
        rig.done(leader.claims().request(AllocationId.of("x"), List.of(request(DATA))));
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.log.snapshot().requestedClaims()).isEmpty();
        assertThat(creations()).hasSize(1);
        assertThat(volumes()).isEmpty();
    }

    @Test
    void refusalAfterAnUnknownOutcomeIsNotTheEnd() {
        // The first call still works when a later one is refused.
        List<String> names = new ArrayList<>();
        neverSaysInZoneA();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            names.add(((CreateVolumeRequest) call.request()).name());
            return CompletableFuture.failedFuture(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED));
        });
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(refused(claim)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        ended("x", "a");
        assertThat(claim("y", "b", request(DATA))).isCompleted();
        assertThat(volumes()).hasSize(2);
        assertThat(madeIn(creations().get(0), "zone-a")).isCompleted();
        rig.gateway.answer();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volumes()).containsExactly(DATA);
        assertThat(rig.provider.volumes).hasSize(1).doesNotContainKey(names.get(0));
        nothingLeaks();
    }

    @Test
    void twoEqualRefusalsSettleACreationThatWasGivenUp() {
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(refused(claim)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        assertThat(volumes()).hasSize(1);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volumes()).isEmpty();
        assertThat(creations()).hasSize(4);
        assertThat(rig.log.snapshot().withdrawnCreations()).isEmpty();
    }

    @Test
    void oneRefusalAmongOtherFailuresSettlesNothing() {
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        for (int i = 0; i < 3; i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        }
        rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(refused(claim)).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.log.snapshot().withdrawnCreations()).isEmpty();
        assertThat(volumes()).isEmpty();
        assertThat(rig.provider.volumes)
                .as("the volume that the first call made")
                .isEmpty();
        assertThat(creations()).hasSize(7);
        nothingLeaks();
    }

    @Test
    void claimOfAVolumeWithoutItsTemplateTakesItToo() {
        assertThat(claim("x", "a", request(DATA))).isCompleted();
        ended("x", "a");
        assertThat(claim("y", "a", ClaimRequest.of(DATA, ClaimMode.READ, MOUNT)))
                .isCompleted();
        ended("y", "a");
        VolumeTemplate other = VolumeTemplate.builder(FAST)
                .capacityRange(CapacityRange.atLeast(900))
                .build();
        CompletableFuture<ClaimGrant> claim = claim("z", "a", request(DATA, other));
        assertThat(refused(claim)).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        assertThat(rig.failed(claim, RejectedException.class)).hasMessageContaining("capacityRange");
    }

    /** A restored state has the creation as unfinished, and the plugin refuses to repeat it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void volumeThatANodeHasMountedDuringItsCreationGoesWithItsOwner(boolean refusedOnce) {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        ClaimRequest scratch = ownRequest("x");
        CompletableFuture<ClaimGrant> claim = claim("x", "a", scratch);
        assertThat(madeIn(creations().get(0), "zone-a")).isCompleted();
        Volume before = volume(scratch.volume()).orElseThrow();
        VolumeUse use = new VolumeUse(
                before.key(),
                before.pluginId(),
                before.remoteId(),
                AllocationId.of("x"),
                ClaimMode.WRITE,
                MOUNT,
                false);
        rig.ok(new ClaimCommand.AdoptUses(before.key(), NodeId.of("a"), List.of(use), rig.now()));
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.UNAVAILABLE);
        for (int i = 0; i < (refusedOnce ? 1 : 0); i++) {
            rig.gateway.fail(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        }
        ended("x", "a");
        claim.cancel(false);
        rig.gateway.hanging().get(0).completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.ABORTED));
        rig.run();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).as("used").isEmpty();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volumes()).isEmpty();
        assertThat(rig.provider.volumes).isEmpty();
        nothingLeaks();
    }

    /** The plugin has the volume of a call without an answer, and refuses to return it. */
    @Test
    void nameThatIsTakenIsKeptAndTheNextPlaceIsServed() {
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED);
        rig.gateway.script = call -> {
            if (call.request() instanceof CreateVolumeRequest request
                    && rig.provider.volumes.containsKey(request.name())) {
                call.fail(StatusCode.ALREADY_EXISTS);
            } else {
                call.succeed();
            }
            return true;
        };
        CompletableFuture<ClaimGrant> claim = claim("x", "a", request(DATA));
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(refused(claim)).isEqualTo(NeverReason.CREATION_REFUSED);
        ended("x", "a");
        assertThat(claim("y", "b", request(DATA))).isCompleted();
        int before = creations().size();
        rig.clock.advance(Duration.ofDays(1));
        assertThat(creations().size() - before).as("calls in a day").isBetween(1, 24 * 60);
        assertThat(volumes()).as("the first attempt is still listed").hasSize(2);
        VolumeKey taken =
                volumes().stream().filter(key -> !key.equals(DATA)).findFirst().orElseThrow();
        assertThat(volume(taken).orElseThrow().retry().lastError().orElseThrow())
                .contains("ALREADY_EXISTS");
        rig.done(leader.operator().withdrawCreation(taken, "it is removed by hand"));
        assertThat(volumes()).containsExactly(DATA);
    }

    /** RESOURCE_EXHAUSTED is final: the plugin has made the volume nevertheless, and the list of orphans has it. */
    @Test
    void volumeThatThePluginMadeAlthoughItSaidThatThereIsNoRoomIsAnOrphan() {
        rig.controller.add(ControllerCapability.LIST_VOLUMES);
        node("a", "zone-a");
        node("b", "zone-b");
        rig.gateway.lose(Rpc.CREATE_VOLUME, StatusCode.RESOURCE_EXHAUSTED);
        assertThat(refused(claim("x", "a", request(DATA)))).isEqualTo(NeverReason.NO_CAPACITY_IN_TOPOLOGY);
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volumes()).isEmpty();
        assertThat(creations()).as("it is not asked again").hasSize(1);
        ExternalVolume made = rig.provider.volumes.values().iterator().next();
        List<ListVolumesResponse.Entry> entries = List.of(new ListVolumesResponse.Entry(made, Optional.empty()));
        rig.gateway
                .answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(entries, ""))
                .answer(Rpc.LIST_VOLUMES, request -> new ListVolumesResponse(entries, ""));
        assertThat(rig.done(leader.operator().orphanedVolumes(VolumeRig.PLUGIN)).orphaned())
                .containsExactly(made.volumeId());
    }
}
