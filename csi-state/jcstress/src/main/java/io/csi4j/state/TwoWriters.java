package io.csi4j.state;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import java.time.Instant;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

@JCStressTest
@Description("Two writers are one after the other: neither's row is lost.")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "both")
@State
public class TwoWriters {
    private final StateStore store = StateStore.inMemory();

    @Actor
    public void first() {
        store.apply(new NodeCommand.UpsertNode(NodeId.of("a"), Instant.EPOCH));
    }

    @Actor
    public void second() {
        store.apply(new NodeCommand.UpsertNode(NodeId.of("b"), Instant.EPOCH));
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = (int) store.snapshot().index();
        store.snapshot().nodes().forEach(node -> result.r2++);
    }
}
