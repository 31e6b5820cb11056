package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.node.WorkloadStatus.Phase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A preparation always completes, even if the host's code throws. */
class WorkloadFailuresTest {
    private static final AllocationId WEB = AllocationId.of("web");
    private static final List<ClaimRequest> REQUESTS =
            List.of(ClaimRequest.of(VolumeKey.of("ns", "v"), ClaimMode.WRITE, Bench.MANY));

    @TempDir
    Path base;

    private Bench bench;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
    }

    private static NodeMount mount() {
        return Bench.request("v", "web").build();
    }

    @Test
    void preparationSucceedsAfterEarlierPreparationFailedBecauseClaimThrew() {
        boolean[] broken = {true};
        WorkloadVolumes workloads = new WorkloadVolumes(
                bench.volumes,
                (allocation, requests) -> {
                    if (broken[0]) {
                        throw new IllegalStateException("no connection");
                    }
                    return CompletableFuture.completedFuture(List.of(mount()));
                },
                bench.time);
        assertThat(bench.failed(workloads.prepare(WEB, REQUESTS))).hasMessage("no connection");
        assertThat(workloads.status(WEB).orElseThrow().phase()).isEqualTo(Phase.UNDOING);
        broken[0] = false;
        assertThat(bench.done(workloads.prepare(WEB, REQUESTS))).hasSize(1);
    }

    @Test
    void statusOfWaitingWorkloadContainsWaitReasonOfClaim() {
        WorkloadVolumes workloads = new WorkloadVolumes(
                bench.volumes,
                new MountClaims() {
                    @Override
                    public CompletableFuture<List<NodeMount>> claim(
                            AllocationId allocation, List<ClaimRequest> requests) {
                        return new CompletableFuture<>();
                    }

                    @Override
                    public String reason(AllocationId allocation) {
                        return allocation + " waits for db";
                    }
                },
                bench.time);
        CompletableFuture<List<MountedVolume>> waiting = workloads.prepare(WEB, REQUESTS);
        assertThat(workloads.status(WEB).orElseThrow().reason()).isEqualTo("web waits for db");
        waiting.cancel(false);
        assertThat(workloads.status(WEB).orElseThrow().reason()).doesNotContain("waits for db");
    }

    @Test
    void preparationFailsIfGrantIsNull() {
        WorkloadVolumes workloads = new WorkloadVolumes(
                bench.volumes,
                (allocation, requests) -> NodeMount.granted(CompletableFuture.completedFuture(null)),
                bench.time);
        assertThat(bench.failed(workloads.prepare(WEB, REQUESTS))).isInstanceOf(NullPointerException.class);
    }

    @Test
    void preparationFailsIfMounterThrows() {
        bench.crash();
        NodeVolumes notStarted = NodeVolumes.builder(base, id -> bench.node.found())
                .environment(Environment.of(bench.time, bench.time, bench.time, new SplittableRandom(1)))
                .build();
        CompletableFuture<List<NodeMount>> granted = new CompletableFuture<>();
        WorkloadVolumes workloads = new WorkloadVolumes(notStarted, (allocation, requests) -> granted, bench.time);
        CompletableFuture<List<MountedVolume>> prepared = workloads.prepare(WEB, REQUESTS);
        granted.complete(List.of(mount()));
        assertThat(bench.failed(prepared)).hasMessageContaining("start()");
    }

    @Test
    void earlierMountsAreUndoneIfMounterThrows() {
        WorkloadVolumes workloads = new WorkloadVolumes(
                bench.volumes,
                (allocation, requests) -> CompletableFuture.completedFuture(java.util.Arrays.asList(mount(), null)),
                bench.time);
        assertThat(bench.failed(workloads.prepare(WEB, REQUESTS))).isInstanceOf(NullPointerException.class);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
    }
}
