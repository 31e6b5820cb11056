package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Other users of the machine cannot reach the files of a log. */
@Timeout(60)
final class FileModesTest {
    private static final int OTHER_USER = 65_534;

    @TempDir
    Path root;

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void newDirectoriesAndSnapshotsArePrivate() throws Exception {
        Path directory = root.resolve("new/data");
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            submit(log, "n", 1);
            log.takeSnapshot().join();
        }
        assertThat(mode(directory)).isEqualTo("rwx------");
        assertThat(mode(directory.resolve("log"))).isEqualTo("rwx------");
        try (Stream<Path> files = Files.walk(directory)) {
            Path snapshot = files.filter(file -> file.getFileName().toString().matches("snapshot\\.\\d+_\\d+"))
                    .findFirst()
                    .orElseThrow();
            assertThat(mode(snapshot)).isEqualTo("rw-------");
        }
    }

    @Test
    void directoryOfLogFromAnEarlierVersionBecomesPrivate() throws Exception {
        Files.createDirectory(root.resolve("log"));
        Files.setPosixFilePermissions(root.resolve("log"), PosixFilePermissions.fromString("rwxr-xr-x"));
        RatisCommandLog.builder(root).state(TestCluster.READABLE).start().close();
        assertThat(mode(root.resolve("log"))).isEqualTo("rwx------");
    }

    @Test
    void directoryThatOthersCanWriteIsRefused() throws Exception {
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> RatisCommandLog.builder(root).start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(root + " has the permissions rwxrwxrwx")
                .hasMessageContaining("chmod 700");
        assertThat(root.resolve("secrets.key")).doesNotExist();
    }

    @Test
    void directoryOfAnotherUserIsRefused() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Path data = Files.createDirectory(root.resolve("data"));
        Files.setAttribute(data, "unix:uid", OTHER_USER);
        assertThatThrownBy(() -> RatisCommandLog.builder(data).start())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(data + " belongs to the user")
                .hasMessageContaining("chown");
        Path other = Files.createDirectory(root.resolve("other"));
        Path log = Files.createDirectory(other.resolve("log"));
        Files.setAttribute(log, "unix:uid", OTHER_USER);
        assertThatThrownBy(() -> RatisCommandLog.builder(other)
                        .state(TestCluster.READABLE)
                        .start())
                .hasMessageContaining(log + " belongs to");
    }
}
