package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients in a JVM that cannot load native code. */
class TransportTest {
    @TempDir
    Path directory;

    @Test
    void autoTransportWorksAndEpollTransportIsRejectedIfEpollIsUnavailable() throws Exception {
        Path socket = directory.resolve("x.sock");
        try (PluginServer server = PluginServer.start(socket, call -> call.ok(Wire.INFO));
                PluginProcess other = PluginProcess.java(
                        List.of("-Dio.grpc.netty.shaded.io.netty.transport.noNative=true"),
                        WithoutNative.class,
                        socket.toString())) {
            assertThat(other.lines())
                    .anyMatch(line -> line.equals("AUTO test.csi4j.io"))
                    .anyMatch(
                            line -> line.startsWith("EPOLL refused: transport: EPOLL is not available on this system (")
                                    && line.endsWith("); use AUTO or NIO"));
            assertThat(server.calls()).isEqualTo(1);
        }
    }

    /** The main class of the separate JVM. */
    static final class WithoutNative {
        private WithoutNative() {}

        public static void main(String[] arguments) {
            CsiClient.Builder builder = CsiClient.builder(Endpoint.parse(arguments[0]));
            try (CsiClient client = builder.build()) {
                System.out.println(
                        "AUTO " + Wire.get(Wire.getPluginInfo(client)).getName());
            }
            try (CsiClient client = builder.transport(Transport.EPOLL).build()) {
                System.out.println("made " + client);
            } catch (IllegalArgumentException refused) {
                System.out.println("EPOLL refused: " + refused.getMessage());
            }
            // Only daemon threads are left, so the JVM ends although some of them may still run.
        }
    }
}
