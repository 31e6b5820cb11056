package io.csi4j.core.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerSocketFileTest {
    private static final int OTHER_USER = 65_534;

    @TempDir
    Path root;

    @Test
    void directoryOfAnotherUserIsRefused() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        ServerSocketFile.prepare(root.resolve("own/socket"));
        Files.setAttribute(root.resolve("own"), "unix:uid", OTHER_USER);
        assertThatThrownBy(() -> ServerSocketFile.prepare(root.resolve("own/socket")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(root.resolve("own") + " belongs to the user")
                .hasMessageContaining("chown");
    }

    @Test
    void linkToSocketIsRefusedAndStays() throws Exception {
        Path elsewhere = root.resolve("elsewhere");
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(elsewhere));
        }
        Path link = Files.createSymbolicLink(root.resolve("link"), elsewhere);
        assertThatThrownBy(() -> ServerSocketFile.prepare(link)).hasMessageContaining(link + " is there and no socket");
        assertThat(link).isSymbolicLink();
        assertThat(Files.exists(elsewhere)).isTrue();
    }
}
