package io.csi4j.admin.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class HttpServerTest implements HttpService {
    private static final int BODY = 1000;

    private final Environment environment = Environment.system();
    private final RequestThreads threads = new RequestThreads("test-requests-");
    private final List<HttpServer> servers = new ArrayList<>();
    private final List<HttpHead> heads = new ArrayList<>();
    /** The answer to /wait. */
    private final CompletableFuture<HttpAnswer> waiting = new CompletableFuture<>();

    private final CompletableFuture<Void> waitBegun = new CompletableFuture<>();
    private final AtomicInteger pieces = new AtomicInteger();
    private final CompletableFuture<Void> streamCancelled = new CompletableFuture<>();

    @AfterEach
    void close() {
        servers.forEach(HttpServer::close);
        threads.close();
        environment.close();
    }

    @Override
    public synchronized Optional<HttpAnswer> refuse(HttpHead head) {
        heads.add(head);
        return head.path().equals(List.of("secret"))
                ? Optional.of(HttpAnswer.of(401, "text/plain", "no\n"))
                : Optional.empty();
    }

    @Override
    public CompletableFuture<HttpAnswer> serve(HttpRequest request) {
        return switch (String.join("/", request.head().path())) {
            case "wait" -> {
                waitBegun.complete(null);
                yield waiting;
            }
            case "endless" -> CompletableFuture.completedFuture(HttpAnswer.of(200, "text/plain", new Endless()));
            case "broken" -> throw new IllegalStateException("broken on purpose");
            default ->
                CompletableFuture.completedFuture(HttpAnswer.of(200, "text/plain", request.body().length + " bytes\n"));
        };
    }

    /** A body without an end, in pieces of 16 KiB. */
    private final class Endless implements HttpBody {
        @Override
        public CompletableFuture<Optional<byte[]>> next() {
            pieces.incrementAndGet();
            return CompletableFuture.completedFuture(Optional.of(new byte[16 * 1024]));
        }

        @Override
        public void cancel() {
            streamCancelled.complete(null);
        }
    }

    private InetSocketAddress start(int connections, Duration silence) throws IOException {
        HttpServer server = new HttpServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                null,
                new HttpLimits(connections, BODY, silence),
                this,
                threads,
                environment);
        servers.add(server);
        return (InetSocketAddress) server.address();
    }

    private static Socket open(InetSocketAddress address, String sent) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    /** Sends bytes, and returns all that the server sends until it closes the connection. */
    private static String exchange(InetSocketAddress address, String sent) throws IOException {
        try (Socket socket = open(address, sent)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET /LONG HTTP/1.1~Host: a~~ | 414",
                "GET / HTTP/1.1~Host: LONGLONG~~ | 431",
                "POST / HTTP/1.1~Host: a~Content-Length: 1001~~ | 413",
                "POST / HTTP/1.1~Host: a~Transfer-Encoding: chunked~~3e9~BODY~ | 413",
                "POST / HTTP/1.1~Host: a~Content-Length: -1~~ | 400",
                "POST / HTTP/1.1~Host: a~Content-Length: 5~Content-Length: 6~~ | 400",
                "POST / HTTP/1.1~Host: a~Content-Length: 5~Transfer-Encoding: chunked~~0~~GET /smuggled HTTP/1.1~Host: a~~ | 400",
                "GET http://other/ HTTP/1.1~Host: a~~ | 400",
                "GET /%zz HTTP/1.1~Host: a~~ | 400",
                "nonsense~~ | 400",
                "POST /secret HTTP/1.1~Host: a~Content-Length: 1000~~ | 401"
            })
    void badRequestIsRefusedAndItsConnectionIsClosed(String request, int status) throws Exception {
        InetSocketAddress address = start(100, Duration.ofSeconds(20));
        String sent =
                request.replace("~", "\r\n").replace("LONG", "x".repeat(9000)).replace("BODY", "b".repeat(1001));
        assertThat(exchange(address, sent)).startsWith("HTTP/1.1 " + status);
        synchronized (this) {
            assertThat(heads).noneMatch(head -> head.path().contains("smuggled"));
        }
    }

    @Test
    void bodyUpToItsLimitIsRead() throws Exception {
        InetSocketAddress address = start(100, Duration.ofSeconds(20));
        String head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
        assertThat(exchange(address, head + "Content-Length: 1000\r\n\r\n" + "b".repeat(1000)))
                .endsWith("1000 bytes\n");
        assertThat(exchange(
                        address,
                        head + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + "b".repeat(1000) + "\r\n0\r\n\r\n"))
                .endsWith("1000 bytes\n");
    }

    @Test
    void clientThatDoesNotWaitForItsAnswerGetsItAndLosesItsConnection() throws Exception {
        InetSocketAddress address = start(100, Duration.ofSeconds(20));
        try (Socket socket = open(address, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")) {
            waitBegun.get(20, TimeUnit.SECONDS);
            socket.getOutputStream()
                    .write("GET /second HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            // An answer to another client shows that the loops of the server have read what was sent before.
            Socket other = open(address, "GET /other HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assertThat(other.getInputStream().readAllBytes()).isNotEmpty();
            other.close();
            waiting.complete(HttpAnswer.of(200, "text/plain", "first\n"));
            String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(all).contains("first").doesNotContain("bytes");
        }
        synchronized (this) {
            assertThat(heads).noneMatch(head -> head.path().equals(List.of("second")));
        }
    }

    @Test
    void waitOfAClientThatLeavesIsCancelled() throws Exception {
        InetSocketAddress address = start(100, Duration.ofSeconds(20));
        try (Socket socket = open(address, "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")) {
            waitBegun.get(20, TimeUnit.SECONDS);
            assertThat(socket.isConnected()).isTrue();
        }
        assertThat(waiting).failsWithin(Duration.ofSeconds(20));
        assertThat(waiting).isCancelled();
    }

    @Test
    void silentClientLosesItsConnectionAndAWaitingOneKeepsIt() throws Exception {
        InetSocketAddress address = start(100, Duration.ofMillis(300));
        try (Socket waits = open(address, "GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) {
            waitBegun.get(20, TimeUnit.SECONDS);
            assertThat(exchange(address, "GET / HTTP/1.1\r\nHost: half")).isEmpty();
            assertThat(exchange(address, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhal"))
                    .isEmpty();
            assertThat(exchange(address, "")).isEmpty();
            waiting.complete(HttpAnswer.of(200, "text/plain", "late\n"));
            assertThat(new String(waits.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .endsWith("late\n");
        }
    }

    @Test
    void clientThatDoesNotReadLosesItsConnectionAndCostsFewPieces() throws Exception {
        InetSocketAddress address = start(100, Duration.ofMillis(500));
        try (Socket socket = open(address, "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n")) {
            streamCancelled.get(20, TimeUnit.SECONDS);
            assertThat(socket.isClosed()).isFalse();
        }
        // The sockets of both sides hold some pieces, and the server holds 64 KiB.
        assertThat(pieces.get()).isLessThan(1000);
    }

    @Test
    void clientThatHasBeenSilentForLongestMakesRoom() throws Exception {
        InetSocketAddress address = start(3, Duration.ofSeconds(20));
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            silent.add(open(address, "GET / HTTP/1.1\r\nHost: "));
            // Each is accepted before the next one comes.
            assertThat(exchangeBeside(address, silent.get(i))).isTrue();
        }
        for (int i = 0; i < 5; i++) {
            assertThat(exchange(address, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                    .startsWith("HTTP/1.1 200");
        }
        assertThat(silent.get(0).getInputStream().read()).isEqualTo(-1);
        for (Socket each : silent) {
            each.close();
        }
    }

    private static boolean exchangeBeside(InetSocketAddress address, Socket socket) throws IOException {
        return socket.isConnected()
                && exchange(address, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                        .contains("0 bytes");
    }

    @Test
    void failedRequestAnswersWithoutItsCause() throws Exception {
        InetSocketAddress address = start(100, Duration.ofSeconds(20));
        assertThat(exchange(address, "GET /broken HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 500")
                .doesNotContain("on purpose");
    }

    @Test
    void partsOfThePathAreDecodedEachForItself() throws Exception {
        InetSocketAddress address = start(100, Duration.ofSeconds(20));
        exchange(address, "GET /a%2Fb/..%2f/c+d//e?x=1&x=2&y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        synchronized (this) {
            HttpHead head = heads.get(0);
            assertThat(head.path()).containsExactly("a/b", "../", "c+d", "", "e");
            assertThat(head.query()).containsEntry("x", List.of("1", "2")).containsEntry("y", List.of(""));
        }
    }
}
