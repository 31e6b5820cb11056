package io.csi4j.simulation.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Searches for races between real threads, which the simulation cannot show. The seed decides the hosts' actions, but the
 * threads decide their order, so a failed seed may not fail each time.
 */
class EngineStressTest {
    /** The number of seeds, and the first one; -Dcsi4j.stress.seeds=500 runs more, -Dcsi4j.seed sets the first one. */
    private static final long SEEDS = Long.getLong("csi4j.stress.seeds", 8);

    private static final long FIRST = Long.getLong("csi4j.seed", 1);
    private static final int ALLOCATIONS = 400;

    @Test
    void allOperationsEndWithoutViolationForAnyThreadTiming() throws Exception {
        long calls = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            try (StressRun run = new StressRun(seed)) {
                List<String> wrong = run.run(ALLOCATIONS);
                calls += run.calls();
                assertThat(wrong).as("seed %d", seed).isEmpty();
            }
        }
        System.out.println("EngineStressTest: " + SEEDS + " seeds from " + FIRST + ", " + calls + " calls");
        // A run with few calls proves little.
        assertThat(calls).isGreaterThan(100 * SEEDS);
    }
}
