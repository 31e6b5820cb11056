package io.csi4j.testkit;

import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of a crashing process in the README. */
@Tag("versions")
class ProcessExampleTest {
    @TempDir
    Path directory;

    private VolumeCalls scheduler;

    private void attach(String volume, String node) {
        scheduler.publish(volume, node).handle((done, failure) -> true).join();
    }

    @Test
    void processCanBeRestartedIfItCrashedAfterCallTookEffect() {
        String endpoint = "unix://" + directory.resolve("p.sock");
        scheduler = VolumeCalls.once(endpoint);
        // DOCS
        try (FakePluginProcess plugin = FakePluginProcess.builder(endpoint)
                .stateDir(directory.resolve("state"))
                .volumes("vol-1=1Gi")
                .start()) {
            plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().crashAfterEffect();
            attach("vol-1", "node-1");
            assertThat(plugin.awaitEnd(Duration.ofSeconds(10))).isTrue();

            plugin.restart();
            attach("vol-1", "node-1");
            assertThat(plugin)
                    .saw(Rpc.CONTROLLER_PUBLISH_VOLUME, 2)
                    .published("vol-1")
                    .onNode("node-1");
        }
        // DOCS
        scheduler.close();
    }
}
