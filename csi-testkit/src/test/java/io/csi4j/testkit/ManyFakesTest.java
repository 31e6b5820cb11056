package io.csi4j.testkit;

import static io.csi4j.testkit.VolumeCalls.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many plugins in one process. */
class ManyFakesTest {
    private static final int FAKES = 1_000;

    @TempDir
    Path directory;

    @Test
    void thousandFakePluginsRunConcurrentlyWithFewThreads() {
        List<FakeCsiPlugin> plugins = new ArrayList<>();
        try {
            for (int i = 0; i < FAKES; i++) {
                FakeCsiPlugin plugin =
                        FakeCsiPlugin.builder().nodeId("node-" + i).build();
                plugins.add(plugin.startOn("unix://" + directory.resolve("p" + i + ".sock"))
                        .startInProcess());
                plugin.storage().provision("vol-1", 1 << 20);
            }
            for (int i = 0; i < FAKES; i += 50) {
                FakeCsiPlugin plugin = plugins.get(i);
                try (VolumeCalls onSocket = VolumeCalls.once(plugin.endpoint());
                        VolumeCalls inProcess = VolumeCalls.once(plugin.inProcessEndpoint())) {
                    get(onSocket.publish("vol-1", "node-" + i));
                    get(inProcess.unpublish("vol-1", "node-" + i));
                }
                assertThat(plugin.history().calls()).hasSize(2);
            }
            assertThat(Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getName().startsWith("csi4j-fake-plugin")))
                    .hasSizeLessThan(10);
        } finally {
            plugins.forEach(FakeCsiPlugin::close);
        }
        assertThat(directory).isEmptyDirectory();
    }
}
