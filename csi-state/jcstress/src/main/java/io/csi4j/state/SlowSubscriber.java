package io.csi4j.state;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.csi4j.core.state.StateScope;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

@JCStressTest
@Description(
        "News that come while a listener is called are coalesced, never lost, and never told by two threads at once.")
@Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "the newest was told, by one at a time")
@State
public class SlowSubscriber {
    private final AtomicInteger inside = new AtomicInteger();
    private volatile int most;
    private volatile int newest;

    private final WatchSubscription subscription = new WatchSubscription(
            new WatchRegistry(0), StateScope.of(StateScope.Table.NODES), 0, this::listen, Notifier.of(Runnable::run));

    private void listen(long index) {
        most = Math.max(most, inside.incrementAndGet());
        newest = Math.max(newest, (int) index);
        inside.decrementAndGet();
    }

    @Actor
    public void first() {
        subscription.changed(1);
    }

    @Actor
    public void second() {
        subscription.changed(2);
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = newest;
        result.r2 = most;
    }
}
