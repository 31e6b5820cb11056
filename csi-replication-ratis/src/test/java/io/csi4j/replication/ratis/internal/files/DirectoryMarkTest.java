package io.csi4j.replication.ratis.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.internal.files.DirectoryMark.LogName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryMarkTest {
    @TempDir
    Path directory;

    @BeforeEach
    void writeLogAndMark() throws IOException {
        Files.createDirectories(directory.resolve("log/group/current"));
        Files.writeString(directory.resolve("log/group/current/entries"), "x");
        mark().write(10);
    }

    private DirectoryMark mark() throws IOException {
        return DirectoryMark.read(directory, new LogName("c", "group"));
    }

    @Test
    void logThatHasReachedItsMarkIsTheOriginal() throws IOException {
        assertThat(mark().restored(10)).isFalse();
        assertThat(mark().restored(11)).isFalse();
    }

    @Test
    void logThatEndsBeforeItsMarkWasRestored() throws IOException {
        assertThat(mark().restored(9)).isTrue();
    }

    @Test
    void filesInDirectoriesOfTheLogDoNotChangeItsIdentity() throws IOException {
        Files.writeString(directory.resolve("log/group/entries"), "x");
        assertThat(mark().restored(10)).isFalse();
    }

    @Test
    void logWithoutMarkOrWithADamagedOneWasRestored() throws IOException {
        Path file = directory.resolve("log.mark");
        Files.writeString(file, Files.readString(file).replace("index=10", "index=ten"));
        assertThat(mark().restored(Long.MAX_VALUE - 1)).isTrue();
        Files.delete(file);
        assertThat(mark().restored(10)).isTrue();
    }

    @Test
    void emptyLogWithMarkHasVanishedUnlessItWasEmptyBefore() throws IOException {
        Files.delete(directory.resolve("log/group/current/entries"));
        assertThatThrownBy(this::mark).isInstanceOf(LogFailedException.class).hasMessageContaining("has vanished");
        Path file = directory.resolve("log.mark");
        Files.writeString(file, Files.readString(file).replace("index=10", "index=0"));
        assertThat(mark().vanished(0)).isEmpty();
        assertThat(mark().vanished(1)).isPresent();
    }

    @Test
    void emptyDirectoryWithoutMarkIsNew() throws IOException {
        Files.delete(directory.resolve("log.mark"));
        Files.delete(directory.resolve("log/group/current/entries"));
        Files.delete(directory.resolve("log/group/current"));
        Files.delete(directory.resolve("log/group"));
        assertThat(mark().restored(0)).isFalse();
    }
}
