package io.csi4j.admin.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminRig;
import io.csi4j.admin.internal.api.Api;
import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.api.Operations;
import io.csi4j.admin.internal.api.Page;
import io.csi4j.admin.internal.api.ServerParts;
import io.csi4j.admin.internal.api.WatchedState;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
                    parts(rig, environment, rig.lifecycle.log().state()),
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

    @Test
    void clientsThatLeaveLeaveNoWatchOfTheState() throws Exception {
        RequestThreads threads = new RequestThreads("leaving-");
        try (AdminRig rig = new AdminRig();
                Environment environment = Environment.system()) {
            WatchedState state = new WatchedState(rig.store);
            Endpoint list = Endpoint.get("word list", "/v1/words", "List words")
                    .waitsFor(call -> StateScope.of(StateScope.Table.VOLUMES))
                    .pages(
                            WORD,
                            (call, after, limit) ->
                                    CompletableFuture.completedFuture(new Page<>(List.of("a"), Optional.empty())));
            Api api = new Api(List.of(list), parts(rig, environment, state), environment.timer(), threads);
            HttpService service = new HttpService() {
                @Override
                public Optional<HttpAnswer> refuse(HttpHead head) {
                    return Optional.empty();
                }

                @Override
                public CompletableFuture<HttpAnswer> serve(HttpRequest request) {
                    return api.answer(request, rig.lifecycle, "kim");
                }
            };
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (HttpServer server = new HttpServer(any, null, HttpLimits.DEFAULT, service, threads, environment)) {
                List<Socket> clients = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    Socket client = new Socket(any.getAddress(), ((InetSocketAddress) server.address()).getPort());
                    client.getOutputStream()
                            .write("GET /v1/words?wait=600&index=0 HTTP/1.1\r\nHost: a\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                    clients.add(client);
                }
                List<CompletableFuture<Long>> waits = new ArrayList<>();
                while (waits.size() < 100) { // Each request asks whether something newer is there, and then waits.
                    waits.add(Objects.requireNonNull(state.watches.poll(20, TimeUnit.SECONDS))
                            .newer());
                }
                for (Socket client : clients) {
                    client.close();
                }
                for (CompletableFuture<Long> wait : waits) {
                    assertThat(wait).failsWithin(Duration.ofSeconds(20));
                    assertThat(wait).isCancelled();
                }
            }
        } finally {
            threads.close();
        }
    }

    private static ServerParts parts(AdminRig rig, Environment environment, ObservableState state) {
        return new ServerParts(
                state,
                () -> true,
                Optional.empty(),
                HealthCheck.of(rig.lifecycle, environment),
                Optional.empty(),
                false,
                new Operations(environment, Runnable::run));
    }
}
