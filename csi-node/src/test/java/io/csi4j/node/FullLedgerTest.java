package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk of the ledger is full for a while. */
class FullLedgerTest {
    @TempDir
    Path base;

    private Bench bench;
    private boolean full;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        bench.checkpoint = () -> {
            if (full) {
                throw new IOException("no space");
            }
        };
    }

    @Test
    void endOfCancelledMountIsStoredWhenThereIsSpaceAgain() {
        bench.node.there = false;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        full = true;
        mount.cancel(false);
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(bench.volumes.volumes()).hasSize(1);
        full = false;
        bench.node.there = true;
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.node.log).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void eventAndStatusSayThatTheWorkWaitsForTheLedger() {
        bench.node.there = false;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        full = true;
        bench.node.there = true;
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(mount).isNotDone();
        assertThat(bench.node.log).isEmpty();
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.STEP_FAILED)
                .isNotEmpty()
                .allSatisfy(event -> {
                    assertThat(event.volume()).contains(VolumeKey.of("ns", "v"));
                    assertThat(event.message()).contains("the ledger cannot be written: no space");
                });
        assertThat(bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow().waitingFor())
                .contains("the ledger cannot be written");
        full = false;
        bench.done(mount);
    }
}
