package io.csi4j.examples.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoriesTest {
    @TempDir
    Path directory;

    @Test
    void removeEmptyDeletesEmptyFilesAndSymbolicLinks() throws IOException {
        Path parent =
                Files.createDirectories(directory.resolve("parent/target")).getParent();
        Files.createFile(parent.resolve("device"));
        Files.createSymbolicLink(parent.resolve("link"), directory);

        CallerDirectories.removeEmpty(parent);
        CallerDirectories.removeEmpty(parent);

        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void removeEmptyKeepsFileWithContent() throws IOException {
        Path file = Files.writeString(directory.resolve("data"), "precious");

        assertThatIOException()
                .isThrownBy(() -> CallerDirectories.removeEmpty(directory))
                .withMessageContaining(file.toString())
                .withMessageContaining("not ours to delete");
        assertThat(file).hasContent("precious");
    }

    @Test
    void removeAllDeletesNothingBelowMount() throws IOException, InterruptedException {
        Path provider = Files.createDirectory(directory.resolve("provider"));
        Path file = Files.writeString(provider.resolve("data"), "precious");
        Path target = Files.createDirectories(directory.resolve("run/target"));
        assumeTrue(mount(provider, target), "needs the right to mount");
        try {
            assertThatIOException()
                    .isThrownBy(() -> CallerDirectories.removeAll(directory.resolve("run")))
                    .withMessageContaining(target.toString());
            assertThat(file).hasContent("precious");
        } finally {
            assertThat(CallerDirectories.unmountAll(directory.resolve("run"))).isEqualTo(1);
        }
        CallerDirectories.removeAll(directory.resolve("run"));
        assertThat(file).hasContent("precious");
    }

    private static boolean mount(Path from, Path to) throws IOException, InterruptedException {
        return new ProcessBuilder("mount", "--bind", from.toString(), to.toString())
                        .redirectErrorStream(true)
                        .start()
                        .waitFor()
                == 0;
    }
}
