package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Allocations of the ledger that no longer run when node volumes start. */
class EndedAllocationsTest {
    @TempDir
    Path base;

    @Test
    void volumeOfEndedAllocationIsNotMountedAgainAfterReboot() {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "b"));
        bench.done(bench.mount("w", "a"));
        bench.crash();
        bench.node.reboot();
        bench.node.log.clear();
        bench.runs = allocation -> allocation.value().equals("b");
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        // Volume v is staged for b, which still runs; nothing is staged or published for a.
        assertThat(bench.node.log)
                .anyMatch(call -> call.startsWith("NodePublishVolume b"))
                .noneMatch(call -> call.startsWith("NodePublishVolume a"));
        assertThat(bench.node.staged).containsOnlyKeys("ext-v");
        assertThat(bench.node.published).containsOnlyKeys(bench.target("v", "b"));
        assertThat(bench.volumes.volumes().stream().flatMap(status -> status.uses().stream()))
                .hasSize(1);
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void mountOfEndedAllocationIsUnmountedAfterRestart() {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        bench.crash();
        bench.runs = allocation -> false;
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.staged).isEmpty();
        assertThat(bench.volumes.volumes()).allMatch(status -> status.uses().isEmpty());
    }

    @Test
    void allAllocationsAreAssumedToRunByDefault() {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        bench.crash();
        bench.node.reboot();
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.published).containsOnlyKeys(bench.target("v", "a"));
    }
}
