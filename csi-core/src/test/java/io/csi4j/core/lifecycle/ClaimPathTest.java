package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_READER_ONLY;
import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.read;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClaimPathTest {
    private static Throwable failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return future.handle((done, reason) -> Futures.unwrap(reason)).join();
    }

    private static AllocationId alloc(String id) {
        return AllocationId.of(id);
    }

    @Test
    void grantContainsAllNodeDataAndClaimIsStoredBeforePublishCall() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThat(grant).isNotDone();
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        assertThat(rig.get("v").attachments().count(AttachmentState.PUBLISHING)).isOne();

        rig.gateway.only().succeed();
        rig.run();
        VolumeGrant volume = grant.join().volumes().get(0);
        assertThat(volume.publishContext()).isEqualTo(PublishContext.of(Map.of("device", "v@ext-n1")));
        assertThat(volume.claim().externalNodeId().orElseThrow().value()).isEqualTo("ext-n1");
        assertThat(volume.stageSecrets().isEmpty()).isFalse();
        assertThat(volume.view().volume().attachments().count(AttachmentState.PUBLISHED))
                .isOne();
        assertThat(grant.join().toString()).doesNotContain("hidden").doesNotContain("v@ext-n1");
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
        assertThat(rig.provider.secretsObserved).containsExactly("token");
        assertThat(rig.engine.workers()).isZero();
    }

    @Test
    void severalClaimsOnOneNodeNeedOnlyOnePublishCall() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.gateway.leaveOpen();
        var first = rig.claim("a", "n1", write("v", MULTI_NODE_MULTI_WRITER));
        var second = rig.claim("b", "n1", write("v", MULTI_NODE_MULTI_WRITER));
        var again = rig.claim("a", "n1", write("v", MULTI_NODE_MULTI_WRITER));
        rig.gateway.only().succeed();
        rig.run();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(again).isCompleted();
        var late = rig.claim("c", "n1", read("v", MULTI_NODE_MULTI_WRITER));
        assertThat(late).isCompleted();
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
    }

    @Test
    void publishWithLostResponseIsRetried() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.only().loseAnswer();
        rig.run();
        assertThat(grant).isNotDone();
        assertThat(rig.get("v").attachments().iterator().next().retry().attempts())
                .isOne();
        rig.gateway.answer();
        rig.minutes(2);
        assertThat(grant).isCompleted();
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1", "publish v@ext-n1");
    }

    @Test
    void hungPublishTimesOutAndIsRetried() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.minutes(4);
        assertThat(rig.gateway.made()).hasSize(1);
        rig.gateway.abandon();
        rig.gateway.answer();
        rig.minutes(4);
        assertThat(grant).isCompleted();
        assertThat(rig.gateway.made()).hasSize(2);
    }

    @Test
    void nextLeaderFinishesClaimAfterLeaderCrashesBeforeOrAfterPublish() {
        for (boolean effect : new boolean[] {false, true}) {
            ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
            rig.gateway.leaveOpen();
            var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
            if (effect) {
                rig.gateway.open.get(0).takeEffect();
            }
            rig.gateway.answer();
            rig.crash();
            rig.run();
            assertThat(failure(grant)).isInstanceOf(NotLeadingException.class);
            assertThat(rig.get("v").attachments().count(AttachmentState.PUBLISHED))
                    .isOne();
            assertThat(rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER))).isCompleted();
            assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1", "publish v@ext-n1");
            rig.ended("a", "n1");
            rig.free("v");
        }
    }

    @Test
    void endOfAllocationDuringPublishUnpublishesVolume() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.ended("a", "n1");
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
        HandCall publish = rig.gateway.only();
        rig.gateway.answer();
        publish.succeed();
        rig.run();
        assertThat(failure(grant)).isInstanceOf(ClaimLostException.class);
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1", "detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void permanentlyRefusedPublishFailsClaimAndReleasesIt() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER).volume("w", MULTI_NODE_MULTI_WRITER);
        rig.gateway.script = call -> {
            if (call.toString().startsWith("publish v")) {
                call.fail(StatusCode.INVALID_ARGUMENT);
            } else {
                call.succeed();
            }
            return true;
        };
        var grant = rig.claim("a", "n1", write("w", MULTI_NODE_MULTI_WRITER), write("v", MULTI_NODE_MULTI_WRITER));
        Throwable reason = failure(grant);
        assertThat(reason).isInstanceOf(CsiCallException.class);
        assertThat(((CsiCallException) reason).code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
        rig.minutes(1);
        rig.free("v");
        rig.free("w");
        assertThat(rig.gateway.made()).contains("unpublish v@ext-n1", "unpublish w@ext-n1");
    }

    @Test
    void waitingClaimIsListedAndGrantedAfterRelease() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        var waits = rig.claim("b", "n2", write("v", SINGLE_NODE_WRITER));
        rig.clock.advance(Duration.ofSeconds(20));
        WaitingClaim displayed = rig.engine
                .status(Caller.ENGINE, key("v"))
                .orElseThrow()
                .waiting()
                .get(0);
        assertThat(displayed.allocationId()).isEqualTo(alloc("b"));
        assertThat(displayed.age(rig.clock.instant())).isEqualTo(Duration.ofSeconds(20));
        assertThat(displayed.reason().orElseThrow().reason()).isEqualTo(WaitReason.CLAIMED_ON_OTHER_NODE);
        assertThat(displayed.reason().orElseThrow().holders())
                .extracting(Holder::allocationId)
                .containsExactly(alloc("a"));
        int commands = rig.log.commands.size();
        rig.minutes(30);
        assertThat(rig.log.commands)
                .as("no command is submitted while the claim waits")
                .hasSize(commands);

        rig.ended("a", "n1");
        assertThat(waits).isCompleted();
        assertThat(rig.gateway.made())
                .containsExactly("publish v@ext-n1", "detach v:a@n1", "unpublish v@ext-n1", "publish v@ext-n2");
        assertThat(rig.engine.waiting()).isZero();
        rig.ended("b", "n2");
        rig.free("v");
        int watches = rig.log.watches();
        rig.engine.stop();
        assertThat(watches - rig.log.watches())
                .as("only the watches of the reconciler, of snapshots and of stored requests were left")
                .isEqualTo(5);
    }

    @Test
    void waitingClaimsAreGrantedInOrderOfArrival() {
        ClaimRig rig = ClaimRig.with("n1", "n2", "n3").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            String id = "w" + i;
            String node = "n" + (i % 3 + 1);
            var unused = rig.claim(id, node, write("v", SINGLE_NODE_WRITER)).thenRun(() -> order.add(id));
        }
        rig.ended("a", "n1");
        for (int i = 0; i < 6; i++) {
            assertThat(order).hasSize(i + 1);
            rig.ended("w" + i, "n" + (i % 3 + 1));
        }
        assertThat(order).containsExactly("w0", "w1", "w2", "w3", "w4", "w5");
        rig.free("v");
    }

    @Test
    void laterReaderWaitsBehindWaitingWriter() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_READER_ONLY, MULTI_NODE_SINGLE_WRITER);
        rig.use("r1", "n1", read("v", MULTI_NODE_READER_ONLY));
        var writer = rig.claim("w", "n2", write("v", MULTI_NODE_SINGLE_WRITER));
        var late = rig.claim("r2", "n2", read("v", MULTI_NODE_READER_ONLY));
        assertThat(late).as("a later reader waits behind the waiting writer").isNotDone();
        rig.ended("r1", "n1");
        assertThat(writer).isCompleted();
        assertThat(late).isNotDone();
        rig.ended("w", "n2");
        assertThat(late).isCompleted();
    }

    @Test
    void readerOvertakesWriterThatWaitsForAnotherWriter() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_SINGLE_WRITER);
        rig.use("w1", "n1", write("v", MULTI_NODE_SINGLE_WRITER));
        var writer = rig.claim("w2", "n2", write("v", MULTI_NODE_SINGLE_WRITER));
        assertThat(rig.claim("r", "n2", read("v", MULTI_NODE_SINGLE_WRITER))).isCompleted();
        assertThat(writer).isNotDone();
    }

    @Test
    void readerThatWouldBlockWaitingWriterStaysBehindIt() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_SINGLE_WRITER);
        rig.publishesReadonly();
        rig.use("r1", "n2", read("v", MULTI_NODE_SINGLE_WRITER));
        var writer = rig.claim("w", "n2", write("v", MULTI_NODE_SINGLE_WRITER));
        var here = rig.claim("r2", "n2", read("v", MULTI_NODE_SINGLE_WRITER));
        assertThat(here).as("a later reader waits if it would block the writer").isNotDone();
        assertThat(rig.claim("r3", "n1", read("v", MULTI_NODE_SINGLE_WRITER)))
                .as("a reader on another node does not block the writer")
                .isCompleted();
        rig.ended("r1", "n2");
        assertThat(writer).isCompleted();
    }

    @Test
    void waitingWriterKeepsPositionWhenEarlierRequestIsGranted() {
        ClaimRig rig =
                ClaimRig.with("n1", "n2").volume("a", MULTI_NODE_READER_ONLY).volume("v", SINGLE_NODE_WRITER);
        ClaimRequest shared = read("a", MULTI_NODE_READER_ONLY);
        rig.use("r1", "n1", read("v", SINGLE_NODE_WRITER));
        var first = rig.claim("w1", "n2", shared, read("v", SINGLE_NODE_WRITER));
        var heldBack = rig.claim("w2", "n1", write("v", SINGLE_NODE_WRITER));
        var later = rig.claim("w3", "n2", shared, read("v", SINGLE_NODE_WRITER));
        assertThat(Stream.of(first, heldBack, later).filter(CompletableFuture::isDone))
                .isEmpty();
        rig.ended("r1", "n1");
        assertThat(first).isCompleted();
        assertThat(later).as("a later reader does not delay the waiting writer").isNotDone();
        rig.ended("w1", "n2");
        assertThat(heldBack).isCompleted();
        assertThat(later).isNotDone();
    }

    @Test
    void claimWaitingForItsNodeDoesNotBlockOtherClaims() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.status("n1", NodeStatus.DOWN);
        var waits = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThat(rig.claim("b", "n2", write("v", SINGLE_NODE_WRITER))).isCompleted();
        rig.ended("b", "n2");
        assertThat(waits).isNotDone();
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(waits).as("the claim resumes when its node is ready").isCompleted();
    }

    @Test
    void cancelledClaimLeavesQueueAndReleasesItsVolumes() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        var cancelled = rig.claim("b", "n2", write("v", SINGLE_NODE_WRITER));
        var next = rig.claim("c", "n2", write("v", SINGLE_NODE_WRITER));
        cancelled.cancel(true);
        rig.run();
        assertThat(rig.engine.waiting()).isOne();
        rig.ended("a", "n1");
        assertThat(next).isCompleted();
        rig.ended("c", "n2");

        rig.gateway.leaveOpen();
        var taken = rig.claim("d", "n1", write("v", SINGLE_NODE_WRITER));
        taken.cancel(true);
        rig.run();
        assertThat(rig.state("v", "d")).contains(ClaimState.UNPUBLISHING);
        HandCall publish = rig.gateway.only();
        rig.gateway.answer();
        publish.succeed();
        rig.run();
        rig.free("v");
    }

    @Test
    void twoRequestsForSameTwoVolumesDoNotDeadlock() {
        ClaimRig rig =
                ClaimRig.with("n1", "n2", "n3").volume("v", SINGLE_NODE_WRITER).volume("w", SINGLE_NODE_WRITER);
        ClaimRequest v = write("v", SINGLE_NODE_WRITER);
        ClaimRequest w = write("w", SINGLE_NODE_WRITER);
        rig.use("first", "n3", v);
        var a = rig.claim("a", "n1", v, w);
        assertThat(rig.state("w", "a"))
                .as("no volume is claimed before all can be claimed")
                .isEmpty();
        var b = rig.claim("b", "n2", w, v);
        rig.ended("first", "n3");
        assertThat(a).isCompleted();
        assertThat(b).isNotDone();
        rig.ended("a", "n1");
        assertThat(b).isCompleted();
        assertThat(b.join().volumes().get(0).view().volume().key()).isEqualTo(key("w"));
        rig.ended("b", "n2");
        rig.free("v");
        rig.free("w");
    }

    @Test
    void claimThatCanNeverBeGrantedFailsAtOnce() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        Throwable unknown = failure(rig.claim("a", "n1", write("none", SINGLE_NODE_WRITER)));
        assertThat(((RejectedException) unknown).reason()).isInstanceOf(Rejection.VolumeNotFound.class);
        Throwable never = failure(rig.claim("a", "n1", write("v", MULTI_NODE_MULTI_WRITER)));
        assertThat(never).hasMessageContaining("not among the volume's requested capabilities");
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        var waits = rig.claim("b", "n1", write("v", SINGLE_NODE_WRITER));
        rig.allocation("b", "n1", AllocationStatus.ENDED);
        rig.run();
        assertThat(((RejectedException) failure(waits)).reason()).isInstanceOf(Rejection.AllocationEnded.class);
        assertThatIllegalArgumentException().isThrownBy(() -> rig.engine.claim(Caller.ENGINE, alloc("a"), List.of()));
    }

    @Test
    void claimCanBeRetriedAfterCommandLogDidNotAnswer() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        rig.log.fate = HandLog.Fate.ANSWER_LOST;
        var lost = rig.engine.claim(Caller.ENGINE, alloc("a"), List.of(write("v", SINGLE_NODE_WRITER)));
        rig.run();
        assertThat(failure(lost)).isInstanceOf(UncertainCommandException.class);
        rig.log.fate = HandLog.Fate.APPLIED;
        assertThat(rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER))).isNotCompletedExceptionally();
        rig.minutes(2);
        assertThat(rig.get("v").attachments().count(AttachmentState.PUBLISHED)).isOne();
    }

    @Test
    void claimFailsOnEngineThatDoesNotLead() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.engine.stop();
        rig.engine.stop();
        var refused = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThatThrownBy(refused::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(NotLeadingException.class);
        assertThat(rig.get("v").claims().isEmpty()).isTrue();
        rig.engine.start();
        rig.engine.start();
        assertThat(rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER))).isCompleted();
    }

    @Test
    void engineThatBecomesLeaderAgainDoesNotRepeatCallInFlight() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        var first = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.engine.stop();
        rig.engine.start();
        rig.run();
        assertThat(failure(first)).isInstanceOf(NotLeadingException.class);
        var again = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.only().succeed();
        rig.run();
        assertThat(rig.gateway.made())
                .as("the call is repeated after the old call ended")
                .hasSize(2);
        rig.gateway.only().succeed();
        rig.run();
        assertThat(again).isCompleted();
    }

    @Test
    void callWaitingForPermitIsNotSentAfterLeadershipEnds() {
        ClaimRig rig = ClaimRig.with("n1");
        for (int i = 0; i < 40; i++) {
            rig.volume("v" + i, SINGLE_NODE_WRITER);
        }
        rig.gateway.leaveOpen();
        for (int i = 0; i < 40; i++) {
            var unused = rig.claim("a" + i, "n1", write("v" + i, SINGLE_NODE_WRITER));
        }
        int sent = rig.gateway.made().size();
        assertThat(sent).isLessThan(40);
        rig.engine.stop();
        List<HandCall> open = List.copyOf(rig.gateway.open);
        open.forEach(HandCall::succeed);
        rig.run();
        assertThat(rig.gateway.made()).hasSize(sent);
    }

    @Test
    void callIsNotSentWhenLogSaysThatServerLeadsNoMore() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        AtomicBoolean leads = new AtomicBoolean(true);
        rig.engine.stop();
        rig.engine.start(leads::get);
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        var grant = rig.engine.claim(Caller.ENGINE, AllocationId.of("a"), List.of(write("v", SINGLE_NODE_WRITER)));
        // The process stands still here, and continues under the next leader.
        leads.set(false);
        rig.run();
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.gateway.made()).isEmpty();
        leads.set(true);
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.gateway.made())
                .as("the term has ended, also if the log changes its mind")
                .isEmpty();

        rig.engine.stop();
        rig.run();
        assertThat(failure(grant)).isInstanceOf(NotLeadingException.class);
        rig.engine.start(leads::get);
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
    }

    @Test
    void publishIsSentOnlyAfterStoredIntentIsDurable() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        var grant = rig.engine.claim(Caller.ENGINE, AllocationId.of("a"), List.of(write("v", SINGLE_NODE_WRITER)));
        rig.run();
        rig.clock.advance(Duration.ofSeconds(5));
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        assertThat(rig.gateway.made()).isEmpty();

        rig.log.fate = HandLog.Fate.APPLIED;
        rig.log.notDurable.forEach(Runnable::run);
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
        assertThat(grant).isCompleted();
    }

    @Test
    void planFollowsAnswerOfLogThatComesWhileAnotherPlanIsQueued() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.status("n1", NodeStatus.FENCED);
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        rig.run();
        assertThat(rig.log.notDurable)
                .as("a transition that the worker has written")
                .isNotEmpty();

        rig.log.fate = HandLog.Fate.APPLIED;
        rig.engine.tryNow(key("v"));
        rig.log.notDurable.forEach(Runnable::run);
        rig.run();
        assertThat(rig.gateway.made()).contains("unpublish v@ext-n1");
    }

    /** The second claim comes before one snapshot after the other, so also before the one that a plan is made of. */
    @Test
    void publishWaitsUntilIntentStoredDuringPlanningIsDurable() {
        for (int before = 0; ; before++) {
            ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
            rig.allocation("a", "n1", AllocationStatus.RUNNING);
            rig.allocation("b", "n2", AllocationStatus.RUNNING);
            int[] left = {before};
            rig.log.beforeSnapshot = () -> {
                if (left[0]-- == 0) {
                    rig.log.fate = HandLog.Fate.NOT_DURABLE;
                    var unused = rig.operations
                            .ports()
                            .log()
                            .submit(new ClaimCommand.TakeClaims(
                                    AllocationId.of("b"),
                                    List.of(write("v", MULTI_NODE_MULTI_WRITER)),
                                    rig.clock.instant()));
                    rig.log.fate = HandLog.Fate.APPLIED;
                }
            };
            var unused =
                    rig.engine.claim(Caller.ENGINE, AllocationId.of("a"), List.of(write("v", MULTI_NODE_MULTI_WRITER)));
            rig.run();
            rig.clock.advance(Duration.ofSeconds(5));
            if (left[0] >= 0) {
                assertThat(before).as("number of snapshots that a claim takes").isGreaterThan(3);
                return;
            }
            assertThat(rig.state("v", "b")).contains(ClaimState.TAKEN);
            assertThat(rig.gateway.made())
                    .as("no call for a claim that is not durable, %s snapshots", before)
                    .doesNotContain("publish v@ext-n2");
            rig.log.notDurable.forEach(Runnable::run);
            rig.run();
            assertThat(rig.gateway.made()).contains("publish v@ext-n2");
        }
    }

    @Test
    void commandLostByLogIsRetriedWithBackoff() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThat(rig.log.submit(new NodeCommand.FenceNode(NodeId.of("n1"), "power is off", rig.clock.instant())))
                .isCompleted();
        rig.log.fate = HandLog.Fate.LOST;
        rig.log.maxSubmitted = rig.log.submitted + 200;
        rig.run();
        rig.clock.advance(Duration.ofSeconds(1));
        int before = rig.log.submitted;
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(rig.log.submitted - before).isBetween(2, 120);
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);

        rig.log.fate = HandLog.Fate.APPLIED;
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
    }

    @Test
    void cancelledClaimIsReleasedBeforeHostCallbackRuns() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        List<ClaimState> observed = new ArrayList<>();
        var unused =
                grant.whenComplete((granted, failure) -> rig.state("v", "a").ifPresent(observed::add));
        assertThat(grant.cancel(false)).isTrue();
        assertThat(observed).containsExactly(ClaimState.UNPUBLISHING);
    }
}
