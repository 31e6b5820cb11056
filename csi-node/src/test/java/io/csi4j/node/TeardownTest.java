package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Teardowns of a workload before this process has read the mounts of the earlier process. */
class TeardownTest {
    private static final AllocationId A = AllocationId.of("a");
    private static final VolumeKey V = VolumeKey.of("ns", "v");
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    Path base;

    private Bench bench;
    private WorkloadVolumes workloads;

    @BeforeEach
    void mountAndDie() {
        bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        bench.crash();
    }

    private NodeVolumesBuilder next(Executor executor) {
        return NodeVolumes.builder(base, id -> bench.node.found())
                .environment(Environment.of(bench.time, bench.time, executor, new SplittableRandom(1)))
                .mountTable(bench.node);
    }

    private void start(NodeVolumesBuilder builder) {
        NodeVolumes volumes = builder.build();
        // Does not wait for the start.
        CompletableFuture<Void> unused = volumes.start();
        workloads = new WorkloadVolumes(
                volumes, (allocation, requests) -> CompletableFuture.failedFuture(new IOException("none")), bench.time);
    }

    @Test
    void teardownWaitsUntilLedgerIsRead() {
        start(next(bench.time));
        CompletableFuture<Teardown> torn = workloads.teardown(A, LIMIT);
        assertThat(torn).isNotDone();
        assertThat(bench.done(torn)).isEqualTo(new Teardown(List.of(V), List.of()));
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void teardownReturnsUnmountedAndRemainingVolumes() {
        start(next(bench.time));
        bench.node.fates = rpc -> ScriptedNode.Fate.UNAVAILABLE;
        CompletableFuture<Teardown> left = workloads.teardown(A, LIMIT);
        assertThat(bench.done(left)).isEqualTo(new Teardown(List.of(), List.of(V)));
        bench.node.fates = rpc -> ScriptedNode.Fate.OK;
        assertThat(bench.done(workloads.teardown(A, LIMIT))).isEqualTo(new Teardown(List.of(V), List.of()));
        assertThat(bench.done(workloads.teardown(A, LIMIT))).isEqualTo(new Teardown(List.of(), List.of()));
    }

    @Test
    void teardownThatTimesOutBeforeLedgerIsReadStillUnmountsLater() {
        List<Runnable> held = new ArrayList<>();
        boolean[] holds = {true};
        start(next(task -> {
            if (holds[0]) {
                held.add(task);
            } else {
                bench.time.execute(task);
            }
        }));
        CompletableFuture<Teardown> torn = workloads.teardown(A, LIMIT);
        bench.time.advance(LIMIT.minusMillis(1));
        assertThat(torn).isNotDone();
        assertThat(bench.failed(torn))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNFINISHED));
        assertThat(bench.node.mounts).isNotEmpty();
        holds[0] = false;
        held.forEach(bench.time::execute);
        bench.time.advance(LIMIT);
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void teardownFailsIfLedgerIsUnreadable() {
        start(next(bench.time).ledger(new VolumeLedger() {
            @Override
            public Contents load() throws IOException {
                throw new IOException("the disk is gone");
            }

            @Override
            public void save(VolumeEntry entry) {
                throw new AssertionError("unexpected write");
            }

            @Override
            public void remove(VolumeKey key) {
                throw new AssertionError("unexpected write");
            }

            @Override
            public void close() {}
        }));
        assertThat(bench.failed(workloads.teardown(A, LIMIT)))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LEDGER));
    }
}
