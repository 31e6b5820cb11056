package io.csi4j.testkit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.FakeCsiPlugin;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreflightTest {
    @TempDir
    Path directory;

    @Test
    void listeningPluginHasNoProblem() {
        Path socket = directory.resolve("p.sock");
        try (FakeCsiPlugin plugin = FakeCsiPlugin.builder().build()) {
            plugin.startOn("unix://" + socket);
            assertThat(Preflight.socketProblem(socket)).isNull();
        }
    }

    @Test
    void missingSocketIsNamed() {
        assertThat(Preflight.socketProblem(directory.resolve("no.sock")))
                .contains("there is no socket at " + directory.resolve("no.sock"));
    }

    @Test
    void fileInPlaceOfSocketIsNamed() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        assertThat(Preflight.socketProblem(file)).contains("is no socket");
    }

    @Test
    void socketOfEndedPluginIsNamed() throws IOException {
        Path socket = directory.resolve("old.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(Preflight.socketProblem(socket)).contains("no process listens at " + socket);
    }

    @Test
    void tooLongPathOfSocketIsNamed() {
        assertThat(Preflight.socketProblem(Path.of("/run/" + "s".repeat(110)))).contains("at most 107 bytes");
    }

    @Test
    void missingRightToMountIsNamedAndPresentOneIsNot() throws IOException {
        Path few = Files.writeString(directory.resolve("few"), "Name:\tjava\nCapEff:\t00000000a80425fb\n");
        Path all = Files.writeString(directory.resolve("all"), "Name:\tjava\nCapEff:\t000001ffffffffff\n");
        assertThat(Preflight.missingRight(few)).contains("no CAP_SYS_ADMIN");
        assertThat(Preflight.missingRight(all)).isNull();
        assertThat(Preflight.missingRight(directory.resolve("none"))).contains("no Linux");
    }
}
