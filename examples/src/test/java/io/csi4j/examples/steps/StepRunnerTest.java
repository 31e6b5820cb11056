package io.csi4j.examples.steps;

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
class StepRunnerTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final StepRunner steps =
            new StepRunner(new StepLog(new PrintStream(printed, true, StandardCharsets.UTF_8)), LIMIT);
    private final List<String> undone = new ArrayList<>();

    private String output() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    private UndoStep undo(Rpc rpc, String subject) {
        return UndoStep.call(
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

    private void runUndoable(Rpc forward, CompletableFuture<String> answer, Rpc opposite, String subject) {
        steps.runUndoable(forward, () -> answer, text -> text, undo(opposite, subject));
    }

    private static CompletableFuture<String> ok() {
        return CompletableFuture.completedFuture("fine");
    }

    @Test
    void stepsAreUndoneInReverseOrder() {
        runUndoable(Rpc.CONTROLLER_PUBLISH_VOLUME, ok(), Rpc.CONTROLLER_UNPUBLISH_VOLUME, "v");
        int attached = steps.mark();
        runUndoable(Rpc.NODE_STAGE_VOLUME, ok(), Rpc.NODE_UNSTAGE_VOLUME, "v");
        runUndoable(Rpc.NODE_PUBLISH_VOLUME, ok(), Rpc.NODE_UNPUBLISH_VOLUME, "v");

        steps.undoTo(attached);
        assertThat(undone).containsExactly("NodeUnpublishVolume v", "NodeUnstageVolume v");

        steps.end();
        assertThat(undone).endsWith("ControllerUnpublishVolume v").hasSize(3);
        assertThat(steps.leftovers()).isEmpty();
    }

    @Test
    void stepWithUnknownOutcomeIsUndone() {
        assertThatThrownBy(() -> runUndoable(
                        Rpc.NODE_PUBLISH_VOLUME,
                        fails(Rpc.NODE_PUBLISH_VOLUME, StatusCode.INTERNAL),
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        "v"))
                .isInstanceOf(StepFailedException.class)
                .hasMessage("INTERNAL: the text");
        steps.end();
        assertThat(undone).containsExactly("NodeUnpublishVolume v");
        assertThat(output()).contains("failed").contains("INTERNAL: the text");
    }

    @Test
    void stepThatFailedWithUnimplementedIsNotUndone() {
        assertThatThrownBy(() -> runUndoable(
                        Rpc.NODE_STAGE_VOLUME,
                        fails(Rpc.NODE_STAGE_VOLUME, StatusCode.UNIMPLEMENTED),
                        Rpc.NODE_UNSTAGE_VOLUME,
                        "v"))
                .isInstanceOf(StepFailedException.class);
        steps.end();
        assertThat(undone).isEmpty();
    }

    @Test
    void unansweredCreateIsRepeatedAndItsVolumeDeletedWhenStepsAreUndone() {
        AtomicInteger calls = new AtomicInteger();
        assertThatThrownBy(() -> steps.create(
                        Rpc.CREATE_VOLUME,
                        () -> calls.incrementAndGet() <= 3
                                ? fails(Rpc.CREATE_VOLUME, StatusCode.UNAVAILABLE)
                                : CompletableFuture.completedFuture("vol-7"),
                        id -> id,
                        id -> undo(Rpc.DELETE_VOLUME, id)))
                .isInstanceOf(StepFailedException.class);
        assertThat(calls).hasValue(3);

        steps.end();

        assertThat(calls).hasValue(4);
        assertThat(undone).containsExactly("DeleteVolume vol-7");
        assertThat(steps.leftovers()).isEmpty();
    }

    @Test
    void refusedCreateIsNotUndone() {
        assertThatThrownBy(() -> steps.create(
                        Rpc.CREATE_VOLUME,
                        () -> fails(Rpc.CREATE_VOLUME, StatusCode.OUT_OF_RANGE),
                        id -> id,
                        id -> undo(Rpc.DELETE_VOLUME, id)))
                .isInstanceOf(StepFailedException.class);
        steps.end();
        assertThat(undone).isEmpty();
    }

    @Test
    void failedUndoStepSkipsRemainingUndoStepsOfSameVolume() {
        runUndoable(Rpc.CREATE_VOLUME, ok(), Rpc.DELETE_VOLUME, "v");
        runUndoable(Rpc.CREATE_VOLUME, ok(), Rpc.DELETE_VOLUME, "w");
        steps.runUndoable(
                Rpc.NODE_PUBLISH_VOLUME,
                StepRunnerTest::ok,
                text -> text,
                UndoStep.call(
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        "v",
                        () -> fails(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.FAILED_PRECONDITION),
                        "v is still published"));
        steps.end();

        assertThat(undone).containsExactly("DeleteVolume w");
        assertThat(steps.leftovers()).containsExactly("v is still published", "v is left");
        assertThat(output()).contains("DeleteVolume                    skipped");
    }

    @Test
    void callRefusedWithAbortedIsRepeated() {
        AtomicInteger calls = new AtomicInteger();
        String answer = steps.call(
                Rpc.DELETE_SNAPSHOT,
                () -> calls.incrementAndGet() < 5 ? fails(Rpc.DELETE_SNAPSHOT, StatusCode.ABORTED) : ok(),
                text -> text);
        assertThat(answer).isEqualTo("fine");
        assertThat(calls).hasValue(5);
    }

    @Test
    void failedPreparationIsReportedAndUndone() {
        assertThatThrownBy(() -> steps.prepare(
                        () -> {
                            throw new IOException("disk full");
                        },
                        UndoStep.local("remove", "d", () -> undone.add("removed"), "d is left")))
                .isInstanceOf(StepFailedException.class)
                .hasMessage("disk full");
        steps.end();
        assertThat(undone).containsExactly("removed");
    }

    @Test
    void interruptionWaitsForCurrentStepAndPreventsNextStep() throws InterruptedException {
        CompletableFuture<String> slow = new CompletableFuture<>();
        CountDownLatch sent = new CountDownLatch(1);
        AtomicInteger laterCalls = new AtomicInteger();
        Thread runner = new Thread(() -> {
            steps.runUndoable(
                    Rpc.NODE_PUBLISH_VOLUME,
                    () -> {
                        sent.countDown();
                        return slow;
                    },
                    text -> text,
                    undo(Rpc.NODE_UNPUBLISH_VOLUME, "v"));
            steps.call(
                    Rpc.NODE_GET_VOLUME_STATS,
                    () -> {
                        laterCalls.incrementAndGet();
                        return ok();
                    },
                    text -> text);
        });
        runner.setDaemon(true);
        runner.start();
        assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();
        Thread stopper = new Thread(() -> Interruption.stop(steps));
        stopper.start();
        while (!steps.lock().hasQueuedThreads()) {
            Thread.onSpinWait();
        }

        slow.complete("fine");
        stopper.join();

        assertThat(undone).containsExactly("NodeUnpublishVolume v");
        assertThat(laterCalls).hasValue(0);
        assertThat(output()).containsSubsequence("NodePublishVolume", "Interrupted", "NodeUnpublishVolume");
    }

    @Test
    void interruptionCancelsAndUndoesHangingCall() throws InterruptedException {
        CompletableFuture<String> hangingCall = new CompletableFuture<>();
        CountDownLatch sent = new CountDownLatch(1);
        Thread runner = new Thread(() -> steps.runUndoable(
                Rpc.NODE_STAGE_VOLUME,
                () -> {
                    sent.countDown();
                    return hangingCall;
                },
                text -> text,
                undo(Rpc.NODE_UNSTAGE_VOLUME, "v")));
        runner.setUncaughtExceptionHandler((thread, failure) -> {});
        runner.start();
        assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();

        Interruption.stop(steps, Duration.ofMillis(100));

        assertThat(hangingCall).isCancelled();
        assertThat(undone).containsExactly("NodeUnstageVolume v");
    }

    @Test
    void hangingUndoStepIsRepeatedAfterInterruption() throws InterruptedException {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch hanging = new CountDownLatch(1);
        runUndoable(Rpc.CREATE_VOLUME, ok(), Rpc.DELETE_VOLUME, "v");
        steps.runUndoable(
                Rpc.NODE_PUBLISH_VOLUME,
                StepRunnerTest::ok,
                text -> text,
                UndoStep.call(
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        "v",
                        () -> {
                            hanging.countDown();
                            return calls.incrementAndGet() == 1 ? new CompletableFuture<String>() : ok();
                        },
                        "v is still published"));
        Thread runner = new Thread(steps::end);
        runner.setDaemon(true);
        runner.start();
        assertThat(hanging.await(10, TimeUnit.SECONDS)).isTrue();

        Interruption.stop(steps, Duration.ofMillis(100));

        assertThat(calls).hasValue(2);
        assertThat(undone).containsExactly("DeleteVolume v");
        assertThat(steps.leftovers()).isEmpty();
    }

    @Test
    void leftoversArePrintedAndNothingIsUndoneIfInterruptedStepNeverEnds() throws InterruptedException {
        runUndoable(Rpc.NODE_PUBLISH_VOLUME, ok(), Rpc.NODE_UNPUBLISH_VOLUME, "v");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread runner = new Thread(() -> steps.local("hang", () -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return "";
        }));
        runner.start();
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        Interruption.stop(steps, Duration.ofMillis(50));

        assertThat(undone).isEmpty();
        assertThat(output()).contains("nothing is undone").contains("Left behind: v is left");
        end.countDown();
    }

    @Test
    void interruptionAfterEndOfRunPrintsNothing() {
        steps.end();
        Interruption.stop(steps);
        assertThat(output()).isEmpty();
    }

    @Test
    void controlCharactersAreRemovedFromOutput() {
        steps.call(Rpc.PROBE, StepRunnerTest::ok, text -> "a\u001b[31mb\nc\r\u0007");
        assertThat(output().strip()).endsWith("a [31mb c").doesNotContain("\u001b");
    }
}
