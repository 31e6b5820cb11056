package io.csi4j.client.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The queues of volumes whose last call has an unknown outcome do not fill the memory. */
class VolumeOrderingTest {
    private static final Duration HOLD = Duration.ofMinutes(10);

    private final AtomicLong nanos = new AtomicLong();
    private final VolumeOrdering queues = new VolumeOrdering(
            new RetryEnvironment(nanos::get, (delay, task) -> () -> {}, () -> false, Optional.empty()), HOLD);

    /** Makes a call about a volume that ends with an unknown outcome. */
    private void unknownOutcome(String volume) {
        CallTarget call = new PublishTarget(volume);
        QueueKey key = new QueueKey(RpcService.NODE, Rpc.Subject.VOLUME, volume);
        boolean[] admitted = new boolean[1];
        queues.enter(key, new QueuedCall() {
            @Override
            public CallTarget target() {
                return call;
            }

            @Override
            public void admitted(boolean replay) {
                admitted[0] = true;
            }

            @Override
            public void waits() {}

            @Override
            public void refused(UnknownOutcome by) {}
        });
        assertThat(admitted).containsExactly(true);
        queues.leave(key, call, QueueExit.UNKNOWN);
    }

    @Test
    void queuesOfVolumesWithoutFurtherCallsAreRemovedAfterBlockTime() {
        for (int i = 0; i < 100; i++) {
            unknownOutcome("v" + i);
        }
        assertThat(queues.size()).isEqualTo(100);
        nanos.addAndGet(HOLD.toNanos() + 1);
        unknownOutcome("last");
        assertThat(queues.size()).isEqualTo(1);
    }

    @Test
    void queuesOfVolumesAreKeptDuringBlockTime() {
        unknownOutcome("first");
        nanos.addAndGet(HOLD.toNanos() / 2);
        unknownOutcome("second");
        assertThat(queues.size()).isEqualTo(2);
        assertThat(queues.unresolved()).hasSize(2);
    }

    /** The queue of {@code b} has expired, but a sweep right after another one would cost more than it frees. */
    @Test
    void expiredQueuesAreRemovedAtMostFourTimesPerBlockTime() {
        unknownOutcome("a");
        nanos.set(Duration.ofMinutes(1).toNanos());
        unknownOutcome("b");
        nanos.set(HOLD.toNanos());
        unknownOutcome("c");
        assertThat(queues.size()).as("b, c").isEqualTo(2);
        nanos.set(Duration.ofMinutes(11).toNanos());
        unknownOutcome("d");
        nanos.set(Duration.ofSeconds(750).toNanos() - 1);
        unknownOutcome("e");
        assertThat(queues.size()).as("b, c, d, e").isEqualTo(4);
        nanos.set(Duration.ofSeconds(750).toNanos());
        unknownOutcome("f");
        assertThat(queues.size()).as("c, d, e, f").isEqualTo(4);
    }
}
