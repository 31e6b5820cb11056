package io.csi4j.examples.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WalkTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Walk walk = new Walk(new StepLog(new PrintStream(printed, true, StandardCharsets.UTF_8)), LIMIT);
    private final List<String> undone = new ArrayList<>();

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    private Back back(Rpc rpc, String subject) {
        return Back.call(
                rpc,
                subject,
                () -> {
                    undone.add(rpc.csiName() + " " + subject);
                    return CompletableFuture.completedFuture("ok");
                },
                subject + " is left");
    }

    private static CompletableFuture<String> fails(Rpc rpc, StatusCode code) {
        return CompletableFuture.failedFuture(
                new CsiCallException(rpc, "plugin", "vol", code, CallOutcome.of(rpc, code, false), "the text", null));
    }

    private void enter(Rpc forward, CompletableFuture<String> answer, Rpc opposite, String subject) {
        walk.enter(forward, () -> answer, text -> text, back(opposite, subject));
    }

    private static CompletableFuture<String> ok() {
        return CompletableFuture.completedFuture("fine");
    }

    @Test
    void goesBackInReverseOrder() {
        enter(Rpc.CONTROLLER_PUBLISH_VOLUME, ok(), Rpc.CONTROLLER_UNPUBLISH_VOLUME, "v");
        int attached = walk.here();
        enter(Rpc.NODE_STAGE_VOLUME, ok(), Rpc.NODE_UNSTAGE_VOLUME, "v");
        enter(Rpc.NODE_PUBLISH_VOLUME, ok(), Rpc.NODE_UNPUBLISH_VOLUME, "v");

        walk.backTo(attached);
        assertThat(undone).containsExactly("NodeUnpublishVolume v", "NodeUnstageVolume v");

        walk.end();
        assertThat(undone).endsWith("ControllerUnpublishVolume v").hasSize(3);
        assertThat(walk.leftovers()).isEmpty();
    }

    @Test
    void aStepWithAnUnknownOutcomeIsTakenBackToo() {
        assertThatThrownBy(() -> enter(
                        Rpc.NODE_PUBLISH_VOLUME,
                        fails(Rpc.NODE_PUBLISH_VOLUME, StatusCode.INTERNAL),
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        "v"))
                .isInstanceOf(StepFailedException.class)
                .hasMessage("INTERNAL: the text");
        walk.end();
        assertThat(undone).containsExactly("NodeUnpublishVolume v");
        assertThat(output()).contains("failed").contains("INTERNAL: the text");
    }

    @Test
    void anRpcThatThePluginDoesNotHaveIsNotTakenBack() {
        assertThatThrownBy(() -> enter(
                        Rpc.NODE_STAGE_VOLUME,
                        fails(Rpc.NODE_STAGE_VOLUME, StatusCode.UNIMPLEMENTED),
                        Rpc.NODE_UNSTAGE_VOLUME,
                        "v"))
                .isInstanceOf(StepFailedException.class);
        walk.end();
        assertThat(undone).isEmpty();
    }

    @Test
    void aLostAnswerIsAskedForAgainByTheSameNameBeforeWhatItNamesIsDeleted() {
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> walk.make(
                        Rpc.CREATE_VOLUME,
                        () -> calls.incrementAndGet() <= 3
                                ? fails(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE)
                                : CompletableFuture.completedFuture("vol-7"),
                        id -> id,
                        id -> back(Rpc.DELETE_VOLUME, id)))
                .isInstanceOf(StepFailedException.class);
        assertThat(calls).hasValue(3);

        walk.end();

        assertThat(calls).hasValue(4);
        assertThat(undone).containsExactly("DeleteVolume vol-7");
        assertThat(walk.leftovers()).isEmpty();
    }

    @Test
    void aRefusedCreationLeavesNothingToDelete() {
        assertThatThrownBy(() -> walk.make(
                        Rpc.CREATE_VOLUME,
                        () -> fails(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE),
                        id -> id,
                        id -> back(Rpc.DELETE_VOLUME, id)))
                .isInstanceOf(StepFailedException.class);
        walk.end();
        assertThat(undone).isEmpty();
    }

    @Test
    void aFailedStepBackKeepsTheRestOfItsSubjectAndNothingElse() {
        enter(Rpc.CREATE_VOLUME, ok(), Rpc.DELETE_VOLUME, "v");
        enter(Rpc.CREATE_VOLUME, ok(), Rpc.DELETE_VOLUME, "w");
        walk.enter(
                Rpc.NODE_PUBLISH_VOLUME,
                WalkTest::ok,
                text -> text,
                Back.call(
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        "v",
                        () -> fails(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.FAILED_PRECONDITION),
                        "v is still published"));
        walk.end();

        assertThat(undone).containsExactly("DeleteVolume w");
        assertThat(walk.leftovers()).containsExactly("v is still published", "v is left");
        assertThat(output()).contains("DeleteVolume                    skipped");
    }

    @Test
    void aPluginThatIsStillAtItIsAskedAgain() {
        AtomicInteger calls = new AtomicInteger();
        String answer = walk.call(
                Rpc.DELETE_SNAPSHOT,
                () -> calls.incrementAndGet() < 5 ? fails(Rpc.DELETE_SNAPSHOT, StatusCode.ABORTED) : ok(),
                text -> text);
        assertThat(answer).isEqualTo("fine");
        assertThat(calls).hasValue(5);
    }

    @Test
    void aDirectoryThatCannotBeMadeIsReportedAndTakenBack() {
        assertThatThrownBy(() -> walk.prepare(
                        () -> {
                            throw new IOException("no room");
                        },
                        Back.local("remove", "d", () -> undone.add("removed"), "d is left")))
                .isInstanceOf(StepFailedException.class)
                .hasMessage("no room");
        walk.end();
        assertThat(undone).containsExactly("removed");
    }

    @Test
    void anInterruptionWaitsForTheStepUnderWayAndLetsNoOtherBegin() throws InterruptedException {
        CompletableFuture<String> slow = new CompletableFuture<>();
        CountDownLatch sent = new CountDownLatch(1);
        AtomicInteger later = new AtomicInteger();
        Thread walker = new Thread(() -> {
            walk.enter(
                    Rpc.NODE_PUBLISH_VOLUME,
                    () -> {
                        sent.countDown();
                        return slow;
                    },
                    text -> text,
                    back(Rpc.NODE_UNPUBLISH_VOLUME, "v"));
            walk.call(
                    Rpc.NODE_GET_VOLUME_STATS,
                    () -> {
                        later.incrementAndGet();
                        return ok();
                    },
                    text -> text);
        });
        walker.setDaemon(true);
        walker.start();
        assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
        Thread stopper = new Thread(() -> Interruption.stop(walk));
        stopper.start();
        while (!walk.turn().hasQueuedThreads()) {
            Thread.onSpinWait();
        }

        slow.complete("fine");
        stopper.join();

        assertThat(undone).containsExactly("NodeUnpublishVolume v");
        assertThat(later).hasValue(0);
        assertThat(output()).containsSubsequence("NodePublishVolume", "Interrupted", "NodeUnpublishVolume");
    }

    @Test
    void anInterruptionGivesUpACallThatHangsAndTakesItBack() throws InterruptedException {
        CompletableFuture<String> never = new CompletableFuture<>();
        CountDownLatch sent = new CountDownLatch(1);
        Thread walker = new Thread(() -> walk.enter(
                Rpc.NODE_STAGE_VOLUME,
                () -> {
                    sent.countDown();
                    return never;
                },
                text -> text,
                back(Rpc.NODE_UNSTAGE_VOLUME, "v")));
        walker.setUncaughtExceptionHandler((thread, failure) -> {});
        walker.start();
        assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();

        Interruption.stop(walk, Duration.ofMillis(100));

        assertThat(never).isCancelled();
        assertThat(undone).containsExactly("NodeUnstageVolume v");
    }

    @Test
    void anInterruptionOfAStepThatNeverEndsSaysWhatIsLeft() throws InterruptedException {
        enter(Rpc.NODE_PUBLISH_VOLUME, ok(), Rpc.NODE_UNPUBLISH_VOLUME, "v");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread walker = new Thread(() -> walk.local("hang", () -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return "";
        }));
        walker.start();
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        Interruption.stop(walk, Duration.ofMillis(50));

        assertThat(undone).isEmpty();
        assertThat(output()).contains("nothing is taken back").contains("Left behind: v is left");
        end.countDown();
    }

    @Test
    void aWalkThatHasEndedIsNotInterrupted() {
        walk.end();
        Interruption.stop(walk);
        assertThat(output()).isEmpty();
    }

    @Test
    void controlCharactersInAPluginsTextDoNotReachTheTerminal() {
        walk.call(Rpc.PROBE, WalkTest::ok, text -> "a\u001b[31mb\nc\r\u0007");
        assertThat(output().strip()).endsWith("a [31mb c").doesNotContain("\u001b");
    }
}
