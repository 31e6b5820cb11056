package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "NIO"})
class RecoveryTest {
    private static final String OTHER_USER = "65534";
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final int FAILURES = 20;

    private final Transport transport;

    @TempDir
    Path directory;

    private Path socket;

    RecoveryTest(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void name() {
        socket = directory.resolve("x.sock");
    }

    private CsiClient client() {
        return CsiClient.builder(Endpoint.unix(socket)).transport(transport).build();
    }

    @Test
    void errorContainsMissingSocketAndLaterCallSucceedsOncePluginListens() throws Exception {
        try (CsiClient client = client()) {
            for (int i = 0; i < FAILURES; i++) {
                CsiCallException failure = Wire.failure(Wire.createVolume(client));
                assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
                assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
                assertThat(failure)
                        .hasMessageContaining("there is no socket " + socket)
                        .hasNoCause();
                assertThat(failure).hasMessageContaining("CreateVolume for pvc-1");
            }
            try (PluginServer server = PluginServer.start(socket, call -> call.ok(Wire.INFO))) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
                assertThat(server.calls()).isEqualTo(1);
            }
        }
    }

    /** gRPC fails calls after a failed connect before it changes the state of the channel. */
    @Test
    void earlierConnectFailureDoesNotFailNewCall() throws Exception {
        Path elsewhere = directory.resolve("new.sock");
        CompletableFuture<Boolean> registered = new CompletableFuture<>();
        try (PluginServer server = PluginServer.start(elsewhere, call -> call.ok(Wire.INFO));
                CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                        .transport(transport)
                        .environment(Wire.environment(Wire.atOnce(registered)))
                        .build()) {
            CompletableFuture<GetPluginInfoResponse> next = Wire.getPluginInfo(client)
                    .exceptionallyCompose(failure -> {
                        assertThat(failure).hasMessageContaining("there is no socket");
                        assertThat(elsewhere.toFile().renameTo(socket.toFile())).isTrue();
                        return Wire.getPluginInfo(client);
                    });
            registered.complete(true);
            assertThat(Wire.get(next)).isEqualTo(Wire.INFO);
            assertThat(server.calls()).isEqualTo(1);
        }
    }

    /** The client is closed, or the caller cancels, after the first attempt of a call and before the second. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callWaitingForNewConnectEndsOnCloseOrCancel(boolean closes) throws Exception {
        Path elsewhere = directory.resolve("new.sock");
        CompletableFuture<Boolean> registered = new CompletableFuture<>();
        try (PluginServer server = PluginServer.start(elsewhere, call -> call.ok(Wire.INFO));
                CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                        .transport(transport)
                        .environment(Wire.environment(Wire.atOnce(registered)))
                        .build()) {
            CompletableFuture<CreateVolumeResponse> second = new CompletableFuture<>();
            CompletableFuture<Void> reported = Wire.getPluginInfo(client).handle((answer, failure) -> {
                assertThat(failure).hasMessageContaining("there is no socket");
                CompletableFuture<CreateVolumeResponse> call = Wire.createVolume(client);
                var unused = call.whenComplete((volume, problem) -> second.completeExceptionally(problem));
                Runnable end = closes ? client::close : () -> call.cancel(false);
                end.run();
                return null;
            });
            registered.complete(true);
            Wire.get(reported);
            assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS))
                    .isInstanceOfAny(ExecutionException.class, CancellationException.class);
            assertThat(elsewhere.toFile().renameTo(socket.toFile())).isTrue();
            if (!closes) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
            }
            assertThat(server.calls()).isEqualTo(closes ? 0 : 1);
        }
    }

    @Test
    void errorReportsThatNoProcessListensAtSocket() throws Exception {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(socket))
                .close();
        assertThat(socket).exists();
        try (CsiClient client = client()) {
            CsiCallException failure = Wire.failure(Wire.getPluginInfo(client));
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining(socket + " exists, but no process listens");
        }
    }

    @Test
    void errorReportsRegularFileOrDirectoryOrBrokenLinkInPlaceOfSocket() throws Exception {
        Files.createFile(socket);
        try (CsiClient client = client()) {
            assertThat(Wire.failure(Wire.getPluginInfo(client)))
                    .hasMessageContaining(socket + " is a regular file, not a socket");
            Files.delete(socket);
            Files.createDirectory(socket);
            assertThat(Wire.failure(Wire.getPluginInfo(client)))
                    .hasMessageContaining(socket + " is a directory, not a socket");
            Files.delete(socket);
            Files.createSymbolicLink(socket, directory.resolve("gone"));
            assertThat(Wire.failure(Wire.getPluginInfo(client)))
                    .hasMessageContaining(socket + " is a symbolic link that leads nowhere");
        }
    }

    @Test
    void socketOrDirectoryOfAnotherUserIsRefusedUnlessItsOwnerIsNamed() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        try (PluginServer server = PluginServer.start(socket, call -> call.ok(Wire.INFO));
                CsiClient client = client();
                CsiClient named = CsiClient.builder(Endpoint.unix(socket).ownedBy(OTHER_USER))
                        .transport(transport)
                        .build()) {
            Files.setAttribute(socket, "unix:uid", Integer.valueOf(OTHER_USER));
            CsiCallException failure = Wire.failure(Wire.createVolume(client));
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure)
                    .hasMessageContaining("the socket " + socket + " belongs to the user")
                    .hasMessageContaining("Endpoint.ownedBy");
            assertThat(Wire.get(Wire.getPluginInfo(named))).isEqualTo(Wire.INFO);
            Files.setAttribute(socket, "unix:uid", 0);
            Files.setAttribute(directory, "unix:uid", Integer.valueOf(OTHER_USER));
            assertThat(Wire.failure(Wire.createVolume(client)))
                    .hasMessageContaining("the directory " + directory + " of the socket x.sock belongs to the user");
            Files.setAttribute(directory, "unix:uid", 0);
            assertThat(server.calls()).isEqualTo(1);
            assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
        }
    }

    @Test
    void linkToSocketIsRefused() throws Exception {
        Path elsewhere = directory.resolve("elsewhere.sock");
        Files.createSymbolicLink(socket, elsewhere);
        try (PluginServer server = PluginServer.start(elsewhere, call -> call.ok(Wire.INFO));
                CsiClient client = client()) {
            assertThat(Wire.failure(Wire.getPluginInfo(client)))
                    .hasMessageContaining(
                            socket + " is a symbolic link, so its owner could lead the connection elsewhere");
            assertThat(server.calls()).isZero();
        }
    }

    @Test
    void outcomeOfCallIsUnknownIfPluginIsKilledDuringIt() throws Exception {
        try (PluginProcess plugin = PluginProcess.start(socket, "hang");
                CsiClient client = client()) {
            CompletableFuture<CreateVolumeResponse> inFlight = Wire.createVolume(client);
            plugin.expect("CreateVolume");
            plugin.kill();
            CsiCallException failure = Wire.failure(inFlight);
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure)
                    .hasMessageContaining("broke while the call was in flight")
                    .hasMessageContaining("call again with the same name and fields")
                    .hasNoCause();
        }
    }

    @Test
    void firstCallToRestartedPluginSucceedsDuringBackoff() throws Exception {
        try (CsiClient client = client()) {
            try (PluginProcess first = PluginProcess.start(socket, "first")) {
                assertThat(Wire.get(Wire.getPluginInfo(client)).getName()).isEqualTo("first");
                first.kill();
            }
            // Each failure increases the backoff of the channel, which is longer than the test waits in the end.
            for (int i = 0; i < FAILURES; i++) {
                assertThat(Wire.failure(Wire.getPluginInfo(client)).code()).isEqualTo(StatusCode.UNAVAILABLE);
            }
            try (PluginProcess second = PluginProcess.start(socket, "second")) {
                GetPluginInfoResponse info = Wire.get(Wire.getPluginInfo(client));
                assertThat(info.getName()).isEqualTo("second");
                second.expect("GetPluginInfo");
            }
        }
    }

    @Test
    void firstCallToServerRestartedAtSamePortSucceedsDuringBackoff() throws Exception {
        PluginServer first = PluginServer.startTcp(null, call -> call.ok(Wire.INFO));
        int port = first.port();
        try (CsiClient client = CsiClient.builder(Endpoint.loopback("tcp://127.0.0.1:" + port))
                .transport(transport)
                .build()) {
            assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
            first.close();
            for (int i = 0; i < FAILURES; i++) {
                CsiCallException failure = Wire.failure(Wire.getPluginInfo(client));
                assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
                assertThat(failure).hasMessageContaining("tcp://127.0.0.1:" + port);
            }
            try (PluginServer second = PluginServer.startTcp(port, null, call -> call.ok(Wire.INFO))) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
                assertThat(second.calls()).isEqualTo(1);
            }
        }
    }

    @Test
    void newSocketGetsNextCallsWhileOldPluginStillRuns() throws Exception {
        try (PluginServer old = PluginServer.start(socket, call -> call.ok(Wire.info("old")));
                CsiClient client = client()) {
            assertThat(Wire.get(Wire.getPluginInfo(client)).getName()).isEqualTo("old");
            old.behave(call -> {});
            CompletableFuture<CreateVolumeResponse> inFlight = Wire.createVolume(client);
            old.next();
            PluginServer.Call atOld = old.next();
            try (PluginServer other = replace(call -> call.ok(Wire.info("new")))) {
                old.behave(call -> call.ok(Wire.info("old")));
                long start = System.nanoTime();
                String answer;
                do {
                    answer = Wire.get(Wire.getPluginInfo(client)).getName();
                } while (answer.equals("old") && System.nanoTime() - start < PATIENCE);
                assertThat(answer).isEqualTo("new");
                assertThat(other.calls()).isEqualTo(1);
                // The call at the old plugin continues.
                assertThat(inFlight).isNotDone();
                atOld.ok(CreateVolumeResponse.getDefaultInstance());
                Wire.get(inFlight);
            }
        }
    }

    /** Starts another plugin and moves its socket to the path of the first one atomically. */
    private PluginServer replace(PluginServer.Behaviour behaviour) throws Exception {
        Path other = directory.resolve("new.sock");
        PluginServer server = PluginServer.start(other, behaviour);
        Files.move(other, socket, StandardCopyOption.ATOMIC_MOVE);
        return server;
    }

    @Test
    void noCallIsLostWhileSocketsAreReplaced() throws Exception {
        int parallel = 16;
        List<PluginServer> servers = new ArrayList<>();
        servers.add(PluginServer.start(socket, call -> call.ok(Wire.INFO)));
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (CsiClient client = client()) {
            Semaphore free = new Semaphore(parallel);
            for (int round = 1; round <= 20; round++) {
                int before = servers.get(servers.size() - 1).calls();
                long start = System.nanoTime();
                while (servers.get(servers.size() - 1).calls() < before + 200 && System.nanoTime() - start < PATIENCE) {
                    free.acquire();
                    var unused = Wire.getPluginInfo(client).whenComplete((answer, failure) -> {
                        free.release();
                        if (failure != null) {
                            failures.add(failure);
                        }
                    });
                }
                assertThat(servers.get(servers.size() - 1).calls()).isGreaterThanOrEqualTo(200);
                servers.add(replace(call -> call.ok(Wire.INFO)));
            }
            free.acquire(parallel);
            assertThat(failures).isEmpty();
        } finally {
            servers.forEach(PluginServer::close);
        }
    }

    @Test
    void hungPluginFailsCallAtDeadline() throws Exception {
        try (PluginServer server = PluginServer.start(socket, call -> {});
                CsiClient client = client()) {
            CsiCallException failure = Wire.failure(Wire.createVolume(client.withDeadline(Duration.ofMillis(300))));
            assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure)
                    .hasMessageContaining("the plugin has not answered within 300 ms")
                    .hasMessageNotContaining("buffered_nanos")
                    .hasNoCause();
            assertThat(server.nextCancelled().rpc()).isEqualTo("CreateVolume");
        }
    }

    @Test
    void cancellingFutureCancelsCallAtPlugin() throws Exception {
        try (PluginServer server = PluginServer.start(socket, call -> {});
                CsiClient client = client()) {
            CompletableFuture<CreateVolumeResponse> cancelled = Wire.createVolume(client);
            server.next();
            cancelled.cancel(true);
            assertThat(server.nextCancelled().rpc()).isEqualTo("CreateVolume");

            CompletableFuture<GetPluginInfoResponse> timedOut =
                    Wire.getPluginInfo(client).orTimeout(100, TimeUnit.MILLISECONDS);
            assertThat(server.nextCancelled().rpc()).isEqualTo("GetPluginInfo");
            assertThat(timedOut).isCompletedExceptionally();
        }
    }

    @Test
    void callToSocketThatNeverAcceptsFailsAtDeadline() throws Exception {
        try (ServerSocketChannel deaf =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
                CsiClient client = client()) {
            CsiCallException failure = Wire.failure(Wire.createVolume(client.withDeadline(Duration.ofMillis(300))));
            assertThat(deaf.isOpen()).isTrue();
            assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure)
                    .hasMessageContaining("no connection to unix://" + socket)
                    .hasMessageContaining("The call was not sent");
            // Another plugin can replace the socket again.
            try (PluginServer server = replace(call -> call.ok(Wire.INFO))) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
                assertThat(server.calls()).isEqualTo(1);
            }
        }
    }

    @Test
    void callToSocketWithFullBacklogFailsAndLaterCallSucceeds() throws Exception {
        List<java.nio.channels.SocketChannel> queued = new ArrayList<>();
        try (ServerSocketChannel deaf = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(socket), 1);
                CsiClient client = client()) {
            for (int i = 0; i < 2; i++) {
                queued.add(java.nio.channels.SocketChannel.open(UnixDomainSocketAddress.of(socket)));
            }
            CsiCallException failure = Wire.failure(Wire.createVolume(client.withDeadline(Duration.ofMillis(500))));
            assertThat(failure).hasMessageContaining("The call was not sent");
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(deaf.isOpen()).isTrue();
            try (PluginServer server = replace(call -> call.ok(Wire.INFO))) {
                assertThat(Wire.get(Wire.getPluginInfo(client))).isEqualTo(Wire.INFO);
                assertThat(server.calls()).isEqualTo(1);
            }
        } finally {
            for (java.nio.channels.SocketChannel each : queued) {
                each.close();
            }
        }
    }
}
