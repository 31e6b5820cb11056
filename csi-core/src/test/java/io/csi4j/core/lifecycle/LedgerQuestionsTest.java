package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The questions of the leader to nodes that have not said yet what they have mounted. */
class LedgerQuestionsTest {
    private static final NodeId N1 = NodeId.of("n1");

    private final ClaimRig rig = ClaimRig.with("n1");
    /** The elapsed times of the questions to n1. */
    private final List<Long> asked = new ArrayList<>();
    /** The answers that the node gives in this order; after them, it does not answer in time. */
    private final List<CompletableFuture<LedgerReport>> open = new ArrayList<>();

    private boolean down = true;
    private CsiException failure = new CsiException("not now");

    @BeforeEach
    void requireLedgers() {
        rig.gateway.ledgerAnswers = node -> {
            if (!node.equals(N1)) {
                return CompletableFuture.completedFuture(LedgerReport.empty());
            }
            asked.add(rig.clock.nanoTime());
            CompletableFuture<LedgerReport> answer =
                    down ? CompletableFuture.failedFuture(failure) : new CompletableFuture<>();
            open.add(answer);
            return answer;
        };
    }

    private void restored() {
        rig.ok(new NodeCommand.RequireLedgers("restored", rig.now()));
        rig.run();
    }

    private boolean isSettled() {
        return rig.log.snapshot().node(N1).orElseThrow().ledger().isSettled();
    }

    private void waitFor(Duration time) {
        rig.clock.advance(time);
        rig.run();
    }

    @Test
    void pausesAfterFailedQuestionsGetLonger() {
        restored();
        rig.minutes(60);
        Duration last = Duration.ZERO;
        for (int i = 1; i < asked.size(); i++) {
            Duration pause = Duration.ofNanos(asked.get(i) - asked.get(i - 1));
            assertThat(pause)
                    .as("pause %s", i)
                    .isPositive()
                    .isLessThanOrEqualTo(rig.operations.retryLoop().longestBackoff(i));
            last = pause.compareTo(last) > 0 ? pause : last;
        }
        assertThat(last).as("the longest pause").isGreaterThan(Duration.ofMinutes(2));
        assertThat(asked).as("questions in an hour").hasSizeBetween(12, 40);
    }

    @Test
    void nodeIsAskedAgainWhileItsReportDoesNotSettleItsLedger() {
        rig.volume("v", SINGLE_NODE_WRITER);
        down = false;
        restored();
        assertThat(asked).hasSize(1);
        open.remove(0).complete(new LedgerReport(List.of(), List.of(key("v"))));
        rig.run();
        assertThat(isSettled()).isFalse();
        assertThat(asked).as("the node gets some time").hasSize(1);
        waitFor(rig.operations.retryLoop().longestBackoff(1));
        assertThat(asked).hasSize(2);
        open.remove(0).complete(LedgerReport.empty());
        rig.run();
        assertThat(isSettled()).isTrue();
        int timers = rig.clock.timers();
        rig.minutes(60);
        assertThat(asked).as("a settled ledger is not asked for").hasSize(2);
        assertThat(rig.clock.timers()).isEqualTo(timers);
    }

    @Test
    void nodeThatReturnsIsAskedAtOnceAndItsFormerPauseCountsNoMore() {
        restored();
        rig.minutes(30);
        rig.status("n1", NodeStatus.DOWN);
        int before = asked.size();
        rig.minutes(60);
        assertThat(asked).as("a node out of reach is not asked").hasSize(before);
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(asked).hasSize(before + 1);
        assertThat(asked.get(before)).isEqualTo(rig.clock.nanoTime());
        waitFor(rig.operations.retryLoop().longestBackoff(1));
        assertThat(asked).as("the attempts begin again").hasSizeGreaterThan(before + 1);
    }

    @Test
    void pauseOfAFormerStatusEndsWithoutASecondQuestion() {
        restored();
        rig.minutes(30);
        int before = asked.size();
        rig.status("n1", NodeStatus.DOWN);
        rig.status("n1", NodeStatus.READY);
        down = false;
        rig.run();
        assertThat(asked).hasSize(before + 1);
        waitFor(Duration.ofMinutes(2));
        assertThat(asked).as("the question is still open").hasSize(before + 1);
    }

    @Test
    void nodeThatHasAnotherStatusMeanwhileIsAskedAgainAfterTheOpenQuestion() {
        down = false;
        restored();
        rig.status("n1", NodeStatus.DOWN);
        waitFor(Duration.ofSeconds(1));
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(asked).as("one question at a time").hasSize(1);
        open.remove(0).completeExceptionally(new CsiException("the connection was lost"));
        rig.run();
        assertThat(asked).as("at once").hasSize(2);
        open.remove(0).complete(LedgerReport.empty());
        rig.run();
        assertThat(isSettled()).isTrue();
    }

    @Test
    void questionWithoutAnAnswerEndsWithTheCallTimeout() {
        down = false;
        restored();
        Duration limit = LifecycleOptions.ofDefaults().callTimeout();
        waitFor(limit.minusNanos(1));
        assertThat(asked).hasSize(1);
        waitFor(rig.operations.retryLoop().longestBackoff(1).plusNanos(1));
        assertThat(asked).hasSize(2);
    }

    @Test
    void fencedNodeIsNotAskedAgain() {
        restored();
        rig.minutes(5);
        int before = asked.size();
        rig.status("n1", NodeStatus.FENCED);
        rig.minutes(60);
        assertThat(asked).hasSize(before);
    }

    @Test
    void nodeWithoutAConnectionIsAskedAtShortPauses() {
        failure = HandGateway.failure(Rpc.NODE_GET_INFO, StatusCode.UNAVAILABLE);
        restored();
        rig.minutes(60);
        for (int i = 1; i < asked.size(); i++) {
            assertThat(Duration.ofNanos(asked.get(i) - asked.get(i - 1)))
                    .isLessThanOrEqualTo(LifecycleOptions.ofDefaults().retryMax());
        }
        assertThat(asked).hasSizeGreaterThan(60);
    }

    @Test
    void failureOfAllQuestionsToANodeIsOneLineOfTheLog() {
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger("io.csi4j.core.lifecycle.internal.worker.LedgerQueries");
        logger.setFilter(line -> {
            lines.add(line.getMessage());
            return false;
        });
        try {
            restored();
            rig.minutes(60);
        } finally {
            logger.setFilter(null);
        }
        assertThat(lines).singleElement().asString().contains("Node n1", "not now", "report it as fenced or gone");
    }

    /** A volume that is deleted waits for the ledgers of all nodes, also of those that it was never on. */
    @Test
    void deletionGoesOnAtOnceWhenTheLastLedgerIsKnown() {
        VolumeRig volumes = VolumeRig.started();
        volumes.made();
        List<CompletableFuture<LedgerReport>> answers = new ArrayList<>();
        volumes.gateway.ledgerAnswers = node -> {
            if (!node.equals(N1)) {
                return CompletableFuture.completedFuture(LedgerReport.empty());
            }
            answers.add(new CompletableFuture<>());
            return answers.get(answers.size() - 1);
        };
        volumes.ok(new NodeCommand.RequireLedgers("restored", volumes.now()));
        VolumeLifecycle leader = volumes.engine();
        volumes.run();
        CompletableFuture<?> deletion = leader.volumes().delete(VolumeRig.VOL);
        volumes.run();
        answers.get(0).complete(new LedgerReport(List.of(), List.of(VolumeRig.VOL)));
        volumes.run();
        assertThat(deletion).isNotDone();
        while (answers.size() == 1) {
            volumes.clock.advance(Duration.ofMillis(100));
        }
        assertThat(volumes.gateway.requests(Rpc.DELETE_VOLUME)).isEmpty();
        answers.get(1).complete(LedgerReport.empty());
        volumes.run();
        assertThat(deletion).isCompleted();
        assertThat(volumes.gateway.requests(Rpc.DELETE_VOLUME)).hasSize(1);
    }

    @Test
    void deletionGoesOnAtOnceWhenTheOnlyOpenLedgerIsKnown() {
        VolumeRig volumes = VolumeRig.started();
        volumes.made();
        CompletableFuture<LedgerReport> answer = new CompletableFuture<>();
        volumes.gateway.ledgerAnswers =
                node -> node.equals(N1) ? answer : CompletableFuture.completedFuture(LedgerReport.empty());
        volumes.ok(new NodeCommand.RequireLedgers("restored", volumes.now()));
        CompletableFuture<?> deletion = volumes.engine().volumes().delete(VolumeRig.VOL);
        volumes.run();
        assertThat(deletion).isNotDone();
        answer.complete(LedgerReport.empty());
        volumes.run();
        assertThat(deletion).isCompleted();
    }
}
