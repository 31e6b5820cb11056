package io.csi4j.core.lifecycle.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.UnusedLog;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.RowType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FenceRequestsTest {
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");

    private final VirtualTime time = VirtualTime.inOrder();
    private final NaiveState state = new NaiveState();
    private final Term term = new Term(() -> true);
    private final List<NodeId> sent = new ArrayList<>();
    private final List<NodeId> retried = new ArrayList<>();
    private CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
    private final EnginePorts ports = TestPorts.of(new UnusedLog(), time, (node, reason) -> {
        assertThat(reason).contains("volumes are to be released on node " + node);
        sent.add(node);
        return answer;
    });
    private final FenceRequests requests = new FenceRequests(ports, retried::add);

    FenceRequestsTest() {
        down(N1, 5);
        down(N2, 6);
    }

    private void down(NodeId node, long index) {
        state.put(RowType.NODES, new Node(node, NodeStatus.DOWN, Instant.EPOCH, "", index));
    }

    private void ask(NodeId node) {
        requests.ask(state, node, term);
        time.run();
    }

    @Test
    void eachOutageCausesOneRequest() {
        assertThat(requests.asked(state)).isEmpty();
        ask(N1);
        ask(N1);
        ask(N2);
        assertThat(sent).containsExactly(N1, N2);
        assertThat(requests.asked(state)).containsExactlyInAnyOrder(N1, N2);
        down(N1, 9);
        assertThat(requests.asked(state)).as("its status has changed").containsExactly(N2);
        ask(N1);
        assertThat(sent).containsExactly(N1, N2, N1);
        assertThat(requests.asked(state)).containsExactlyInAnyOrder(N1, N2);
        assertThat(time.timers()).as("nothing is repeated").isZero();
    }

    @Test
    void requestThatFailedOrGotNoAnswerIsMadeAgainAfterAPause() {
        answer = CompletableFuture.failedFuture(new CsiException("the fence device is off"));
        ask(N1);
        Duration pause = ports.options().slowRetryBase();
        time.advance(pause.minusMillis(1));
        assertThat(retried).isEmpty();
        assertThat(requests.asked(state)).containsExactly(N1);
        time.advance(Duration.ofMillis(1));
        assertThat(retried).containsExactly(N1);
        assertThat(requests.asked(state)).isEmpty();

        answer = new CompletableFuture<>();
        ask(N1);
        time.advance(ports.options().callTimeout().plus(pause));
        assertThat(sent).containsExactly(N1, N1);
        assertThat(retried).containsExactly(N1, N1);
    }

    @Test
    void endOfTheTermEndsTheRepetitions() {
        answer = CompletableFuture.failedFuture(new CsiException("the fence device is off"));
        ask(N1);
        ask(N2);
        assertThat(time.timers()).isEqualTo(2);
        requests.close();
        assertThat(time.timers()).isZero();
        down(N1, 9);
        ask(N1);
        assertThat(time.timers()).isEqualTo(1);
        term.end();
        down(N2, 10);
        ask(N2);
        assertThat(time.timers()).as("nothing new is planned").isEqualTo(1);
        time.advance(Duration.ofDays(1));
        assertThat(retried).isEmpty();
    }
}
