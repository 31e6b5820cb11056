package io.csi4j.replication.ratis.internal.lead;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.internal.replication.Leadership;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.replication.ratis.internal.lead.LeaderTerm.LeaseTimes;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LeaderTermTest {
    private static final LeaseTimes TIMES = LeaseTimes.of(Duration.ofSeconds(1));

    private final AtomicLong now = new AtomicLong();
    private final Deque<Runnable> timer = new ArrayDeque<>();
    private final Leadership leadership = new Leadership(Runnable::run);
    private boolean leaseHeld = true;
    private boolean alone;

    private final LeaderLease lease = new LeaderLease(TIMES.lease(), now::get);
    private final LeaderTerm term = new LeaderTerm(
            (delay, task) -> {
                timer.add(task);
                return () -> {};
            },
            now::get,
            leadership,
            lease,
            () -> leaseHeld,
            () -> alone,
            TIMES,
            new PeerContacts(lease, Set::of, Runnable::run, Clock.systemUTC()));

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
        timer.remove().run();
    }

    @Test
    void guardTimeIsLongerThanLeaseOfPreviousLeader() {
        assertThat(TIMES.guard()).isGreaterThanOrEqualTo(TIMES.lease().plus(TIMES.renewal()));
    }

    @Test
    void electedPeerStartsLeadingAfterGuardTime() {
        term.elected();
        assertThat(leadership.leading()).isFalse();
        pass(TIMES.guard().minusNanos(1));
        assertThat(leadership.leading()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(leadership.leading()).isTrue();
    }

    @Test
    void listenerThatThrowsAnErrorDoesNotKeepOthersFromLeading() {
        List<String> heard = new ArrayList<>();
        for (boolean broken : new boolean[] {true, false}) {
            leadership.add(new LeadershipListener() {
                @Override
                public void startLeading() {
                    heard.add(broken ? "broken" : "other");
                    if (broken) {
                        throw new AssertionError("a missing class, for one");
                    }
                }

                @Override
                public void stopLeading() {}
            });
        }
        leadership.set(true);
        assertThat(heard).containsExactlyInAnyOrder("broken", "other");
    }

    @Test
    void peerLeadsOnlyWhileItHoldsLease() {
        leaseHeld = false;
        term.elected();
        pass(TIMES.guard());
        assertThat(leadership.leading()).isFalse();
        leaseHeld = true;
        pass(TIMES.renewal());
        assertThat(leadership.leading()).isTrue();
        leaseHeld = false;
        pass(TIMES.renewal());
        assertThat(leadership.leading()).isFalse();
    }

    @Test
    void peerThatStoodStillDoesNotActBeforeItsTimerRuns() {
        assertThat(term.mayAct()).isFalse();
        term.elected();
        pass(TIMES.guard());
        assertThat(term.mayAct()).isTrue();
        leaseHeld = false;
        assertThat(leadership.leading()).as("no timer has run").isTrue();
        assertThat(term.mayAct()).isFalse();
        assertThat(leadership.leading()).as("its listeners are notified").isFalse();
        leaseHeld = true;
        assertThat(term.mayAct()).as("the engine has to start again first").isFalse();
        pass(TIMES.renewal());
        assertThat(term.mayAct()).isTrue();
        alone = true;
        leaseHeld = false;
        assertThat(term.mayAct()).as("a peer without others needs no lease").isTrue();
    }

    @Test
    void singlePeerOfClusterLeadsAtOnceWithoutLease() {
        alone = true;
        leaseHeld = false;
        term.elected();
        assertThat(leadership.leading()).isTrue();
    }

    @Test
    void deposedPeerStopsLeadingAtOnceAndItsTimerEnds() {
        alone = true;
        term.elected();
        term.deposed();
        assertThat(leadership.leading()).isFalse();
        pass(TIMES.renewal());
        assertThat(timer).isEmpty();
    }

    @Test
    void secondElectionWaitsForItsOwnGuardTime() {
        term.elected();
        pass(TIMES.guard());
        term.deposed();
        term.elected();
        assertThat(leadership.leading()).isFalse();
    }
}
