package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.testkit.cluster.FakeCluster;
import io.csi4j.testkit.cluster.FakeClusterBuilder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** A cluster with a real engine and fake plugins, and the administration of its server. */
final class ActionRig implements AutoCloseable {
    /** The fields of a volume that the plugin of the cluster can make. */
    static final String SPEC = """
            "plugin":"PLUGIN","requestedCapabilities":[{"accessMode":"SINGLE_NODE_WRITER"}],\
            "capacityRange":{"requiredBytes":1048576}""";

    static final String DB = "/v1/volumes/default/db";

    final FakeCluster cluster;
    final AdminServer admin;
    final HttpClient http = HttpClient.newHttpClient();

    ActionRig() throws Exception {
        this(builder -> builder, builder -> builder);
    }

    ActionRig(UnaryOperator<FakeClusterBuilder> plugins, UnaryOperator<AdminServer.Builder> options) throws Exception {
        cluster = plugins.apply(FakeCluster.builder().onRealTime()).build();
        admin = options.apply(AdminServer.builder(cluster.lifecycle())).start();
    }

    /** An answer. */
    record Answer(int status, JsonObject json, HttpResponse<String> response) {
        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        String text(String field) {
            return json.get(field).getAsString();
        }
    }

    /** Returns the fields of a volume, and more. */
    String spec(String more) {
        return "{" + SPEC.replace("PLUGIN", cluster.plugin().value()) + more + "}";
    }

    /** Sends a request that has to succeed. */
    Answer ok(String method, String path, String body, String... headers) throws Exception {
        Answer answer = send(method, path, body, headers);
        assertThat(answer.status()).as("%s %s: %s", method, path, answer.json()).isEqualTo(200);
        return answer;
    }

    Answer send(String method, String path, String body, String... headers) throws Exception {
        return sendLater(method, path, body, headers).get(60, TimeUnit.SECONDS);
    }

    CompletableFuture<Answer> sendLater(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(admin.uri().resolve(path))
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
                .thenApply(response -> new Answer(
                        response.statusCode(),
                        JsonParser.parseString(response.body()).getAsJsonObject(),
                        response));
    }

    @Override
    public void close() {
        admin.close();
        cluster.close();
    }
}
