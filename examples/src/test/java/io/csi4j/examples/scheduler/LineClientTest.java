package io.csi4j.examples.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@SuppressWarnings("try") // the servers only have to be open
class LineClientTest {
    private static final Duration SILENCE = Duration.ofMillis(200);

    @TempDir
    Path directory;

    /** Opens a socket that accepts connections and never answers, like that of a stopped process. */
    private ServerSocketChannel hungServer(Path socket) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        return server;
    }

    @Test
    void requestGoesToNextServerIfFirstServerHangs() throws IOException {
        Path hung = directory.resolve("1.sock");
        Path alive = directory.resolve("2.sock");
        try (ServerSocketChannel first = hungServer(hung);
                LineSocket second = LineSocket.listen(alive, (op, request, progress) -> new JsonPrimitive(op))) {
            LineClient client = new LineClient(List.of(hung, alive), Duration.ofSeconds(30), SILENCE);
            assertThat(client.ask("status", new JsonObject(), line -> {}).getAsString())
                    .isEqualTo("status");
        }
    }

    @Test
    void requestFailsWithinItsLimitIfAllServersHang() throws IOException {
        Path hung = directory.resolve("1.sock");
        try (ServerSocketChannel server = hungServer(hung)) {
            LineClient client = new LineClient(List.of(hung), Duration.ofMillis(300), SILENCE);
            assertThatThrownBy(() -> client.ask("status", new JsonObject(), line -> {}))
                    .isInstanceOf(LineClient.UnreachableException.class)
                    .hasMessageContaining("no leading server answers within");
        }
    }
}
