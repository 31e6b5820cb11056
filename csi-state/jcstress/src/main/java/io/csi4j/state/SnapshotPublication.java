package io.csi4j.state;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.time.Instant;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

@JCStressTest
@Description("A reader sees a whole commit or nothing of it: both rows, complete, under the commit's index.")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "before the commit")
@Outcome(id = "1, 3, 3", expect = ACCEPTABLE, desc = "after it")
@State
public class SnapshotPublication {
    private static final NodeId LEFT = NodeId.of("left");
    private static final NodeId RIGHT = NodeId.of("right");

    private final StateStore store = StateStore.inMemory();

    @Actor
    public void writer() {
        try (WriteTransaction transaction = store.begin(Duration.ofMinutes(1))) {
            for (NodeId id : new NodeId[] {LEFT, RIGHT}) {
                transaction.putNode(new Node(id, NodeStatus.READY, Instant.EPOCH, "why", 3));
            }
            transaction.commit(1);
        }
    }

    @Actor
    public void reader(III_Result result) {
        StateReader snapshot = store.snapshot();
        result.r1 = (int) snapshot.index();
        result.r2 = (int) (long) snapshot.node(LEFT).map(Node::modifyIndex).orElse(0L);
        result.r3 = (int) (long) snapshot.node(RIGHT).map(Node::modifyIndex).orElse(0L);
    }
}
