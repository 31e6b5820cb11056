package io.csi4j.admin.internal.console;

import static io.csi4j.admin.AdminRig.DISK;
import static io.csi4j.admin.AdminRig.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.admin.AdminRig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class EventStreamTest {
    private static HttpResponse<InputStream> open(AdminRig rig) throws Exception {
        return rig.http.send(
                HttpRequest.newBuilder(rig.at("/events")).build(), HttpResponse.BodyHandlers.ofInputStream());
    }

    private static long nextVersion(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        while (line != null && !line.startsWith("data: ")) {
            line = lines.readLine();
        }
        assertThat(line).isNotNull();
        return Long.parseLong(line.substring("data: ".length()));
    }

    private static BufferedReader lines(HttpResponse<InputStream> response) {
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    @Test
    void stateChangeIsSentToOpenStream() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            HttpResponse<InputStream> response = open(rig);
            assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
            try (BufferedReader lines = lines(response)) {
                long before = nextVersion(lines);
                rig.node("n1", DISK).volume(key("db"));
                long after = nextVersion(lines);
                assertThat(after).isGreaterThan(before);
            }
        }
    }

    @Test
    void newStreamIsRefusedAboveMaximumNumberOfStreamsUntilAnotherStreamIsClosed() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            List<InputStream> open = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                HttpResponse<InputStream> response = open(rig);
                assertThat(response.statusCode()).isEqualTo(200);
                open.add(response.body());
            }
            HttpResponse<InputStream> refused = open(rig);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(rig.page("/")).as("pages are still served").contains("This server can do its work");
            open.get(0).close();
            int status = 503;
            while (status == 503) {
                rig.node("n" + System.nanoTime());
                HttpResponse<InputStream> next = open(rig);
                status = next.statusCode();
                open.add(next.body());
            }
            for (InputStream each : open) {
                each.close();
            }
        }
    }

    @Test
    void engineKeepsWorkingWhileStreamClientsDoNotRead() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            List<SocketChannel> clients = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                SocketChannel client = SocketChannel.open();
                client.setOption(StandardSocketOptions.SO_RCVBUF, 1024);
                client.connect(new InetSocketAddress(
                        rig.admin.uri().getHost(), rig.admin.uri().getPort()));
                client.write(ByteBuffer.wrap(
                        "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
                clients.add(client);
            }
            rig.node("n1", DISK);
            for (int i = 0; i < 200; i++) {
                rig.volume(key("v" + i));
                rig.done(rig.claim("a" + i, "n1", key("v" + i)));
            }
            assertThat(rig.page("/volumes")).contains("default/v0");
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    @Test
    void streamEndsWhenConsoleIsClosed() throws Exception {
        AdminRig rig = new AdminRig();
        try (BufferedReader lines = lines(open(rig))) {
            nextVersion(lines);
            CompletableFuture<Void> closed = CompletableFuture.runAsync(rig::close);
            assertThatThrownBy(() -> {
                        while (lines.readLine() != null) {}
                        throw new IOException("the end");
                    })
                    .isInstanceOf(IOException.class);
            closed.get(20, TimeUnit.SECONDS);
        }
    }
}
