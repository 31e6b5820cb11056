package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The state is older than the storage provider: volumes may have been deleted since the backup. */
class RestoredVolumesTest {
    private static final ClaimRequest V = write("v", SINGLE_NODE_WRITER);
    private static final Rpc ASK = Rpc.VALIDATE_VOLUME_CAPABILITIES;

    private final ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);

    /** The state is restored, and each node has said that it has nothing mounted. */
    private void restored() {
        rig.engine.stop();
        for (String node : List.of("n1", "n2", ClaimRig.CONTROLLER)) {
            rig.gateway.ledgers.put(NodeId.of(node), LedgerReport.empty());
        }
        rig.ok(new NodeCommand.RequireLedgers("restored from monday", rig.now()));
        rig.crash();
        rig.minutes(30);
        assertThat(rig.log.snapshot().unsettledNodes()).isEmpty();
        rig.gateway.calls().clear();
    }

    private int asked() {
        return rig.gateway.requests(ASK).size();
    }

    private Verification verification() {
        return rig.get("v").verification().orElseThrow();
    }

    private WaitReason waiting() {
        return rig.engine
                .status(Caller.ENGINE, key("v"))
                .orElseThrow()
                .waiting()
                .get(0)
                .reason()
                .orElseThrow()
                .reason();
    }

    private List<RemainingWork.Reason> waits(String volume) {
        return rig.engine.status(Caller.ENGINE, key(volume)).orElseThrow().remaining().waits().stream()
                .map(RemainingWork.Wait::reason)
                .toList();
    }

    private AdmissionDecision.Never refused(CompletableFuture<ClaimGrant> grant) {
        Rejection reason = rig.failed(grant, RejectedException.class).reason();
        return (AdmissionDecision.Never) ((Rejection.NotAdmitted) reason).decision();
    }

    @Test
    void claimWaitsUntilProviderHasConfirmedTheVolume() {
        restored();
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        assertThat(grant).isNotDone();
        assertThat(waiting()).isEqualTo(WaitReason.NOT_VERIFIED);
        assertThat(rig.state("v", "a")).isEmpty();
        HandCall question = rig.gateway.only();
        assertThat(question.rpc()).isEqualTo(ASK);
        rig.gateway.answer();
        question.succeed();
        rig.run();
        assertThat(grant).isCompleted();
        assertThat(verification().stage()).isEqualTo(Verification.Stage.CONFIRMED);
        rig.provider.mount("v", "a", "n1");
        rig.ended("a", "n1");
        rig.minutes(5);
        assertThat(rig.claim("b", "n2", V)).isCompleted();
        assertThat(asked()).as("it is verified once").isEqualTo(1);
    }

    @Test
    void volumesThatNoClaimNeedsAreNotAskedAbout() {
        rig.volume("w", SINGLE_NODE_WRITER);
        restored();
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.get("w").modifyIndex())
                .as("no row is written")
                .isEqualTo(rig.get("w").createIndex());
    }

    @Test
    void volumeThatIsNewerThanTheRestoreIsNotAskedAbout() {
        restored();
        rig.volume("w", SINGLE_NODE_WRITER);
        assertThat(rig.claim("a", "n1", write("w", SINGLE_NODE_WRITER))).isCompleted();
        assertThat(asked()).isZero();
    }

    @Test
    void volumeThatProviderDoesNotHaveIsLostAfterTwoAnswersAndNeverMadeOrDeleted() {
        restored();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        assertThat(grant).as("one answer may be wrong").isNotDone();
        assertThat(verification().stage()).isEqualTo(Verification.Stage.ASKED);
        rig.minutes(30);
        AdmissionDecision.Never never = refused(grant);
        assertThat(never.reason()).isEqualTo(NeverReason.VOLUME_LOST);
        assertThat(never.detail())
                .contains("restored from monday")
                .contains("forget")
                .contains("snapshot");
        rig.crash();
        rig.minutes(600);
        assertThat(refused(rig.claim("b", "n2", V)).reason()).isEqualTo(NeverReason.VOLUME_LOST);
        assertThat(rig.gateway.rpcs()).containsExactly(ASK, ASK);
        assertThat(rig.get("v").phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(waits("v")).containsExactly(RemainingWork.Reason.VOLUME_LOST);
        rig.ok(new VolumeCommand.ForgetVolume(key("v"), 0, "op", "lost since the restore", rig.now()));
        assertThat(rig.log.snapshot().volume(key("v"))).isEmpty();
        rig.volume("v", SINGLE_NODE_WRITER);
        assertThat(rig.claim("c", "n2", V)).as("the key is free").isCompleted();
    }

    @Test
    void volumeThatIsFoundAfterOneWrongAnswerIsUsed() {
        restored();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        rig.minutes(30);
        assertThat(grant).isCompleted();
        assertThat(asked()).isEqualTo(2);
    }

    @Test
    void lostAnswersSayNothingAboutTheVolume() {
        restored();
        for (int i = 0; i < 5; i++) {
            rig.gateway.lose(ASK, StatusCode.UNAVAILABLE).fail(ASK, StatusCode.DEADLINE_EXCEEDED);
        }
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        rig.minutes(1);
        assertThat(grant).isNotDone();
        assertThat(verification().notFound()).isZero();
        assertThat(verification().retry().attempts()).isPositive();
        rig.minutes(600);
        assertThat(grant).isCompleted();
    }

    @Test
    void pluginThatCannotBeAskedLeavesItToTheAttachment() {
        restored();
        rig.gateway.fail(ASK, StatusCode.UNIMPLEMENTED);
        assertThat(rig.claim("a", "n1", V)).isCompleted();
        assertThat(rig.gateway.rpcs()).containsExactly(ASK, Rpc.CONTROLLER_PUBLISH_VOLUME);
    }

    @Test
    void missingPermissionIsNoAnswer() {
        restored();
        rig.gateway.fail(ASK, StatusCode.PERMISSION_DENIED);
        assertThat(rig.claim("a", "n1", V)).isNotDone();
        assertThat(verification().stage()).isEqualTo(Verification.Stage.ASKED);
    }

    @Test
    void pluginWithoutControllerNeedsNoVerification() {
        rig.fingerprint(rig.instance("n1", PluginType.NODE)
                .capabilities(known -> Capabilities.unknown()
                        .withServices(new PluginService[0])
                        .withNode())
                .nodeInfo(Rig.nodeInfo("n1"))
                .build());
        restored();
        assertThat(rig.claim("a", "n1", V)).isCompleted();
        assertThat(asked()).isZero();
    }

    @Test
    void jumpOfTheClockNeitherHastensNorDelaysTheSecondQuestion() {
        for (Duration jump : List.of(Duration.ofDays(400), Duration.ofDays(-400))) {
            RestoredVolumesTest test = new RestoredVolumesTest();
            test.restored();
            test.rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
            CompletableFuture<ClaimGrant> grant = test.rig.claim("a", "n1", V);
            test.rig.clock.setClock(jump);
            test.rig.run();
            assertThat(test.asked()).as("the answers are apart in time").isEqualTo(1);
            test.rig.minutes(30);
            assertThat(test.asked()).isEqualTo(2);
            assertThat(grant).isCompletedExceptionally();
        }
    }

    @Test
    void answersOfTwoLeadersToTheSameQuestionCountOnce() {
        restored();
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> former = rig.claim("a", "n1", V);
        HandCall first = rig.gateway.only();
        rig.crash();
        rig.run();
        HandCall second = rig.gateway.only();
        second.fail(StatusCode.NOT_FOUND);
        rig.run();
        first.fail(StatusCode.NOT_FOUND);
        rig.run();
        assertThat(former).isCompletedExceptionally();
        assertThat(verification().notFound()).isEqualTo(1);
        assertThat(verification().stage()).isEqualTo(Verification.Stage.ASKED);
        rig.gateway.answer();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        rig.minutes(30);
        assertThat(grant).isCompleted();
    }

    @Test
    void leaderThatCrashesBeforeItRecordsTheAnswerIsFollowedByOneThatAsksAgain() {
        restored();
        rig.gateway.leaveOpen();
        var unused = rig.claim("a", "n1", V);
        rig.gateway.answer();
        rig.crash();
        rig.minutes(1);
        assertThat(asked()).isEqualTo(2);
        assertThat(verification().stage()).isEqualTo(Verification.Stage.CONFIRMED);
        assertThat(rig.claim("a", "n1", V)).isCompleted();
    }

    @Test
    void volumeIsVerifiedAfterEachRestore() {
        restored();
        rig.use("a", "n1", V);
        rig.ended("a", "n1");
        rig.minutes(5);
        restored();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> grant = rig.claim("b", "n1", V);
        rig.minutes(30);
        assertThat(refused(grant).reason()).isEqualTo(NeverReason.VOLUME_LOST);
        restored();
        assertThat(rig.claim("c", "n1", V)).as("another backup, another answer").isCompleted();
    }

    @Test
    void repeatedReportOfTheSameRestoreVerifiesNothingAgain() {
        restored();
        NodeCommand repeated = new NodeCommand.RequireLedgers("again", rig.now());
        rig.ok(repeated);
        rig.run();
        rig.use("a", "n1", V);
        rig.ok(repeated);
        rig.run();
        rig.ended("a", "n1");
        rig.minutes(5);
        assertThat(rig.claim("b", "n1", V)).isCompleted();
        assertThat(asked()).isEqualTo(1);
    }

    @Test
    void claimOfTheBackupIsGrantedAgainOnlyForAVolumeThatExists() {
        rig.use("a", "n1", V);
        rig.provider.mounted.clear();
        restored();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> again = rig.claim("a", "n1", V);
        rig.minutes(30);
        assertThat(refused(again).reason()).isEqualTo(NeverReason.VOLUME_LOST);
        assertThat(rig.state("v", "a")).as("its allocation ends it").contains(ClaimState.TAKEN);
    }

    private AdmissionDecision feasible(String node) {
        NodeAnswer answer =
                FeasibleNodes.in(rig.log.snapshot()).on(Namespace.of("default"), NodeId.of(node), List.of(V));
        return answer.refusals().getOrDefault(key("v"), new AdmissionDecision.Admitted(false));
    }

    @Test
    void placementIsPossibleUntilTheVolumeIsKnownToBeMissing() {
        restored();
        assertThat(feasible("n1").admitted())
                .as("only the claim of a placed allocation asks")
                .isTrue();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        assertThat(feasible("n2"))
                .isInstanceOfSatisfying(
                        AdmissionDecision.Wait.class,
                        wait -> assertThat(wait.reason()).isEqualTo(WaitReason.NOT_VERIFIED));
        rig.minutes(30);
        assertThat(grant).isCompletedExceptionally();
        assertThat(feasible("n2"))
                .isInstanceOfSatisfying(
                        AdmissionDecision.Never.class,
                        never -> assertThat(never.reason()).isEqualTo(NeverReason.VOLUME_LOST));
    }

    @Test
    void volumesOfOneClaimAreVerifiedTogether() {
        rig.volume("w", SINGLE_NODE_WRITER);
        restored();
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V, write("w", SINGLE_NODE_WRITER));
        assertThat(rig.gateway.open).hasSize(2);
        rig.gateway.answer();
        rig.gateway.open.remove(0).succeed();
        rig.run();
        assertThat(grant).isNotDone();
        rig.gateway.open.remove(0).succeed();
        rig.run();
        assertThat(grant).isCompleted();
    }

    private void creating() {
        rig.fingerprint(rig.instance(ClaimRig.CONTROLLER, PluginType.CONTROLLER)
                .capabilities(known -> known.withController(
                        ControllerCapability.CREATE_DELETE_VOLUME, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
                .build());
        rig.engine.stop();
        declare();
    }

    private void declare() {
        rig.ok(new VolumeCommand.RegisterVolume(
                key("made"),
                VolumeSpec.builder(Rig.PLUGIN)
                        .requestedCapabilities(List.of(RequestedCapability.mount(SINGLE_NODE_WRITER)))
                        .build(),
                VolumeOrigin.CREATED,
                ProviderFacts.none(),
                rig.now()));
    }

    @Test
    void creationOfTheBackupContinuesOnlyWhenItIsRequestedAgain() {
        creating();
        restored();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", write("made", SINGLE_NODE_WRITER));
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(grant).isNotDone();
        assertThat(waits("made")).containsExactly(RemainingWork.Reason.CREATION_NOT_REQUESTED);
        declare();
        rig.run();
        assertThat(rig.gateway.rpcs()).containsExactly(Rpc.CREATE_VOLUME, Rpc.CONTROLLER_PUBLISH_VOLUME);
        assertThat(grant).isCompleted();
    }

    @Test
    void creationThatBeginsAfterTheRestoreContinues() {
        restored();
        creating();
        rig.crash();
        rig.minutes(1);
        assertThat(rig.get("made").phase()).isEqualTo(VolumePhase.AVAILABLE);
    }

    /** A claim asks about the volume, and the provider does not have it. */
    private void lost() {
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> grant = rig.claim("asks", "n1", V);
        rig.minutes(30);
        assertThat(refused(grant).reason()).isEqualTo(NeverReason.VOLUME_LOST);
        rig.gateway.calls().clear();
    }

    private void recheck() {
        rig.done(rig.engine.recheck(Caller.ENGINE, key("v")));
    }

    @Test
    void lostVolumeThatIsFoundAgainWhenAnOperatorRechecksItCanBeUsed() {
        restored();
        lost();
        recheck();
        assertThat(rig.gateway.rpcs()).containsExactly(ASK);
        assertThat(verification().stage()).isEqualTo(Verification.Stage.CONFIRMED);
        assertThat(waits("v")).isEmpty();
        assertThat(rig.claim("b", "n2", V)).isCompleted();
    }

    @Test
    void lostVolumeThatIsRecheckedAndMissingIsLostAgainOnlyAfterTwoAnswers() {
        restored();
        lost();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        recheck();
        assertThat(verification().stage()).isEqualTo(Verification.Stage.ASKED);
        assertThat(waits("v")).doesNotContain(RemainingWork.Reason.VOLUME_LOST);
        rig.minutes(30);
        assertThat(verification().stage()).isEqualTo(Verification.Stage.LOST);
        rig.minutes(600);
        assertThat(rig.gateway.rpcs()).containsExactly(ASK, ASK);
    }

    @Test
    void recheckAsksAboutAVolumeOfTheBackupAndAboutNoOtherOne() {
        restored();
        recheck();
        assertThat(asked()).isEqualTo(1);
        assertThat(verification().stage()).isEqualTo(Verification.Stage.CONFIRMED);
        recheck();
        assertThat(asked()).as("it is verified").isEqualTo(1);
        rig.volume("w", SINGLE_NODE_WRITER);
        rig.done(rig.engine.recheck(Caller.ENGINE, key("w")));
        assertThat(asked()).as("it is newer than the restore").isEqualTo(1);
    }

    private ClaimState claimState(String allocation) {
        return rig.state("v", allocation).orElseThrow();
    }

    @Test
    void lostVolumeInUseIsReleasedWhenItsAllocationEnds() {
        rig.use("a", "n1", V);
        restored();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        CompletableFuture<ClaimGrant> again = rig.claim("a", "n1", V);
        rig.minutes(30);
        assertThat(refused(again).reason()).isEqualTo(NeverReason.VOLUME_LOST);
        assertThat(claimState("a")).isEqualTo(ClaimState.TAKEN);
        rig.gateway.calls().clear();
        rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND);
        rig.ended("a", "n1");
        assertThat(rig.gateway.rpcs())
                .as("the storage provider has neither the volume nor an attachment of it")
                .containsExactly(Rpc.NODE_UNPUBLISH_VOLUME, Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        assertThat(rig.get("v").inUse()).isFalse();
        assertThat(waits("v")).containsExactly(RemainingWork.Reason.VOLUME_LOST);
    }

    @Test
    void missingVolumeThatNoClaimAskedAboutIsLostWhenItCannotBeDetached() {
        rig.use("a", "n1", V);
        restored();
        for (int i = 0; i < 9; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND);
            rig.gateway.fail(ASK, StatusCode.NOT_FOUND);
        }
        rig.ended("a", "n1");
        assertThat(rig.get("v").inUse()).as("the answer may be about the node").isTrue();
        rig.minutes(60);
        assertThat(rig.get("v").inUse()).isFalse();
        assertThat(verification().stage()).isEqualTo(Verification.Stage.LOST);
        assertThat(asked()).isEqualTo(2);
    }

    @Test
    void volumeThatExistsIsNotDetachedByTheAnswerThatItsNodeIsMissing() {
        rig.use("a", "n1", V);
        restored();
        for (int i = 0; i < 9; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND);
        }
        rig.ended("a", "n1");
        rig.minutes(10);
        assertThat(rig.get("v").inUse()).isTrue();
        assertThat(verification().stage()).isEqualTo(Verification.Stage.CONFIRMED);
        assertThat(asked()).isEqualTo(1);
        rig.gateway.forgetPlanned(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        rig.minutes(60);
        rig.free("v");
    }

    @Test
    void attachmentOfTheBackupIsNotPublishedForALostVolume() {
        for (int i = 0; i < 99; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.NOT_FOUND);
        }
        CompletableFuture<ClaimGrant> before = rig.claim("a", "n1", V);
        assertThat(before).isNotDone();
        rig.gateway.fail(ASK, StatusCode.NOT_FOUND).fail(ASK, StatusCode.NOT_FOUND);
        restored();
        rig.minutes(30);
        assertThat(verification().stage())
                .as("its node waits for the attachment, and no claim asks")
                .isEqualTo(Verification.Stage.LOST);
        rig.gateway.calls().clear();
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(waits("v"))
                .as("for the volume and for its attachment")
                .containsExactly(RemainingWork.Reason.VOLUME_LOST, RemainingWork.Reason.VOLUME_LOST);
        rig.ended("a", "n1");
        rig.minutes(5);
        assertThat(rig.get("v").inUse()).isFalse();
    }

    @Test
    void otherFailureOfADetachmentAsksNothing() {
        rig.use("a", "n1", V);
        restored();
        rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.INTERNAL);
        rig.ended("a", "n1");
        rig.minutes(10);
        rig.free("v");
        assertThat(asked()).isZero();
    }
}
