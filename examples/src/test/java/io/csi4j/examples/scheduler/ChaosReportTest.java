package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.MissedStepEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChaosReportTest {
    @TempDir
    Path directory;

    private String report(List<String> leaks) throws IOException {
        return new ChaosReport(
                        new ClusterLayout(directory, List.of(1), List.of(2), 1, 0), Map.of("servers killed", 3), 20)
                .text(leaks);
    }

    @Test
    void reportContainsGrantCountAndMedianAndLongestGrantTime() throws IOException {
        Files.write(directory.resolve("grants.log"), List.of("a-0-1 10", "a-0-2 30", "b-0-1 20"));
        assertThat(report(new ArrayList<>()))
                .contains("rounds: 20", "servers killed: 3", "got their volumes: 3", "20 ms (half)", "30 ms (longest)")
                .contains("Verdict: clean.");
    }

    @Test
    void verdictIsNotCleanAfterLeakOrViolationFoundByWorkload() throws IOException {
        assertThat(report(new ArrayList<>(List.of("vol-1 is attached to node-1"))))
                .contains("LEAK: vol-1 is attached to node-1", "Verdict: NOT CLEAN, 1 leak(s).");
        Files.writeString(directory.resolve("violations.log"), "a-0-1 found default/one in use on another node\n");
        List<String> leaks = new ArrayList<>();
        assertThat(report(leaks)).contains("LEAK: a-0-1 found default/one in use on another node");
        assertThat(leaks).hasSize(1);
    }

    @Test
    void verdictIsNotCleanIfOnlyAScanFoundAStep() throws IOException {
        ClusterLayout layout = new ClusterLayout(directory, List.of(1), List.of(2), 1, 0);
        new MissedSteps(layout)
                .missedStepFound(new MissedStepEvent(VolumeKey.of("default", "db"), PluginId.of("p"), Instant.EPOCH));
        assertThat(report(new ArrayList<>()))
                .contains("LEAK: a scan found a step of volume default/db", "Verdict: NOT CLEAN, 1 leak(s).");
    }
}
