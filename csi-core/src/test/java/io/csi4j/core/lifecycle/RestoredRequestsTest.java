package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.VolumeEvent;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests about volumes of a restored state: their deletion, their changes and copies, and the end of their workloads. */
class RestoredRequestsTest extends TemplateRig {
    private static final Rpc ASK = Rpc.VALIDATE_VOLUME_CAPABILITIES;
    private static final VolumeClassName KEPT = VolumeClassName.of("kept");
    private static final WorkloadOwner WEB = WorkloadOwner.of("web", 1);
    private static final CapacityRange LARGER = CapacityRange.atLeast(1 << 20);

    private final List<VolumeEvent.Change> changes = new ArrayList<>();
    private int users;

    RestoredRequestsTest() {
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

    /** The state is restored, and each node has said that it has nothing mounted. */
    private void restored() {
        leader.stopLeading();
        rig.gateway.abandon();
        for (String node : List.of("a", "b")) {
            rig.gateway.ledgers.put(NodeId.of(node), LedgerReport.empty());
        }
        rig.ok(new NodeCommand.RequireLedgers("restored from monday", rig.now()));
        leader = rig.engine();
        minutes(30);
        assertThat(rig.log.snapshot().unsettledNodes()).isEmpty();
        rig.gateway.calls().clear();
    }

    private void minutes(int count) {
        rig.clock.advance(Duration.ofMinutes(count));
    }

    /** A volume that the backup has, and that no allocation uses. */
    private void unused(ClaimRequest request) {
        String before = "before-" + ++users;
        assertThat(claim(before, "a", request)).isCompleted();
        ended(before, "a");
        restored();
    }

    /** A claim asks about the volume, and the provider does not have it. */
    private RejectedException lost(ClaimRequest request) {
        unused(request);
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> grant = claim("asks-" + users, "a", request);
        minutes(30);
        RejectedException refused = rig.failed(grant, RejectedException.class);
        ended("asks-" + users, "a");
        assertThat(row().isLost()).isTrue();
        rig.gateway.calls().clear();
        return refused;
    }

    /** Returns the calls about volumes: the free capacity is asked for at intervals. */
    private List<Rpc> calls() {
        return rig.gateway.rpcs().stream()
                .filter(rpc -> rpc != Rpc.GET_CAPACITY)
                .toList();
    }

    private Volume row() {
        return volume(DATA).orElseThrow();
    }

    private static ClaimRequest owned(VolumeClassName className) {
        return request(DATA, VolumeTemplate.builder(className).ofWorkload(WEB).build());
    }

    @Test
    void creationIsNotRequestedAgainByAClaimThatWaitsForAnotherVolumeToMake() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        assertThat(claim("x", "a", request(DATA))).isNotDone();
        restored();
        VolumeClassName other = VolumeClassName.of("other");
        rig.done(leader.classes()
                .put(VolumeClass.builder(other, PluginId.of("absent"))
                        .requestedCapabilities(List.of(MOUNT))
                        .build()));
        assertThat(claim("x", "a", request(DATA), request(LOGS, VolumeTemplate.of(other))))
                .isNotDone();
        minutes(30);
        assertThat(calls()).isEmpty();
        assertThat(row().verification()).isEmpty();
    }

    @Test
    void claimWithItsTemplateContinuesTheCreationOfTheBackup() {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        assertThat(claim("x", "a", request(DATA))).isNotDone();
        restored();
        minutes(600);
        assertThat(calls()).isEmpty();
        assertThat(row().phase()).isEqualTo(VolumePhase.CREATING);
        String name = row().name();
        CompletableFuture<ClaimGrant> grant = claim("x", "a", request(DATA));
        assertThat(grant).isCompleted();
        assertThat(creations()).hasSize(1);
        assertThat(creations().get(0).name())
                .as("it finds what was made before")
                .isEqualTo(name);
        nothingLeaks();
    }

    @Test
    void claimWithTheTemplateOfALostVolumeSaysWhatToDoAndMakesNothing() {
        RejectedException refused = lost(request(DATA));
        Rejection.NotAdmitted reason = (Rejection.NotAdmitted) refused.reason();
        AdmissionDecision.Never never = (AdmissionDecision.Never) reason.decision();
        assertThat(never.reason()).isEqualTo(NeverReason.VOLUME_LOST);
        assertThat(never.detail()).contains("delete or forget", "recheck", "restored from monday");
        assertThat(refused(claim("later", "b", request(DATA)))).isEqualTo(NeverReason.VOLUME_LOST);
        minutes(600);
        assertThat(creations()).isEmpty();
        rig.done(leader.operator().forgetVolume(DATA, "deleted after the backup"));
        assertThat(claim("last", "b", request(DATA))).as("the key is free").isCompleted();
        assertThat(creations()).hasSize(1);
    }

    @Test
    void deletionOfALostVolumeCallsThePluginOnceAndFreesTheKey() {
        lost(request(DATA));
        rig.done(leader.volumes().delete(DATA));
        assertThat(volume(DATA)).isEmpty();
        assertThat(calls()).containsExactly(Rpc.DELETE_VOLUME);
        assertThat(claim("y", "a", request(DATA))).isCompleted();
    }

    @Test
    void deletionOfACreationOfTheBackupDeletesWhatWasMadeSinceTheBackup() {
        leader.stopLeading();
        rig.ok(new VolumeCommand.RegisterVolume(
                DATA, VolumeRig.spec().build(), VolumeOrigin.CREATED, ProviderFacts.none(), rig.now()));
        rig.provider.volumes.put(
                row().name(),
                ExternalVolume.builder(ExternalVolumeId.of("made-later")).build());
        restored();
        rig.done(leader.volumes().delete(DATA));
        assertThat(volume(DATA)).isEmpty();
        assertThat(rig.provider.volumes).as("nothing leaks").isEmpty();
    }

    @Test
    void lostVolumeIsDeregisteredOrForgottenWithoutACall() {
        lost(request(DATA));
        rig.done(leader.volumes().deregister(DATA));
        assertThat(volume(DATA)).isEmpty();
        assertThat(calls()).isEmpty();
        lost(request(DATA));
        rig.done(leader.operator().forgetVolume(DATA, "deleted after the backup"));
        assertThat(volume(DATA)).isEmpty();
        minutes(600);
        assertThat(calls()).isEmpty();
    }

    @Test
    void lostVolumeOfAWorkloadIsRetainedOrDeletedWhenTheWorkloadEnds() {
        lost(owned(KEPT));
        rig.done(leader.cluster().ownerEnded(NAMESPACE, WEB));
        minutes(600);
        assertThat(row().retainedSince()).isPresent();
        assertThat(row().isLost()).isTrue();
        assertThat(calls()).isEmpty();
        rig.done(leader.volumes().deleteRetained(DATA));
        assertThat(calls()).containsExactly(Rpc.DELETE_VOLUME);
        WorkloadOwner next = WorkloadOwner.of("web", 2);
        ClaimRequest request =
                request(DATA, VolumeTemplate.builder(FAST).ofWorkload(next).build());
        lost(request);
        rig.done(leader.cluster().ownerEnded(NAMESPACE, next));
        rig.run();
        assertThat(volumes()).isEmpty();
        assertThat(calls()).containsExactly(Rpc.DELETE_VOLUME);
    }

    private Rejection.InvalidRequest refusal(CompletableFuture<?> request) {
        return (Rejection.InvalidRequest)
                rig.failed(request, RejectedException.class).reason();
    }

    @Test
    void changesAndCopiesOfALostVolumeAreRefusedWithTheRemedy() {
        lost(request(DATA));
        List<CompletableFuture<?>> requests = List.of(
                leader.volumes().expand(DATA, LARGER),
                leader.volumes().modify(DATA, Map.of("iops", "9")),
                leader.snapshots().create(SnapshotRequest.of(DATA, "s")),
                leader.snapshots().createGroup(new GroupSnapshotRequest("g", List.of(DATA), Map.of())));
        for (CompletableFuture<?> request : requests) {
            assertThat(refusal(request).message())
                    .contains("volume default/data was refused", "is lost", "delete or forget", "recheck the volume");
        }
        Outcome late = rig.log
                .submit(new ChangeCommand.BeginExpansion(DATA, LARGER, rig.now()))
                .join();
        assertThat(late.accepted()).as("the volume was lost after the check").isFalse();
        minutes(600);
        assertThat(calls()).isEmpty();
        assertThat(row().changing()).isFalse();
    }

    @Test
    void changesAndCopiesOfAVolumeThatIsNotVerifiedAreSentAtOnce() {
        unused(request(DATA));
        rig.done(leader.volumes().expand(DATA, LARGER));
        rig.done(leader.volumes().modify(DATA, Map.of("iops", "9")));
        Snapshot snapshot = rig.done(leader.snapshots().create(SnapshotRequest.of(DATA, "s")));
        assertThat(snapshot.readyToUse()).isTrue();
        assertThat(calls())
                .containsExactly(Rpc.CONTROLLER_EXPAND_VOLUME, Rpc.CONTROLLER_MODIFY_VOLUME, Rpc.CREATE_SNAPSHOT);
    }

    @Test
    void expansionThatWaitsWhenTheVolumeIsLostFailsAndContinuesWhenItIsFound() {
        unused(request(DATA));
        for (int i = 0; i < 99; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.UNAVAILABLE);
            rig.gateway.fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.UNAVAILABLE);
        }
        CompletableFuture<?> expansion = leader.volumes().expand(DATA, LARGER);
        CompletableFuture<?> modification = leader.volumes().modify(DATA, Map.of("iops", "9"));
        rig.run();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        var unused = claim("asks", "a", request(DATA));
        rig.clock.advance(Duration.ofSeconds(30));
        assertThat(row().isLost()).isTrue();
        for (CompletableFuture<?> change : List.of(expansion, modification)) {
            assertThat(rig.failed(change, UnfinishedException.class)).hasMessageContaining("is lost");
        }
        rig.gateway.forgetPlanned(Rpc.CONTROLLER_EXPAND_VOLUME);
        rig.gateway.forgetPlanned(Rpc.CONTROLLER_MODIFY_VOLUME);
        rig.gateway.calls().clear();
        minutes(600);
        assertThat(calls()).as("it costs no calls").isEmpty();
        rig.done(leader.operator().recheck(DATA));
        minutes(5);
        assertThat(row().changing()).isFalse();
        assertThat(row().facts().capacityBytes()).isEqualTo(LARGER.requiredBytes());
    }

    @Test
    void lostVolumeIsAProblemOfTheHealthAndOfTheListAndHasAnEvent() {
        lost(request(DATA));
        assertThat(changes).containsOnlyOnce(VolumeEvent.Change.LOST);
        HealthProblem problem = health().stream()
                .filter(found -> found.kind() == HealthProblem.Kind.VOLUME_LOST)
                .findFirst()
                .orElseThrow();
        assertThat(problem.message()).contains("volume default/data");
        assertThat(problem.remedy()).contains("Delete or forget", "recheck");
        assertThat(summary().health()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(summary().problems()).singleElement().asString().contains("does not have it", "recheck");
        assertThat(status().remaining().waits())
                .extracting(RemainingWork.Wait::reason)
                .containsExactly(RemainingWork.Reason.VOLUME_LOST);
        rig.done(leader.operator().recheck(DATA));
        minutes(5);
        assertThat(row().verification().orElseThrow().stage()).isEqualTo(Verification.Stage.CONFIRMED);
        assertThat(health()).extracting(HealthProblem::kind).doesNotContain(HealthProblem.Kind.VOLUME_LOST);
        assertThat(summary().health()).isNotEqualTo(HealthVerdict.ABNORMAL);
    }

    private List<HealthProblem> health() {
        HealthCheck check = HealthCheck.builder(leader, rig.clock.environment(new Random(1)))
                .build();
        rig.clock.advance(Duration.ofSeconds(3));
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.advance(Duration.ofSeconds(10));
        return rig.done(health).problems();
    }

    private VolumeSummary summary() {
        return rig.done(leader.volumes().list(VolumeQuery.all())).items().get(0);
    }

    private VolumeStatus status() {
        return rig.done(leader.claims().status(DATA)).orElseThrow();
    }

    @Test
    void waitOfAClaimNamesTheFailureOfTheQuestion() {
        unused(request(DATA));
        for (int i = 0; i < 5; i++) {
            rig.gateway.fail(ASK, StatusCode.UNAVAILABLE);
        }
        CompletableFuture<ClaimGrant> grant = claim("x", "a", request(DATA));
        assertThat(grant).isNotDone();
        WaitingClaim waiting = status().waiting().get(0);
        assertThat(waiting.cause()).contains("ValidateVolumeCapabilities", "UNAVAILABLE");
        minutes(5);
        assertThat(grant).isCompleted();
    }
}
