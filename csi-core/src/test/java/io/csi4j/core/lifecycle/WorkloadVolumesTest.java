package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.VolumeEvent;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes that belong to a workload: they end with it, or are retained, adopted and reused. */
class WorkloadVolumesTest extends TemplateRig {
    private static final VolumeClassName KEPT = VolumeClassName.of("kept");
    private static final WorkloadOwner WEB_1 = WorkloadOwner.of("web", 1);
    private static final WorkloadOwner WEB_2 = WorkloadOwner.of("web", 2);

    private final List<VolumeEvent.Change> changes = new ArrayList<>();

    WorkloadVolumesTest() {
        rig.listener = new EventListener() {
            @Override
            public void volumeChanged(VolumeEvent event) {
                changes.add(event.change());
            }
        };
        leader = rig.engine();
        rig.done(leader.classes()
                .put(VolumeClass.builder(KEPT, VolumeRig.PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .defaultCapacity(CapacityRange.atLeast(300))
                        .reclaim(ReclaimPolicy.RETAIN)
                        .build()));
    }

    private static ClaimRequest owned(VolumeClassName className, WorkloadOwner owner) {
        return request(DATA, VolumeTemplate.builder(className).ofWorkload(owner).build());
    }

    private static ClaimRequest reusing(WorkloadOwner owner) {
        return request(
                DATA,
                VolumeTemplate.builder(KEPT)
                        .ofWorkload(owner)
                        .reuseRetained(true)
                        .build());
    }

    private void ownerEnded(WorkloadOwner owner) {
        rig.done(leader.cluster().ownerEnded(NAMESPACE, owner));
        rig.run();
    }

    private Optional<VolumeOwner.OfWorkload> owner(VolumeKey key) {
        return volume(key).orElseThrow().owner().flatMap(VolumeOwner::ofWorkload);
    }

    @Test
    void volumeOutlivesAllocationsAndGoesWithItsWorkload() {
        assertThat(claim("x", "a", owned(FAST, WEB_1))).isCompleted();
        ended("x", "a");
        assertThat(claim("y", "a", owned(FAST, WEB_1))).isCompleted();
        assertThat(creations()).hasSize(1);
        ownerEnded(WEB_1);
        assertThat(volume(DATA).orElseThrow().phase()).as("in use").isEqualTo(VolumePhase.AVAILABLE);
        ended("y", "a");
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
        assertThat(changes).contains(VolumeEvent.Change.DELETING).doesNotContain(VolumeEvent.Change.RETAINED);
        nothingLeaks();
    }

    @Test
    void lateReportOfAnEarlierLifeChangesNothing() {
        // A report about incarnation 1 is repeated after incarnation 2 has begun.
        ownerEnded(WEB_1);
        assertThat(claim("x", "a", owned(FAST, WEB_2))).isCompleted();
        ownerEnded(WEB_1);
        assertThat(volume(DATA).orElseThrow().phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(refused(claim(
                        "late", "a", request(LOGS, owned(FAST, WEB_1).template().orElseThrow()))))
                .isEqualTo(NeverReason.OWNER_ENDED);
        assertThat(refused(claim("other", "a", owned(FAST, WEB_1)))).isEqualTo(NeverReason.TEMPLATE_DIFFERS);
        ended("x", "a");
        ownerEnded(WEB_2);
        assertThat(volumes()).isEmpty();
        assertThat(creations()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ownerThatEndsDuringTheCreationLeavesNothing(boolean answerLost) {
        CompletableFuture<CreateVolumeResponse> answer = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            call.succeed();
            return answer;
        });
        CompletableFuture<ClaimGrant> claim = claim("x", "a", owned(FAST, WEB_1));
        ownerEnded(WEB_1);
        assertThat(claim).isCompletedExceptionally();
        if (answerLost) {
            answer.completeExceptionally(HandGateway.failure(Rpc.CREATE_VOLUME, StatusCode.DEADLINE_EXCEEDED));
        } else {
            answer.complete(new CreateVolumeResponse(
                    rig.provider.volumes.values().iterator().next()));
        }
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(volumes()).isEmpty();
        nothingLeaks();
    }

    @Test
    void retainedVolumeIsKeptUntilItIsDeletedExplicitly() {
        assertThat(claim("x", "a", owned(KEPT, WEB_1))).isCompleted();
        ended("x", "a");
        Instant before = rig.now();
        ownerEnded(WEB_1);
        assertThat(volume(DATA).orElseThrow().retainedSince()).contains(before);
        assertThat(changes).contains(VolumeEvent.Change.RETAINED).doesNotContain(VolumeEvent.Change.DELETING);
        CsiRequestException refused = rig.failed(leader.volumes().delete(DATA), CsiRequestException.class);
        assertThat(refused).hasMessageContaining("is retained since " + before);
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        rig.done(leader.volumes().deleteRetained(DATA));
        assertThat(volumes()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
    }

    @Test
    void volumeThatWasNeverUsedIsNotRetained() {
        rig.gateway.plan(Rpc.CREATE_VOLUME, call -> {
            call.succeed();
            rig.allocation("x", "a", AllocationStatus.ENDED);
            return call.answer;
        });
        assertThat(claim("x", "a", owned(KEPT, WEB_1))).isCompletedExceptionally();
        assertThat(volume(DATA).orElseThrow().phase()).isEqualTo(VolumePhase.AVAILABLE);
        ownerEnded(WEB_1);
        assertThat(volumes()).isEmpty();
        nothingLeaks();
    }

    @Test
    void nextLifeUsesARetainedVolumeOnlyIfItSaysSo() {
        // The new life of the workload asks for the same volume.
        assertThat(claim("x", "a", owned(KEPT, WEB_1))).isCompleted();
        ExternalVolumeId made = volume(DATA).orElseThrow().remoteId();
        ended("x", "a");
        ownerEnded(WEB_1);
        assertThat(refused(claim("y", "a", owned(KEPT, WEB_2)))).isEqualTo(NeverReason.RETAINED_VOLUME_EXISTS);
        assertThat(claim("z", "a", reusing(WEB_2))).isCompleted();
        assertThat(volume(DATA).orElseThrow().remoteId()).isEqualTo(made);
        assertThat(owner(DATA)).contains(new VolumeOwner.OfWorkload(WEB_2, Optional.empty()));
        assertThat(volume(DATA).orElseThrow().retainedSince()).isEmpty();
        assertThat(creations()).hasSize(1);
    }

    @Test
    void adoptedVolumeBelongsToItsNewWorkloadOrToNone() {
        assertThat(claim("x", "a", owned(KEPT, WEB_1))).isCompleted();
        ended("x", "a");
        ownerEnded(WEB_1);
        rig.done(leader.volumes().adopt(DATA, Optional.of(WEB_2)));
        assertThat(claim("y", "a", owned(KEPT, WEB_2))).isCompleted();
        RejectedException late = rig.failed(leader.volumes().adopt(DATA, Optional.of(WEB_1)), RejectedException.class);
        assertThat(late).hasMessageContaining("which has ended");
        rig.done(leader.volumes().adopt(DATA, Optional.empty()));
        ownerEnded(WEB_2);
        ended("y", "a");
        assertThat(owner(DATA)).isEmpty();
        assertThat(volume(DATA).orElseThrow().phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    @ParameterizedTest
    @EnumSource
    void policyIsTheOneOfTheLogWhenTheOwnerEnds(ReclaimPolicy policy) {
        // The policy is changed before and after the end of the owner.
        VolumeClassName className = policy == ReclaimPolicy.RETAIN ? FAST : KEPT;
        assertThat(claim("x", "a", owned(className, WEB_1))).isCompleted();
        rig.done(leader.volumes().setReclaim(DATA, policy));
        ownerEnded(WEB_1);
        ended("x", "a");
        assertThat(volumes()).hasSize(policy == ReclaimPolicy.RETAIN ? 1 : 0);
        if (policy == ReclaimPolicy.RETAIN) {
            rig.gateway.hang(Rpc.DELETE_VOLUME);
            rig.done(leader.volumes().setReclaim(DATA, ReclaimPolicy.DELETE));
            rig.run();
            RejectedException late =
                    rig.failed(leader.volumes().setReclaim(DATA, ReclaimPolicy.RETAIN), RejectedException.class);
            assertThat(late.reason()).isInstanceOf(Rejection.WrongPhase.class);
            assertThat(rig.gateway
                            .hanging()
                            .get(0)
                            .completeExceptionally(HandGateway.failure(Rpc.DELETE_VOLUME, StatusCode.UNAVAILABLE)))
                    .isTrue();
            rig.clock.advance(Duration.ofMinutes(5));
            assertThat(volumes()).isEmpty();
        }
    }

    @Test
    void volumeWithoutAClassHasNoPolicy() {
        rig.done(leader.volumes().create(LOGS, VolumeRig.spec().build()));
        RejectedException refused =
                rig.failed(leader.volumes().setReclaim(LOGS, ReclaimPolicy.RETAIN), RejectedException.class);
        assertThat(refused).hasMessageContaining("made without a class");
    }

    private List<VolumeKey> keys(VolumeQuery.Builder query) {
        return rig.done(leader.volumes().list(query.build())).items().stream()
                .map(VolumeSummary::key)
                .toList();
    }

    @Test
    void volumesAreListedByTheirWorkloadAndByBeingRetained() {
        assertThat(claim("x", "a", owned(KEPT, WEB_1))).isCompleted();
        rig.done(leader.volumes().create(LOGS, VolumeTemplate.of(FAST)));
        assertThat(keys(VolumeQuery.builder().workload(WEB_1.name()))).containsExactly(DATA);
        assertThat(keys(VolumeQuery.builder().workload(WorkloadName.of("db")))).isEmpty();
        assertThat(keys(VolumeQuery.builder().retained(true))).isEmpty();
        ended("x", "a");
        Instant end = rig.now();
        ownerEnded(WEB_1);
        assertThat(keys(VolumeQuery.builder().retained(true))).containsExactly(DATA);
        VolumeSummary kept = rig.done(leader.volumes()
                        .list(VolumeQuery.builder().retained(true).build()))
                .items()
                .get(0);
        assertThat(kept.retainedSince()).contains(end);
        assertThat(kept.owner()).contains(new VolumeOwner.OfWorkload(WEB_1, Optional.of(end)));
        rig.done(leader.volumes().adopt(DATA, Optional.empty()));
        assertThat(keys(VolumeQuery.builder().retained(true))).isEmpty();
        assertThat(keys(VolumeQuery.builder().workload(WEB_1.name()))).isEmpty();
    }

    @Test
    void ownerIsShownOnlyToCallersWhoMayReadTheVolume() {
        assertThat(claim("x", "a", owned(KEPT, WEB_1))).isCompleted();
        ownerEnded(WEB_1);
        rig.access =
                (caller, access) -> !caller.getName().equals("eve") || access.permission() == Permission.VOLUME_LIST;
        CallerOperations eve = rig.engine().as(() -> "eve");
        VolumeSummary seen =
                rig.done(eve.volumes().list(VolumeQuery.all())).items().get(0);
        assertThat(seen.owner()).isEmpty();
        assertThat(seen.retainedSince()).isPresent();
        VolumeQuery byWorkload = VolumeQuery.builder().workload(WEB_1.name()).build();
        assertThat(rig.done(eve.volumes().list(byWorkload)).items()).isEmpty();
        assertThat(rig.failed(
                        eve.volumes()
                                .list(byWorkload.toBuilder()
                                        .namespace(NAMESPACE)
                                        .build()),
                        AccessDeniedException.class))
                .hasMessageContaining("VOLUME_READ");
    }
}
