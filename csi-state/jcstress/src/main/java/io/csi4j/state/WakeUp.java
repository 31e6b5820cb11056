package io.csi4j.state;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

@JCStressTest
@Description("Who looks, finds nothing and then watches is always told: no wake-up falls between the two.")
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "found, or told; and what is told can be read")
@State
public class WakeUp {
    private static final NodeId NODE = NodeId.of("n");

    private final StateStore store = StateStore.inMemory(
            StateStoreOptions.builder().watchExecutor(Runnable::run).build());
    private @Nullable CompletableFuture<Boolean> reported;

    @Actor
    public void writer() {
        store.apply(new NodeCommand.UpsertNode(NODE, Instant.EPOCH));
    }

    @Actor
    public void reader() {
        StateReader snapshot = store.snapshot();
        reported = snapshot.node(NODE).isPresent()
                ? CompletableFuture.completedFuture(true)
                : store.newerThan(StateScope.node(NODE), snapshot.index())
                        .thenApply(index -> store.snapshot().node(NODE).isPresent());
    }

    @Arbiter
    public void arbiter(ZZ_Result result) {
        result.r1 = reported != null && reported.isDone();
        result.r2 = reported != null && reported.getNow(false);
    }
}
