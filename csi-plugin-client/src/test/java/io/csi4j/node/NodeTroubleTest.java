package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts, plugins and processes that do what nobody expects of them. */
class NodeTroubleTest {
    @TempDir
    Path base;

    @Test
    void aNamespaceMayHaveTheNameOfAnyFileOfOurs() {
        Bench bench = new Bench(base, 1, true);
        for (String name : List.of("lock", "ledger", "staging", ".lock")) {
            NodeVolumeId id =
                    new NodeVolumeId(VolumeKey.of(name, "v"), PluginId.of("p"), ExternalVolumeId.of("ext-" + name));
            MountedVolume mounted = bench.done(bench.volumes.mount(
                    NodeMount.builder(id, AllocationId.of("a"), Bench.MANY).build()));
            assertThat(mounted.targetPath()).isDirectory();
        }
    }

    @Test
    void whoIsRefusedTheDirectoryDoesNotOpenItToOthers() throws Exception {
        try (FileLedger ledger = FileLedger.open(base, false)) {
            assertThat(ledger.load().entries()).isEmpty();
            assertThatThrownBy(() -> FileLedger.open(base, false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is in use");
            Process other = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            OtherProcess.class.getName(),
                            base.toString())
                    .inheritIO()
                    .start();
            assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(other.exitValue()).isEqualTo(OtherProcess.REFUSED);
        }
    }

    /** Another process that wants the directory. */
    static final class OtherProcess {
        static final int REFUSED = 7;

        private OtherProcess() {}

        public static void main(String[] arguments) {
            try (FileLedger ledger = FileLedger.open(Path.of(arguments[0]), false)) {
                System.exit(ledger.load().entries().size());
            } catch (IOException refused) {
                System.exit(REFUSED);
            }
        }
    }
}
