package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChildClassPathTest {
    @TempDir
    Path directory;

    private Path jar(String name, String... files) throws IOException {
        Path jar = directory.resolve(name);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (String file : files) {
                out.putNextEntry(new ZipEntry(file));
            }
        }
        return jar;
    }

    @Test
    void jarThatHasEverythingStays() throws IOException {
        Path all = jar("all.jar", "org/slf4j/LoggerFactory.class", "io/csi4j/testkit/cli/FakePluginMain.class");
        assertThat(ChildClassPath.of(all.toString())).isEqualTo(all.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org/slf4j/LoggerFactory.class",
                "META-INF/services/org.slf4j.spi.SLF4JServiceProvider",
                "org/slf4j/impl/StaticLoggerBinder.class",
                "META-INF/services/org.apache.logging.log4j.spi.Provider",
                "org/apache/log4j/LogManager.class",
                "META-INF/services/java.lang.System$LoggerFinder"
            })
    void jarThatWritesLogsOfCallerIsLeftOut(String file) throws IOException {
        Path library = jar("library.jar", "org/example/Logger.class");
        Path writer = jar("writer.jar", file);
        assertThat(ChildClassPath.of(writer + File.pathSeparator + library)).isEqualTo(library.toString());
    }

    @Test
    void jarsComeBeforeDirectoriesAndOtherFiles() throws IOException {
        Path library = jar("library.jar", "A.class");
        Path text = Files.writeString(directory.resolve("notes.txt"), "no jar");
        Path absent = directory.resolve("absent");
        String given = String.join(
                File.pathSeparator, directory.toString(), text.toString(), absent.toString(), library.toString());
        assertThat(ChildClassPath.of(given))
                .isEqualTo(String.join(
                        File.pathSeparator,
                        library.toString(),
                        directory.toString(),
                        text.toString(),
                        absent.toString()));
    }
}
