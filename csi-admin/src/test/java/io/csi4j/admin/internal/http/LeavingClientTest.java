package io.csi4j.admin.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminRig;
import io.csi4j.admin.internal.api.Api;
import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.api.Operations;
import io.csi4j.admin.internal.api.ServerParts;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A read that takes minutes, whose client does not wait for it. */
class LeavingClientTest {
    private static final Shape<String> WORD = Shape.<String>of("Word", "A word.")
            .text("word", "The word.", word -> word)
            .build();

    @Test
    void readEndsWithItsClient() throws Exception {
        CompletableFuture<Optional<String>> search = new CompletableFuture<>();
        try (AdminRig rig = new AdminRig();
                Environment environment = Environment.system()) {
            Api api = new Api(
                    List.of(Endpoint.get("word", "/v1/word", "Find a word").one(WORD, call -> search)),
                    new ServerParts(
                            rig.lifecycle.log().state(),
                            () -> true,
                            Optional.empty(),
                            HealthCheck.of(rig.lifecycle, environment),
                            Optional.empty(),
                            new Operations(environment, Runnable::run)),
                    environment.timer(),
                    Runnable::run);
            HttpRequest request = new HttpRequest(
                    HttpHead.of("GET", "/v1/word", new DefaultHttpHeaders(), Optional.empty()), new byte[0]);
            CompletableFuture<HttpAnswer> answer = api.answer(request, rig.lifecycle, "kim");
            assertThat(search).isNotDone();
            answer.cancel(false);
            assertThat(search).isCancelled();
        }
    }
}
