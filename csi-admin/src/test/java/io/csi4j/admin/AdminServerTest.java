package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminServerTest {
    @Test
    void listIsReadInPages() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volumes("default", "v", 450);
            HttpResponse<String> first = rig.get("/v1/volumes?limit=300");
            JsonObject page = JsonParser.parseString(first.body()).getAsJsonObject();
            assertThat(page.getAsJsonArray("items")).hasSize(300);
            assertThat(page.get("index").getAsString())
                    .isEqualTo(first.headers().firstValue("csi-index").orElseThrow());
            JsonObject rest = JsonParser.parseString(rig.page(
                            "/v1/volumes?limit=300&after=" + page.get("next").getAsString()))
                    .getAsJsonObject();
            assertThat(rest.getAsJsonArray("items")).hasSize(150);
            assertThat(rest.has("next")).isFalse();
            assertThat(rest.getAsJsonArray("items")
                            .get(0)
                            .getAsJsonObject()
                            .get("volume")
                            .getAsString())
                    .isEqualTo("v000300");
            assertThat(JsonParser.parseString(rig.page("/v1/volumes?namespace=none"))
                            .getAsJsonObject()
                            .getAsJsonArray("items"))
                    .isEmpty();
        }
    }

    @Test
    void requestWithAnIndexWaitsForSomethingNewer() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volumes("default", "v", 1);
            String index =
                    rig.get("/v1/volumes").headers().firstValue("csi-index").orElseThrow();
            CompletableFuture<HttpResponse<String>> waiting = rig.http.sendAsync(
                    HttpRequest.newBuilder(rig.at("/v1/volumes?wait=600&index=" + index))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(rig.page("/v1/volumes?wait=0.1&index=" + index)).contains("v000000");
            assertThat(waiting).isNotDone();
            rig.volume(AdminRig.key("new"));
            assertThat(rig.done(waiting).body()).contains("\"new\"");
        }
    }

    @Test
    void badParametersAreNamed() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            assertThat(rig.get("/v1/volumes?limit=0").body()).contains("\"field\":\"limit\"", "use 1 to 1000");
            assertThat(rig.get("/v1/volumes?limt=5").body())
                    .contains(
                            "\"field\":\"limt\"",
                            "use one of namespace, plugin, node, prefix, class, workload, retained, phase, after, limit,");
            HttpResponse<String> post = rig.http.send(
                    HttpRequest.newBuilder(rig.at("/v1/volumes"))
                            .header("Content-Type", "application/json")
                            .method("PATCH", HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(post.statusCode()).isEqualTo(405);
            assertThat(post.headers().firstValue("allow")).contains("GET, HEAD");
            assertThat(rig.get("/v1/nothing").statusCode()).isEqualTo(404);
            assertThat(rig.get("/v1/volumes/a/b").body())
                    .contains("there is no volume a/b, or the caller may not see it");
            assertThat(rig.get("/v1/volumes?after=%21").body()).contains("\"field\":\"after\"");
        }
    }

    /** An empty list would say that there is nothing, so an operator would search elsewhere. */
    @Test
    void serverThatDoesNotLeadSaysSoWhenOnlyTheLeaderKnows() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            assertThat(rig.get("/v1/waiting-claims").statusCode()).isEqualTo(200);
            assertThat(rig.get("/v1/calls").statusCode()).isEqualTo(200);
            rig.lifecycle.stopLeading();
            for (String path : List.of("/v1/waiting-claims", "/v1/calls")) {
                HttpResponse<String> answer = rig.get(path);
                assertThat(answer.statusCode()).as(path).isEqualTo(503);
                assertThat(answer.body()).contains("urn:csi4j:problem:not-leading", "\"retryable\":true");
            }
            assertThat(rig.get("/v1/volumes").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void socketOfADeadProcessIsReplacedAndThatOfALivingOneIsNot(@TempDir Path directory) throws Exception {
        Path socket = directory.resolve("admin.sock");
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(socket).exists();
        try (AdminRig rig = new AdminRig(builder -> builder.listen(socket))) {
            assertThatThrownBy(() ->
                            AdminServer.builder(rig.lifecycle).listen(socket).start())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process serves the socket");
            assertThat(rig.admin.uri()).hasToString("unix:" + socket);
            assertThat(socket).exists();
        }
    }

    @Test
    void unixSocketServesItsOwner(@TempDir Path directory) throws Exception {
        Path socket = directory.resolve("admin.sock");
        try (AdminRig rig = new AdminRig(builder -> builder.listen(socket))) {
            rig.node("n1", AdminRig.DISK).volumes("default", "v", 1);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                    .isEqualTo("rw-------");
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                channel.connect(UnixDomainSocketAddress.of(socket));
                channel.write(ByteBuffer.wrap("GET /v1/volumes HTTP/1.1\r\nHost: csi\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII)));
                ByteArrayOutputStream answer = new ByteArrayOutputStream();
                ByteBuffer buffer = ByteBuffer.allocate(4096);
                while (channel.read(buffer) >= 0) {
                    answer.write(buffer.array(), 0, buffer.position());
                    buffer.clear();
                }
                assertThat(answer.toString(StandardCharsets.UTF_8)).contains("200 OK", "v000000");
            }
        }
        assertThat(socket).doesNotExist();
    }
}
