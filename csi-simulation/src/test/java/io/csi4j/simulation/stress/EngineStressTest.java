package io.csi4j.simulation.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Looks for races of real threads, which the simulation cannot show. The seed decides what the hosts do; the
 * threads decide the rest, so a seed that failed may have to be run more than once.
 */
class EngineStressTest {
    /** How long: -Dcsi4j.stress.seconds=300; from which seed: -Dcsi4j.stress.seed. */
    private static final Duration TIME = Duration.ofSeconds(Long.getLong("csi4j.stress.seconds", 8));

    private static final long FIRST = Long.getLong("csi4j.stress.seed", 1);
    private static final int ALLOCATIONS = 400;

    @Test
    void whateverTheThreadsDoEverythingComesToItsEnd() throws Exception {
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
        // A run in which little happens proves little.
        assertThat(calls).isGreaterThan(100 * (seed - FIRST));
    }
}
