package io.csi4j.examples.first;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.MarkedCode;
import io.csi4j.testkit.FakeCsiPlugin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstExampleTest {
    @Test
    void guideShowsCompiledExample() throws IOException {
        assertThat(Files.readString(Path.of("../docs/guide/client.md")))
                .contains(MarkedCode.block(Path.of("src/main/java/io/csi4j/examples/first/FirstExample.java")));
    }

    @Test
    void exampleCreatesAndDeletesVolume(@TempDir Path directory) {
        String endpoint = "unix://" + directory.resolve("csi.sock");
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build().startOn(endpoint)) {
            String output = output(() -> FirstExample.createAndDelete(plugin.endpoint(), "t0ken"));

            assertThat(output).contains("has 1073741824 bytes").doesNotContain("t0ken");
        }
    }

    @Test
    void errorForMissingPluginContainsOutcomeAndSocket(@TempDir Path directory) {
        String endpoint = "unix://" + directory.resolve("csi.sock");

        String output = output(() -> FirstExample.createAndDelete(endpoint, "t0ken"));

        assertThat(output)
                .contains("OUTCOME_UNKNOWN, UNAVAILABLE")
                .contains("CreateVolume")
                .contains(directory.resolve("csi.sock").toString())
                .doesNotContain("t0ken");
    }

    private static String output(Runnable example) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream err = System.err;
        try (PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(both);
            System.setErr(both);
            example.run();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
