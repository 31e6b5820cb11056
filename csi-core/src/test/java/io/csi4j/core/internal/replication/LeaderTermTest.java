package io.csi4j.core.internal.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaderTermTest {
    private static final Duration LENGTH = Duration.ofSeconds(8);

    private final List<Runnable> timers = new ArrayList<>();
    private long now;

    private final Timer timer = new Timer() {
        @Override
        public Cancellable schedule(Duration delay, Runnable task) {
            timers.add(task);
            return () -> {};
        }

        @Override
        public long nanoTime() {
            return now;
        }
    };

    private final Leadership leadership = new Leadership(Runnable::run);
    private final LeaderTerm term = new LeaderTerm(timer, leadership, LENGTH);

    private void lead(long number) {
        term.renewed(number, now);
        term.completed(number);
    }

    @Test
    void serverWithCompleteStateActsUntilLeaseEnds() {
        term.renewed(1, now);
        assertThat(term.mayAct()).as("its state may miss entries").isFalse();
        term.completed(1);
        assertThat(term.mayAct()).isTrue();
        now += LENGTH.toNanos() - 1;
        assertThat(term.mayAct()).isTrue();
        now++;
        assertThat(term.mayAct()).isFalse();
    }

    @Test
    void processThatStoodStillDoesNotActBeforeItsTimersRun() {
        lead(1);
        now += LENGTH.multipliedBy(2).toNanos();
        assertThat(leadership.leading()).as("no timer has run").isTrue();
        assertThat(term.mayAct()).isFalse();
        assertThat(leadership.leading()).as("its listeners are notified").isFalse();
        assertThat(term.acting()).isZero();
    }

    @Test
    void renewalAfterEndOfLeaseNeedsCompleteStateAgain() {
        lead(1);
        now += LENGTH.toNanos();
        assertThat(term.mayAct()).isFalse();
        term.renewed(1, now);
        assertThat(term.mayAct())
                .as("another server may have written meanwhile")
                .isFalse();
        term.completed(1);
        assertThat(term.mayAct()).isTrue();
    }

    @Test
    void leaseCountsFromSendingOfRenewal() {
        lead(1);
        long sentAt = now;
        now += Duration.ofSeconds(5).toNanos();
        term.renewed(1, sentAt + Duration.ofSeconds(2).toNanos());
        now = sentAt + Duration.ofSeconds(10).toNanos() - 1;
        assertThat(term.mayAct()).isTrue();
        now++;
        assertThat(term.mayAct()).isFalse();
    }
}
