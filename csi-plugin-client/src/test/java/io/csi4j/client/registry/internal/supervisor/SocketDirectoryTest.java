package io.csi4j.client.registry.internal.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names of directories, the directories of sockets, and what is deleted in them. */
class SocketDirectoryTest {
    @TempDir
    Path base;

    private Path directory;
    private Path socket;

    @BeforeEach
    void name() throws IOException {
        base = base.toRealPath();
        directory = base.resolve("d");
        socket = directory.resolve("csi.sock");
        SocketDirectory.make(directory);
    }

    private ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    @Test
    void staleSocketIsRemovedAndOtherFilesAreKept() throws IOException {
        SocketDirectory.removeStale(socket);
        try (ServerSocketChannel listener = listen()) {
            assertThat(listener.isOpen()).isTrue();
            SocketDirectory.removeStale(socket);
            assertThat(socket).exists();
        }
        SocketDirectory.removeStale(socket);
        assertThat(socket).doesNotExist();
        Files.createFile(socket);
        SocketDirectory.removeStale(socket);
        assertThat(socket).exists();
    }

    @Test
    void directoryIsRemovedWithItsSocketOnly() throws IOException {
        listen().close();
        assertThat(SocketDirectory.remove(directory, socket)).isEmpty();
        assertThat(directory).doesNotExist();
        assertThat(SocketDirectory.remove(directory, socket)).isEmpty();

        SocketDirectory.make(directory);
        Files.createFile(socket);
        assertThat(SocketDirectory.remove(directory, socket))
                .contains(directory + " is not empty and was left; look whose files these are");
        assertThat(socket).exists();
    }

    @Test
    void nothingIsDeletedInMountPoint() throws IOException {
        assertThat(SocketDirectory.remove(Path.of("/proc"), socket))
                .contains("something is mounted at /proc; nothing in it was deleted");
    }

    private boolean isMountPoint(Path there, String... lines) throws IOException {
        Path table = base.resolve("mountinfo");
        Files.write(table, List.of(lines), StandardCharsets.UTF_8);
        return PluginMountPoints.isMountPoint(there, table);
    }

    @Test
    void bindMountIsFoundInMountTable() throws IOException {
        assertThat(PluginMountPoints.isMountPoint(Path.of("/"))).isTrue();
        assertThat(PluginMountPoints.isMountPoint(Path.of("/proc"))).isTrue();
        assertThat(PluginMountPoints.isMountPoint(directory)).isFalse();
        assertThat(PluginMountPoints.isMountPoint(directory, base.resolve("no table")))
                .isFalse();
        String line = "36 35 98:0 /root " + directory + " rw,noatime master:1 - ext3 /dev/root rw";
        assertThat(isMountPoint(directory, "", "1 2 3 4", "36 35 98:0 / / rw - ext3 /dev/root rw", line))
                .isTrue();
        assertThat(isMountPoint(directory, "36 35 98:0 /root " + directory)).isTrue();
        assertThat(isMountPoint(directory, "36 35 98:0 " + directory + " /mnt rw - ext3 /dev/root rw"))
                .isFalse();
        assertThat(isMountPoint(directory, line.replace(directory + " ", directory + "2 ")))
                .isFalse();
    }

    @Test
    void escapedPathsOfMountTableAreDecoded() throws IOException {
        Path odd = Files.createDirectories(base.resolve("a b\\é\t"));
        String escaped = base + "/a\\040b\\134é\\011";
        assertThat(isMountPoint(odd, "36 35 98:0 /root " + escaped + " rw - ext3 /dev/root rw"))
                .isTrue();
        Path backslash = Files.createDirectories(base.resolve("x\\04"));
        assertThat(isMountPoint(backslash, "36 35 98:0 /root " + base + "/x\\04 rw - ext3 /dev/root rw"))
                .as("no three digits follow")
                .isTrue();
    }

    @Test
    void namesOfDirectoriesAreUniqueAndPlain() {
        assertThat(PathSegment.of("aZ09-_.")).isEqualTo("aZ09-_.");
        assertThat(PathSegment.of(".a.")).isEqualTo("%2Ea.");
        assertThat(PathSegment.of("..")).isEqualTo("%2E.");
        assertThat(PathSegment.of("a/é %")).isEqualTo("a%2F%C3%A9%20%25");
        assertThat(PathSegment.of("x".repeat(200))).isEqualTo("x".repeat(200));
        assertThat(PathSegment.of("x".repeat(201)))
                .isEqualTo("x".repeat(200) + "%" + PathSegment.digest("x".repeat(201)));
        assertThat(PathSegment.digest("")).isEqualTo("e3b0c44298fc1c14");
    }
}
