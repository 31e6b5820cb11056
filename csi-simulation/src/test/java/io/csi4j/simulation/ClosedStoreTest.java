package io.csi4j.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.Timer;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.time.Clock;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClosedStoreTest {
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);

    @AfterEach
    void close() {
        executor.shutdownNow();
        scheduler.shutdownNow();
    }

    @Test
    void operationOnClosedStoreFailsWithNonRetryableError() {
        StateStore store = StateStore.inMemory();
        VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                .log(new LocalCommandLog(store))
                .gateway(new InstantGateway())
                .environment(
                        Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom(1)))
                .build();
        store.close();
        assertThat(lifecycle.claims().release(VolumeKey.of("default", "v"), AllocationId.of("a")))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(CsiException.class, failed -> {
                    assertThat(failed.retryable()).isFalse();
                    assertThat(failed).hasMessageContaining("closed");
                });
    }
}
