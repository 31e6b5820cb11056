package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_SINGLE_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EngineLog;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.claim.ClaimQueue;
import io.csi4j.core.lifecycle.internal.claim.PendingClaim;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.worker.Reconciler;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorker;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.StorageCapacity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports that break their contract, futures that hosts complete themselves, and moments that seldom come. */
class HostileHostTest {
    private static ClaimRig used() {
        return ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER).use("a", "n1", write("v", SINGLE_NODE_WRITER));
    }

    @Test
    void callThatEndsDuringPlanningIsNotSentAgain() {
        ClaimRig rig = used();
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        var unused = rig.engine.detach(Caller.ENGINE, key("v"), NodeId.of("n1"));
        rig.log.afterSnapshot = () -> {
            rig.gateway.only().succeed();
            rig.gateway.answer();
            rig.run();
        };
        rig.run();
        rig.minutes(1);
        assertThat(rig.gateway.made()).containsOnlyOnce("detach v:a@n1");
        rig.free("v");
    }

    @Test
    void planMadeBeforeLeadershipChangeDoesNotRepeatCallsMadeAfterwards() {
        ClaimRig rig = used();
        rig.gateway.leaveOpen();
        inATurn(rig, () -> {
            rig.engine.stop();
            rig.engine.start();
            rig.gateway.answer();
            rig.run();
        });
        rig.ended("a", "n1");
        rig.minutes(1);
        assertThat(rig.gateway.made()).containsOnlyOnce("detach v:a@n1");
        rig.free("v");
    }

    /** Does something once right after a lane took its snapshot. */
    private static void inATurn(ClaimRig rig, Runnable then) {
        rig.log.afterSnapshot = () -> {
            if (isCalledBy(VolumeWorker.class.getName())) {
                then.run();
            } else {
                inATurn(rig, then);
            }
        };
    }

    @Test
    void nodeCallIsRetriedIfGatewayReturnsNull() {
        ClaimRig rig = used();
        rig.gateway.answersNull = true;
        rig.ended("a", "n1");
        rig.gateway.answersNull = false;
        rig.minutes(10);
        rig.free("v");
    }

    @Test
    void publishIsRetriedIfGatewayReturnsNull() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.answersNull = true;
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.answersNull = false;
        rig.minutes(10);
        assertThat(grant).isCompleted();
    }

    @Test
    void publishWithNullResponseIsRetriedAfterBackoff() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.script = call -> {
            call.answer.complete(null);
            return true;
        };
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThat(rig.gateway.made().size()).isLessThan(5);
        rig.gateway.answer();
        rig.minutes(10);
        assertThat(grant).isCompleted();
    }

    @ParameterizedTest
    @EnumSource(
            value = HandLog.Fate.class,
            names = {"THROWS", "THROWS_ERROR", "NULL", "NULL_OUTCOME"})
    void logThatBreaksItsContractCountsAsUnanswered(HandLog.Fate fate) {
        ClaimRig rig = used();
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        rig.log.fate = fate;
        rig.gateway.only().succeed();
        rig.gateway.answer();
        rig.run();
        var grant = rig.engine.claim(Caller.ENGINE, AllocationId.of("a"), List.of(write("v", SINGLE_NODE_WRITER)));
        rig.run();
        rig.failed(grant, UncertainCommandException.class);
        rig.log.fate = HandLog.Fate.APPLIED;
        rig.minutes(10);
        rig.free("v");
    }

    @Test
    void answerThatComesBeforeStateShowsCommandCountsAsNoAnswer() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.allocation("a", "n1", AllocationStatus.RUNNING);
        rig.log.fate = HandLog.Fate.ANSWERED_EARLY;
        var grant = rig.engine.claim(Caller.ENGINE, AllocationId.of("a"), List.of(write("v", SINGLE_NODE_WRITER)));
        rig.failed(grant, UncertainCommandException.class);
        assertThat(rig.gateway.made()).isEmpty();
        rig.log.fate = HandLog.Fate.APPLIED;
        assertThat(rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER))).isCompleted();
    }

    @Test
    void callFailsIfSecretsProviderReturnsNull() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.secrets = query -> null;
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        assertThat(rig.get("v")
                        .attachments()
                        .on(NodeId.of("n1"))
                        .orElseThrow()
                        .retry()
                        .attempts())
                .isOne();
        rig.secrets = SecretsProvider.ofVolumes();
        rig.minutes(10);
        assertThat(grant).isCompleted();
    }

    @Test
    void fenceRequestIsSentAgainIfHostReturnsNull() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", FencingPolicy.onFence(), SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.fencing = (node, reason) -> null;
        rig.status("n1", NodeStatus.DOWN);
        rig.ended("a", "n1");
        List<String> asked = rig.fenceRequests;
        rig.fencing = (node, reason) -> {
            asked.add(node.value());
            return CompletableFuture.completedFuture(null);
        };
        rig.minutes(10);
        assertThat(asked).containsExactly("n1");
    }

    @Test
    void failedPlanningIsRetried() {
        ClaimRig rig = used();
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        var unused = rig.engine.detach(Caller.ENGINE, key("v"), NodeId.of("n1"));
        rig.log.afterSnapshot = () -> {
            throw new IllegalStateException("no snapshot now");
        };
        rig.run();
        rig.gateway.answer();
        rig.gateway.only().succeed();
        rig.minutes(10);
        rig.free("v");
    }

    @Test
    void periodicScanStaysScheduledAfterStateSnapshotFails() {
        ClaimRig rig = used();
        int planned = rig.clock.timers();
        rig.log.afterSnapshot = () -> {
            throw new IllegalStateException("no snapshot now");
        };
        rig.minutes(60);
        assertThat(rig.clock.timers()).isEqualTo(planned);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failureOfStateSnapshotFailsOnlyClaimBeingProcessed(boolean error) {
        ClaimRig rig = used();
        // The first snapshot is of the authority, the second of the queue.
        rig.log.afterSnapshot = () -> rig.log.afterSnapshot = () -> {
            if (error) {
                throw unloadable();
            }
            throw new IllegalStateException("no snapshot now");
        };
        var second = rig.engine.claim(Caller.ENGINE, AllocationId.of("b"), List.of(write("v", SINGLE_NODE_WRITER)));
        rig.run();
        assertThat(second).isCompletedExceptionally();
        assertThat(second.handle((granted, failure) -> failure).join())
                .isInstanceOf(error ? NoClassDefFoundError.class : IllegalStateException.class);
        var third = rig.claim("c", "n1", write("v", SINGLE_NODE_WRITER));
        rig.ended("a", "n1");
        assertThat(third).isCompleted();
    }

    private static NoClassDefFoundError unloadable() {
        return new NoClassDefFoundError("with a secret");
    }

    @Test
    void errorOfLogIsLoggedWithItsClassAndWithoutItsText() {
        List<String> lines = logged(HostCallbacks.class, () -> {
            ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
            rig.log.fate = HandLog.Fate.THROWS_ERROR;
            var grant = rig.engine.claim(Caller.ENGINE, AllocationId.of("a"), List.of(write("v", SINGLE_NODE_WRITER)));
            rig.run();
            assertThat(grant).isCompletedExceptionally();
        });
        assertThat(lines)
                .anyMatch(line -> line.contains("CommandLog.submit failed with java.lang.NoClassDefFoundError"))
                .noneMatch(line -> line.contains("the log is not there"));
    }

    /** The plan of the volume does not wait for a command that was never submitted. */
    @Test
    void errorBeforeSubmissionLeavesNoUnansweredCommand() {
        ClaimRig rig = used();
        EngineLog log = rig.operations.ports().log();
        rig.log.afterSnapshot = () -> {
            throw unloadable();
        };
        assertThatThrownBy(() -> log.submit(new ClaimCommand.TakeClaims(
                        AllocationId.of("b"), List.of(write("v", SINGLE_NODE_WRITER)), rig.operations.now())))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(log.delays(key("v"))).isFalse();
    }

    @Test
    void errorInLimitOfWaitEndsTheWait() {
        ClaimRig rig = used();
        RowWait<String> wait = rig.waits.begin(StateScope.volume(key("v")));
        CompletableFuture<String> result = wait.limit(Duration.ofSeconds(1), () -> {
                    throw unloadable();
                })
                .result();
        rig.clock.advance(Duration.ofSeconds(2));
        assertThat(result).isCompletedExceptionally();
        assertThat(result.handle((value, failure) -> failure).join()).isInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void changeThatIsNotPlannedBecauseOfAnErrorIsPlannedLater() {
        ClaimRig rig = used();
        boolean[] thrown = {false};
        rig.log.beforeSnapshot = () -> {
            if (!thrown[0] && isCalledBy(Reconciler.class.getName() + "$Changes")) {
                thrown[0] = true;
                throw unloadable();
            }
        };
        List<String> lines = logged(FailureLog.class, () -> rig.ended("a", "n1"));
        assertThat(thrown[0]).isTrue();
        assertThat(lines)
                .singleElement()
                .asString()
                .contains("A change of volume default/v was not planned", "java.lang.NoClassDefFoundError")
                .doesNotContain("secret");
        rig.free("v");
    }

    private static boolean isCalledBy(String type) {
        return StackWalker.getInstance()
                .walk(frames ->
                        frames.limit(8).anyMatch(frame -> frame.getClassName().equals(type)));
    }

    /** Returns the lines that a class logs meanwhile. */
    private static List<String> logged(Class<?> type, Runnable work) {
        Logger log = Logger.getLogger(type.getName());
        List<String> lines = new ArrayList<>();
        log.setFilter(line -> {
            lines.add(line.getMessage());
            return false;
        });
        try {
            work.run();
        } finally {
            log.setFilter(null);
        }
        return lines;
    }

    @Test
    void claimWhoseFutureIsFailedByHostIsReleased() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.leaveOpen();
        var grant = rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER));
        // As CompletableFuture.orTimeout does.
        grant.completeExceptionally(new TimeoutException());
        rig.gateway.answer();
        rig.gateway.only().succeed();
        rig.minutes(10);
        rig.free("v");
    }

    @Test
    void laterClaimsOvertakeClaimThatWaitsForItsNode() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", MULTI_NODE_SINGLE_WRITER);
        rig.use("x", "n2", write("v", MULTI_NODE_SINGLE_WRITER));
        var front = rig.claim("a", "n1", write("v", MULTI_NODE_SINGLE_WRITER));
        var behind = rig.claim("b", "n2", write("v", MULTI_NODE_SINGLE_WRITER));
        assertThat(behind).isNotDone();
        rig.status("n1", NodeStatus.DOWN);
        rig.run();
        assertThat(front).isNotDone();
        assertThat(behind).isCompleted();
    }

    @Test
    void claimMadeAfterLeadershipEndsFailsAsNotLeading() {
        ClaimRig rig = used();
        Term term = new Term(() -> true);
        ClaimQueue queue = new ClaimQueue(rig.operations, rig.waits, term, StorageCapacity.unknown(), claim -> {});
        term.end();
        queue.close();
        for (String allocation : List.of("b", "c")) {
            rig.allocation(allocation, "n1", AllocationStatus.RUNNING);
            PendingClaim claim = new PendingClaim(
                    Caller.ENGINE,
                    AllocationId.of(allocation),
                    List.of(write("v", SINGLE_NODE_WRITER)),
                    rig.operations.ports().moment());
            queue.add(claim);
            rig.run();
            assertThat(claim.result).isCompletedExceptionally();
        }
        assertThat(queue.size()).isZero();
    }
}
