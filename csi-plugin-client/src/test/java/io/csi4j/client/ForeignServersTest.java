package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls to servers that are no plugins, or that use gRPC incorrectly. */
class ForeignServersTest {
    @TempDir
    Path directory;

    private Path socket;

    @BeforeEach
    void name() {
        socket = directory.resolve("x.sock");
    }

    private CsiCallException failureWith(RawPeer.Script script) throws Exception {
        try (RawPeer peer = RawPeer.start(socket, script);
                CsiClient client = CsiClient.connect(socket.toString()).withDeadline(Duration.ofSeconds(10))) {
            assertThat(peer).isNotNull();
            CsiCallException failure = Wire.failure(Wire.createVolume(client));
            assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure).hasNoCause();
            return failure;
        }
    }

    @Test
    void callToHttp1ServerFailsAsUnavailable() throws Exception {
        byte[] page = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        CsiCallException failure = failureWith(RawPeer.writes(page));
        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("no usable connection to unix://" + socket);
    }

    @Test
    void callToServerThatSendsGarbageFailsAsUnavailable() throws Exception {
        byte[] garbage = new byte[4096];
        Arrays.fill(garbage, (byte) 0xa5);
        CsiCallException failure = failureWith(RawPeer.writes(garbage));
        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("no usable connection to unix://" + socket);
    }

    @Test
    void callToServerThatClosesConnectionFailsAsUnavailable() throws Exception {
        CsiCallException failure = failureWith(connection -> {});
        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("no usable connection to unix://" + socket);
    }

    @Test
    void httpErrorFromWebServerIsNotReportedAsPluginStatus() throws Exception {
        // gRPC maps 404 to UNIMPLEMENTED, which would wrongly mean that a retry can never succeed.
        for (String status : new String[] {"401", "403", "404", "503"}) {
            CsiCallException failure = failureWith(
                    RawPeer.answersWithHeaders(RawPeer.headers(":status", status, "content-type", "text/html")));
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("HTTP status code " + status);
            Files.delete(socket);
        }
    }

    @Test
    void invalidGrpcStatusCodeIsReportedAsUnknown() throws Exception {
        CsiCallException failure = failureWith(RawPeer.answersWithHeaders(RawPeer.headers(
                ":status", "200", "content-type", "application/grpc", "grpc-status", "99", "grpc-message", "odd")));
        assertThat(failure.code()).isEqualTo(StatusCode.UNKNOWN);
    }

    @Test
    void refusedHttp2StreamIsNotReportedAsResourceExhaustedByPlugin() throws Exception {
        // Sends RST_STREAM and GOAWAY with ENHANCE_YOUR_CALM, which gRPC maps to RESOURCE_EXHAUSTED.
        byte[] calm = ByteBuffer.allocate(4).putInt(0xb).array();
        assertThat(failureWith(RawPeer.answersWithFrame(3, 0, true, calm)).code())
                .isEqualTo(StatusCode.UNAVAILABLE);
        Files.delete(socket);
        byte[] goAway = ByteBuffer.allocate(8).putInt(0).putInt(0xb).array();
        assertThat(failureWith(RawPeer.answersWithFrame(7, 0, false, goAway)).code())
                .isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void callThatCouldNotBeSentToStoppingPluginIsRetried() throws Exception {
        RawPeer.Script notFound = RawPeer.answersWithHeaders(
                RawPeer.headers(":status", "200", "content-type", "application/grpc", "grpc-status", "5"));
        try (RawPeer peer = RawPeer.start(socket, RawPeer.leavesFirst(notFound));
                CsiClient client = CsiClient.connect(socket.toString()).withDeadline(Duration.ofSeconds(10))) {
            assertThat(peer).isNotNull();
            assertThat(Wire.failure(Wire.createVolume(client)).code()).isEqualTo(StatusCode.NOT_FOUND);
        }
    }
}
