package io.csi4j.core.lifecycle.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NodeTimesTest {
    private final VirtualTime time = VirtualTime.inOrder();
    private final StoppedTimer timer = new StoppedTimer();
    private final Term term = new Term(() -> true);
    private final NodeTimes times = new NodeTimes(timer, term);

    /** A timer of a process that may be stopped: time passes, and no timer fires. */
    private final class StoppedTimer implements Timer {
        private Duration stopped = Duration.ZERO;

        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }

        @Override
        public long nanoTime() {
            return time.nanoTime() + stopped.toNanos();
        }

        void stopFor(Duration duration) {
            stopped = stopped.plus(duration);
        }
    }

    private static Node node(NodeStatus status, long index) {
        return new Node(NodeId.of("n"), status, Instant.EPOCH, "", index);
    }

    @Test
    void timeBeginsWhenTheLeaderSeesTheStatus() {
        Node down = node(NodeStatus.DOWN, 5);
        assertThat(times.inStatus(down)).isZero();
        time.advance(Duration.ofMinutes(3));
        assertThat(times.inStatus(down)).isEqualTo(Duration.ofMinutes(3));
    }

    @Test
    void timeBeginsWhenTheLeaderTakesNoteOfTheStatus() {
        times.saw(node(NodeStatus.DOWN, 5));
        time.advance(Duration.ofMinutes(3));
        times.saw(node(NodeStatus.DOWN, 5));
        assertThat(times.inStatus(node(NodeStatus.DOWN, 5))).isEqualTo(Duration.ofMinutes(3));
    }

    @Test
    void eachStatusBeginsAtZero() {
        times.saw(node(NodeStatus.DISCONNECTED, 5));
        time.advance(Duration.ofMinutes(3));
        assertThat(times.inStatus(node(NodeStatus.DOWN, 6))).isZero();
        time.advance(Duration.ofMinutes(1));
        assertThat(times.inStatus(node(NodeStatus.DOWN, 6))).isEqualTo(Duration.ofMinutes(1));
        assertThat(times.inStatus(node(NodeStatus.DISCONNECTED, 5)))
                .as("a reader with an old state")
                .isZero();
    }

    @Test
    void nodeThatIsReadyHasNoTime() {
        times.saw(node(NodeStatus.DOWN, 5));
        times.saw(node(NodeStatus.READY, 6));
        time.advance(Duration.ofMinutes(3));
        assertThat(times.inStatus(node(NodeStatus.READY, 6))).isZero();
        assertThat(time.timers()).as("nothing is left to count").isZero();
    }

    @Test
    void timeInWhichTheProcessWasStoppedDoesNotCount() {
        Node down = node(NodeStatus.DOWN, 5);
        times.saw(down);
        time.advance(Duration.ofMinutes(1));
        timer.stopFor(Duration.ofHours(1));
        assertThat(times.inStatus(down))
                .isLessThanOrEqualTo(Duration.ofMinutes(1).plus(NodeTimes.BEAT.multipliedBy(2)));
        time.advance(Duration.ofMinutes(1));
        assertThat(times.inStatus(down))
                .isLessThanOrEqualTo(Duration.ofMinutes(2).plus(NodeTimes.BEAT.multipliedBy(2)));
    }

    @Test
    void countEndsWithTheTerm() {
        times.saw(node(NodeStatus.DOWN, 5));
        term.end();
        times.close();
        assertThat(time.timers()).isZero();
    }
}
