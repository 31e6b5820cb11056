package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.Endpoint;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks the port of a server that may open 256 files, in a process of its own. */
@Timeout(120)
class IdleConnectionsTest {
    private static final int OPEN_FILES = 256;

    @TempDir
    static Path directory;

    private Certificates certificates;
    private Path trusted;
    private Process server;
    private BufferedReader said;
    private int port;

    @BeforeEach
    void start() throws Exception {
        certificates = new Certificates(directory);
        certificates.make("server", "csi4j://server");
        certificates.make("node1", "csi4j://node/node-1");
        trusted = certificates.trusting("trusted.pem", "server", "node1");
        server = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "ulimit -n " + OPEN_FILES + "; exec \"$0\" \"$@\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        directory.toString(),
                        trusted.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        said = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        port = Integer.parseInt(said.readLine());
    }

    @AfterEach
    void stop() {
        server.destroyForcibly();
    }

    private ManagedChannel agent() throws Exception {
        return NettyChannelBuilder.forAddress("localhost", port)
                .sslContext(GrpcSslContexts.forClient()
                        .trustManager(trusted.toFile())
                        .keyManager(
                                certificates.chain("node1").toFile(),
                                certificates.key("node1").toFile())
                        .build())
                .build();
    }

    private static void report(ManagedChannel agent) {
        FingerprintAnswer answer = ServersGrpc.newBlockingStub(agent)
                .withDeadlineAfter(20, TimeUnit.SECONDS)
                .withWaitForReady()
                .fingerprint(FingerprintRequest.newBuilder()
                        .setVersion(RawPeer.VERSION)
                        .setNodeId(Ground.NODE.value())
                        .build());
        assertThat(answer.hasFailure()).as("%s", answer).isFalse();
    }

    /** Opens connections from twenty addresses, without a byte on any of them. */
    private List<Socket> idle(int count) throws IOException {
        List<Socket> idle = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Socket socket = new Socket();
            idle.add(socket);
            socket.setSoTimeout(20_000);
            socket.bind(new InetSocketAddress(local(2 + i % 20), 0));
            socket.connect(new InetSocketAddress(local(1), port), 5_000);
        }
        return idle;
    }

    private static InetAddress local(int number) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number});
    }

    @Test
    void serverSurvivesMoreIdleConnectionsThanItMayOpenFiles() throws Exception {
        ManagedChannel before = agent();
        ManagedChannel during = agent();
        ManagedChannel after = agent();
        try {
            report(before);
            List<Socket> idle = idle(400);
            try {
                report(before);
                report(during);
                // The oldest ones are closed.
                assertThat(idle.get(0).getInputStream().read()).isEqualTo(-1);
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
            report(before);
            report(after);
        } finally {
            List.of(before, during, after).forEach(ManagedChannel::shutdownNow);
        }
    }

    /** The server. It ends with its input. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Certificates certificates = new Certificates(Path.of(arguments[0]));
            Logger.getLogger("").addHandler(new NoDescriptors());
            try (Ground ground = Ground.withoutLeader()) {
                int port = freePort();
                ground.start(ground.server()
                        .listen(Endpoint.remote(
                                "tcp://localhost:" + port, certificates.of("server", Path.of(arguments[1])))));
                System.out.println(port);
                while (System.in.read() >= 0) {
                    // Runs until the test ends.
                }
            }
            System.exit(0);
        }

        /** A logger that opens a file for each warning, or loads a class, when no descriptor is free. */
        private static final class NoDescriptors extends Handler {
            @Override
            public void publish(LogRecord line) {
                if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                    throw new NoClassDefFoundError("the formatter of the logger");
                }
            }

            @Override
            public void flush() {
                // Writes nothing.
            }

            @Override
            public void close() {
                // Writes nothing.
            }
        }

        private static int freePort() throws IOException {
            try (var socket = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            }
        }
    }
}
