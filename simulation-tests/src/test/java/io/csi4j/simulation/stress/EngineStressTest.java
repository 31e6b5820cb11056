package io.csi4j.simulation.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Searches for races between real threads, which the simulation cannot show. The seed decides the hosts' actions, but the
 * threads decide their order, so a failed seed may not fail each time.
 */
class EngineStressTest {
    /**
     * The duration of the test; -Dcsi4j.stress.seconds=300 makes it longer, -Dcsi4j.stress.seed sets the first seed.
     */
    private static final Duration TIME = Duration.ofSeconds(Long.getLong("csi4j.stress.seconds", 8));

    private static final long FIRST = Long.getLong("csi4j.stress.seed", 1);
    private static final int ALLOCATIONS = 400;

    @Test
    void allOperationsEndWithoutViolationForAnyThreadTiming() throws Exception {
        long end = System.nanoTime() + TIME.toNanos();
        long seed = FIRST;
        long calls = 0;
        while (System.nanoTime() < end) {
            try (StressRun run = new StressRun(seed)) {
                List<String> wrong = run.run(ALLOCATIONS);
                calls += run.calls();
                assertThat(wrong).as("seed %d", seed).isEmpty();
            }
            seed++;
        }
        System.out.println("EngineStressTest: seeds " + FIRST + " to " + (seed - 1) + ", " + calls + " calls");
        // A run with few calls proves little.
        assertThat(calls).isGreaterThan(100 * (seed - FIRST));
    }
}
