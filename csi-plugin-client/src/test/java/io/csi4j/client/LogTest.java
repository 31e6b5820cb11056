package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.Slf4JLoggerFactory;
import io.grpc.stub.ClientCalls;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The plugin runs in a separate process, so that only the lines of the client are captured. */
@ParameterizedClass
@ValueSource(strings = {"java.util.logging", "SLF4J"})
class LogTest {
    private static final String CANARY = "c4n4ry-5ecret";
    private static final List<String> FORMS = List.of(
            CANARY,
            HexFormat.of().formatHex(CANARY.getBytes(StandardCharsets.UTF_8)),
            Base64.getEncoder().withoutPadding().encodeToString(CANARY.getBytes(StandardCharsets.UTF_8)));

    private static final CreateVolumeRequest REQUEST =
            CreateVolumeRequest.newBuilder().putSecrets("p", CANARY).build();

    private final InternalLoggerFactory logging;

    @TempDir
    Path directory;

    private final Logger root = Logger.getLogger("");
    private final Level before = root.getLevel();
    private final Capture capture = new Capture();
    private InternalLoggerFactory factoryBefore;

    LogTest(String logging) {
        this.logging = logging.equals("SLF4J") ? Slf4JLoggerFactory.INSTANCE : JdkLoggerFactory.INSTANCE;
    }

    /** Captures all log records as text. */
    private static final class Capture extends Handler {
        private final Queue<String> records = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(LogRecord logged) {
            StringWriter text = new StringWriter();
            PrintWriter out = new PrintWriter(text);
            out.println(logged.getLoggerName() + " " + logged.getLevel() + " " + logged.getMessage());
            out.println(new SimpleFormatter().formatMessage(logged));
            out.println(Arrays.toString(logged.getParameters()));
            if (logged.getThrown() != null) {
                logged.getThrown().printStackTrace(out);
            }
            records.add(text.toString());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        factoryBefore = InternalLoggerFactory.getDefaultFactory();
        InternalLoggerFactory.setDefaultFactory(logging);
        capture.setLevel(Level.FINEST);
        root.setLevel(Level.FINEST);
        root.addHandler(capture);
        for (Handler other : root.getHandlers()) {
            assertThat(other == capture || other.getLevel().intValue() >= Level.INFO.intValue())
                    .isTrue();
        }
    }

    @AfterEach
    void stopListening() {
        root.removeHandler(capture);
        root.setLevel(before);
        InternalLoggerFactory.setDefaultFactory(factoryBefore);
    }

    private void assertThatNothingLeaked(CsiCallException failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).doesNotContain(CANARY);
        for (String logged : capture.records) {
            assertThat(logged).doesNotContain(FORMS);
        }
        // Checks that the handler does receive records of gRPC.
        assertThat(capture.records).anyMatch(logged -> logged.startsWith("io.grpc"));
    }

    @Test
    void secretsThatPluginRepeatsAreNotLogged() {
        Path socket = directory.resolve("x.sock");
        try (PluginProcess plugin = PluginProcess.start(socket, "repeat");
                CsiClient client = CsiClient.connect(socket.toString())) {
            CsiCallException failure = Wire.failure(Wire.createVolume(client, REQUEST));
            plugin.expect("CreateVolume");
            assertThat(failure).hasMessageContaining("refused: ").hasMessageContaining("[hidden]");
            assertThatNothingLeaked(failure);
        }
    }

    @Test
    void secretsAreNotLoggedAfterLoggingIsReconfigured() throws Exception {
        Path socket = directory.resolve("x.sock");
        try (PluginProcess plugin = PluginProcess.start(socket, "repeat");
                CsiClient client = CsiClient.connect(socket.toString())) {
            LogManager.getLogManager().readConfiguration();
            root.setLevel(Level.FINEST);
            root.addHandler(capture);
            CsiCallException failure = Wire.failure(Wire.createVolume(client, REQUEST));
            plugin.expect("CreateVolume");
            assertThatNothingLeaked(failure);
        }
    }

    @Test
    void errorTextThatArrivesAfterEndOfCallIsNotLogged() {
        Path socket = directory.resolve("x.sock");
        try (PluginProcess plugin = PluginProcess.start(socket, "late");
                CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                        .maxInboundMessageSize(100)
                        .build()) {
            for (int i = 0; i < 20; i++) {
                CsiCallException failure = Wire.failure(Wire.createVolume(client, REQUEST));
                plugin.expect("CreateVolume");
                assertThat(failure).hasMessageContaining("larger than the 100 bytes");
                assertThatNothingLeaked(failure);
            }
        }
    }

    @Test
    void framesOfGrpcChannelThatDoesNotBelongToClientAreLogged() throws Exception {
        Path socket = directory.resolve("x.sock");
        @SuppressWarnings("deprecation") // Netty 4.1 has no other.
        EventLoopGroup threads = new NioEventLoopGroup(1);
        try (PluginProcess plugin = PluginProcess.start(socket, "repeat");
                CsiClient client = CsiClient.connect(socket.toString())) {
            Wire.failure(Wire.createVolume(client, REQUEST));
            ManagedChannel channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                    .eventLoopGroup(threads)
                    .channelType(NioDomainSocketChannel.class)
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext()
                    .build();
            try {
                ClientCalls.blockingUnaryCall(
                        channel, ControllerGrpc.getCreateVolumeMethod(), CallOptions.DEFAULT, REQUEST);
            } catch (StatusRuntimeException expected) {
                plugin.expect("CreateVolume");
            } finally {
                channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            }
            assertThat(capture.records).anyMatch(logged -> logged.contains(FORMS.get(1)));
        } finally {
            threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        }
    }
}
