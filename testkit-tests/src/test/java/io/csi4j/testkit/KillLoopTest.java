package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent and a plugin, both as real processes with real mounts, are killed with SIGKILL again and again: at their
 * checkpoints, and at moments that chance picks. After each round every user has what it was told it has, by the very
 * mount it was told of, and nothing else is mounted. Takes more than 20 seconds: each round starts JVMs again.
 *
 * <p>{@code -Dcsi4j.kill.rounds=N} for more rounds, {@code -Dcsi4j.seed=S} for others; each round prints its seed.
 */
class KillLoopTest {
    /** The normal build does as many rounds as go into this, and at least some. */
    private static final Duration BUDGET = Duration.ofSeconds(40);

    private static final int FEWEST = 5;
    private static final int USUAL = 12;

    @TempDir
    Path directory;

    @AfterEach
    void cleanUp() throws Exception {
        Machine.cleanUp(directory);
    }

    @Test
    void killedProcessesNeitherLoseNorLeakMounts() throws Exception {
        Machine.assumeRoot();
        Integer asked = Integer.getInteger("csi4j.kill.rounds");
        int rounds = asked == null ? USUAL : asked;
        long seed = Long.getLong("csi4j.seed", 1);
        long end = System.nanoTime() + BUDGET.toNanos();
        KillWorld world = new KillWorld(directory);
        try (world) {
            int done = 0;
            while (done < rounds && (asked != null || done < FEWEST || System.nanoTime() < end)) {
                long own = seed + done;
                try {
                    world.round(done, new SplittableRandom(own));
                } catch (Exception | AssertionError e) {
                    throw reported("round " + done + ", -Dcsi4j.seed=" + own, world, e);
                }
                done++;
            }
            System.out.println("KillLoopTest: " + done + " rounds from seed " + seed + ", " + world.tally());
            // Each round kills one of them for certain.
            assertThat(world.agentKills).as("the agent was killed").isGreaterThanOrEqualTo(done - done / 3 - 1);
            assertThat(world.pluginKills).as("the plugin was killed").isGreaterThanOrEqualTo(done / 3);
            assertThat(world.mounted).as("number of mounts").isPositive();
            try {
                world.end(new SplittableRandom(seed - 1));
            } catch (Exception | AssertionError e) {
                throw reported("the end", world, e);
            }
        }
    }

    private static AssertionError reported(String where, KillWorld world, Throwable cause) {
        return new AssertionError(where + ", " + world.did() + "\n" + world.said(), cause);
    }
}
