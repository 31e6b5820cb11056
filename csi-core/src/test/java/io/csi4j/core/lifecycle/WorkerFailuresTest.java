package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorker;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.AttachmentState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plans that fail, and results of calls and steps that cannot be stored: the worker tries again, after longer and longer pauses. */
class WorkerFailuresTest {
    private static final ClaimRequest V = write("v", SINGLE_NODE_WRITER);
    private static final ClaimRequest MANY = write("v", MULTI_NODE_MULTI_WRITER);
    private static final NodeId N1 = NodeId.of("n1");

    /** The elapsed times of the attempts. */
    private final List<Long> attempts = new ArrayList<>();

    private boolean fails;

    private static ClaimRig used() {
        return ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER).use("a", "n1", V);
    }

    private static boolean isPlanning() {
        return StackWalker.getInstance()
                .walk(frames -> frames.limit(8)
                        .anyMatch(frame -> frame.getClassName().equals(VolumeWorker.class.getName())
                                && frame.getMethodName().equals("planOnce")));
    }

    /** The state cannot be read for a plan while {@link #fails} is true. */
    private void failsToPlan(ClaimRig rig) {
        rig.log.beforeSnapshot = () -> {
            if (fails && isPlanning()) {
                attempts.add(rig.clock.nanoTime());
                throw new IllegalStateException("no snapshot now");
            }
        };
        fails = true;
    }

    /** Checks that each pause is at most the backoff after that many attempts, and that the pauses get long. */
    private void pausesGrow(ClaimRig rig, Duration longest) {
        long last = 0;
        for (int i = 1; i < attempts.size(); i++) {
            long pause = attempts.get(i) - attempts.get(i - 1);
            assertThat(pause)
                    .as("pause %s of %s", i, attempts)
                    .isPositive()
                    .isLessThanOrEqualTo(
                            rig.operations.retryLoop().longestBackoff(i).toNanos());
            last = Math.max(last, pause);
        }
        assertThat(last).as("the longest pause").isGreaterThan(longest.toNanos());
    }

    @Test
    void failedPlanIsRepeatedAfterLongerAndLongerPausesAndNotMissed() {
        ClaimRig rig = used();
        failsToPlan(rig);
        rig.ended("a", "n1");
        rig.minutes(30);
        assertThat(attempts).hasSizeBetween(30, 150);
        pausesGrow(rig, Duration.ofSeconds(20));
        fails = false;
        rig.minutes(2);
        rig.free("v");
    }

    @Test
    void pauseAfterAFailedPlanIsShortAgainAfterAStoredStep() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", MANY).use("b", "n2", MANY);
        // The open call keeps the worker.
        rig.gateway.script = call -> {
            boolean ofB = call.toString().equals("detach v:b@n2");
            if (!ofB) {
                call.succeed();
            }
            return !ofB;
        };
        rig.ended("b", "n2");
        failsToPlan(rig);
        rig.ended("a", "n1");
        rig.minutes(30);
        fails = false;
        rig.minutes(2);
        assertThat(rig.state("v", "a")).isEmpty();
        rig.use("c", "n1", MANY);
        attempts.clear();
        fails = true;
        rig.ended("c", "n1");
        assertThat(attempts).hasSize(1);
        rig.clock.advance(LifecycleOptions.ofDefaults().retryBase());
        assertThat(attempts.size()).as("attempts after the first backoff").isGreaterThan(1);
    }

    /** How a result is lost: the log does not answer, or breaks its contract. */
    @ParameterizedTest
    @EnumSource(
            value = HandLog.Fate.class,
            names = {"LOST", "THROWS", "NULL_OUTCOME"})
    void callWhoseResultIsNotStoredIsRepeatedAfterLongerAndLongerPauses(HandLog.Fate fate) {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.log.beforeSubmit = command -> rig.log.fate =
                fails && command instanceof AttachmentCommand.RecordPublished ? fate : HandLog.Fate.APPLIED;
        rig.gateway.script = call -> {
            attempts.add(rig.clock.nanoTime());
            call.succeed();
            return true;
        };
        fails = true;
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", V);
        rig.minutes(30);
        assertThat(attempts).hasSizeBetween(5, 150);
        pausesGrow(rig, Duration.ofSeconds(20));
        assertThat(rig.missedSteps).isEmpty();
        fails = false;
        rig.minutes(10);
        assertThat(rig.get("v").attachments().on(N1).orElseThrow().state()).isEqualTo(AttachmentState.PUBLISHED);
        assertThat(rig.missedSteps).isEmpty();
        assertThat(rig.engine.workers()).isZero();
        assertThat(grant).isDone();
    }

    private static boolean has(Command command, Class<?> type) {
        return command instanceof Batch batch
                ? batch.commands().stream().anyMatch(type::isInstance)
                : type.isInstance(command);
    }

    @ParameterizedTest
    @EnumSource(
            value = HandLog.Fate.class,
            names = {"LOST", "THROWS", "NULL"})
    void stepThatIsNotStoredIsRepeatedAfterLongerAndLongerPauses(HandLog.Fate fate) {
        ClaimRig rig = used();
        rig.log.beforeSubmit = command -> {
            boolean goesOn = has(command, ClaimCommand.CheckpointClaim.class);
            if (goesOn) {
                attempts.add(rig.clock.nanoTime());
            }
            rig.log.fate = goesOn && fails ? fate : HandLog.Fate.APPLIED;
        };
        rig.provider.mounted.clear();
        fails = true;
        rig.status("n1", NodeStatus.FENCED);
        rig.minutes(30);
        assertThat(attempts).hasSizeBetween(5, 200).doesNotHaveDuplicates();
        pausesGrow(rig, Duration.ofSeconds(20));
        assertThat(rig.missedSteps).isEmpty();
        assertThat(rig.engine.workers())
                .as("the worker waits for its next attempt")
                .isOne();
        fails = false;
        rig.minutes(2);
        rig.free("v");
    }

    /** Why a plan that was asked for now cannot be made at that moment. */
    enum Hindrance {
        STATE_CANNOT_BE_READ,
        COMMAND_OF_ANOTHER_CALLER_IS_OPEN,
        STEP_IS_BEING_STORED
    }

    @ParameterizedTest
    @EnumSource(Hindrance.class)
    void planThatIsAskedForNowIsAlsoUrgentIfItIsMadeLater(Hindrance hindrance) {
        ClaimRig rig = ClaimRig.with("n1", "n2")
                .volume("v", MULTI_NODE_MULTI_WRITER)
                .use("a", "n1", MANY)
                .use("b", "n2", MANY);
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("a", "n1");
        rig.minutes(10);
        int calls = rig.gateway.requests(Rpc.NODE_UNPUBLISH_VOLUME).size();
        if (hindrance == Hindrance.STATE_CANNOT_BE_READ) {
            failsToPlan(rig);
        } else if (hindrance == Hindrance.STEP_IS_BEING_STORED) {
            rig.log.beforeSubmit = command -> rig.log.fate =
                    has(command, ClaimCommand.CheckpointClaim.class) ? HandLog.Fate.NOT_DURABLE : HandLog.Fate.APPLIED;
            rig.status("n2", NodeStatus.FENCED);
            rig.run();
            assertThat(rig.log.notDurable).isNotEmpty();
        } else {
            rig.allocation("c", "n1", AllocationStatus.RUNNING);
            rig.log.fate = HandLog.Fate.NOT_DURABLE;
            var unused = rig.engine.claim(Caller.ENGINE, AllocationId.of("c"), List.of(MANY));
            rig.run();
            assertThat(rig.log.notDurable).isNotEmpty();
        }
        rig.engine.tryNow(key("v"));
        rig.run();
        assertThat(rig.gateway.requests(Rpc.NODE_UNPUBLISH_VOLUME)).hasSize(calls);
        assertThat(rig.engine.workers()).isOne();
        fails = false;
        rig.log.beforeSubmit = command -> {};
        rig.log.fate = HandLog.Fate.APPLIED;
        List<Runnable> answers = List.copyOf(rig.log.notDurable);
        answers.forEach(Runnable::run);
        rig.clock.advance(LifecycleOptions.ofDefaults().retryBase());
        assertThat(rig.gateway.requests(Rpc.NODE_UNPUBLISH_VOLUME)).hasSizeGreaterThan(calls);
    }

    @Test
    void workerStaysWhileItsStepIsNotAnswered() {
        ClaimRig rig = used();
        rig.log.beforeSubmit = command -> rig.log.fate =
                has(command, ClaimCommand.FreeClaim.class) ? HandLog.Fate.NOT_DURABLE : HandLog.Fate.APPLIED;
        rig.ended("a", "n1");
        int submitted = rig.log.submitted;
        for (int i = 0; i < 3; i++) {
            rig.engine.tryNow(key("v"));
            rig.run();
            assertThat(rig.engine.workers()).isOne();
        }
        rig.minutes(1);
        assertThat(rig.log.submitted).as("commands").isEqualTo(submitted);
        assertThat(rig.missedSteps).isEmpty();
        rig.log.beforeSubmit = command -> rig.log.fate = HandLog.Fate.APPLIED;
        rig.log.notDurable.forEach(Runnable::run);
        rig.minutes(2);
        rig.free("v");
    }

    @Test
    void stepsThatCannotBeStoredTogetherAreStoredOneByOne() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n2", MANY).use("b", "n2", MANY);
        rig.provider.mounted.clear();
        List<Command> alone = new ArrayList<>();
        rig.log.beforeSubmit = command -> {
            boolean together = command instanceof Batch && has(command, ClaimCommand.CheckpointClaim.class);
            rig.log.fate = together && alone.size() < 2 ? HandLog.Fate.LOST : HandLog.Fate.APPLIED;
            if (command instanceof ClaimCommand.CheckpointClaim) {
                alone.add(command);
            }
        };
        rig.status("n2", NodeStatus.FENCED);
        rig.minutes(2);
        assertThat(alone)
                .extracting(command ->
                        ((ClaimCommand.CheckpointClaim) command).allocationId().value())
                .containsExactly("a", "b");
        rig.free("v");
    }

    /** How a log refuses a command for good, as far as the worker knows. */
    enum Refusal {
        REJECTED {
            @Override
            CompletableFuture<Outcome> answer() {
                return CompletableFuture.completedFuture(
                        new Outcome.Rejected(new Rejection.VolumeNotFound(LifecycleRig.VOL)));
            }
        },
        CLOSED {
            @Override
            CompletableFuture<Outcome> answer() {
                return CompletableFuture.failedFuture(new LogClosedException("the log is closed"));
            }
        };

        abstract CompletableFuture<Outcome> answer();
    }

    /** Returns a rig whose log refuses commands of a type while {@link #fails} is true. */
    private LifecycleRig refusing(Refusal refusal, Class<? extends Command> type) {
        LifecycleRig[] made = new LifecycleRig[1];
        made[0] = LifecycleRig.leading(log -> new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                if (!fails || !has(command, type)) {
                    return log.submit(command);
                }
                attempts.add(made[0].clock.nanoTime());
                return refusal.answer();
            }

            @Override
            public ObservableState state() {
                return log.state();
            }
        });
        return made[0];
    }

    /** Checks that there was at most one attempt without a pause before it, and that the others were spread. */
    private void attemptsWereSpread(int inTenMinutes) {
        assertThat(attempts).hasSizeBetween(5, inTenMinutes);
        assertThat(attempts.stream().distinct().count()).isGreaterThanOrEqualTo(attempts.size() - 1);
    }

    @Test
    void callWhoseResultIsRejectedIsNotRepeatedAllTheTime() {
        LifecycleRig rig = refusing(Refusal.REJECTED, AttachmentCommand.RecordPublished.class)
                .volume(LifecycleRig.VOL);
        fails = true;
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", LifecycleRig.SHARED);
        rig.clock.advance(Duration.ofMinutes(10));
        attemptsWereSpread(60);
        fails = false;
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(grant).isDone();
        assertThat(rig.get(LifecycleRig.VOL).attachments().on(N1).orElseThrow().state())
                .isEqualTo(AttachmentState.PUBLISHED);
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void stepThatIsRefusedIsNotRepeatedAllTheTime(Refusal refusal) {
        LifecycleRig rig = refusing(refusal, ClaimCommand.CheckpointClaim.class).volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SHARED));
        fails = true;
        rig.ok(new NodeCommand.FenceNode(N1, "", rig.now()));
        rig.clock.advance(Duration.ofMinutes(10));
        attemptsWereSpread(60);
        fails = false;
        rig.clock.advance(Duration.ofMinutes(2));
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
        assertThat(rig.workers()).isZero();
    }
}
