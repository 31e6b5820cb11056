package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.grpc.Status;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallsTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Transport.class)
    void callerGetsResponseOrFailureOfPlugin(Transport transport) throws Exception {
        Path socket = directory.resolve("x.sock");
        try (PluginServer server = PluginServer.start(socket, call -> call.ok(Wire.INFO));
                CsiClient client = CsiClient.builder(Endpoint.unix(socket))
                        .transport(transport)
                        .build()) {
            CompletableFuture<GetPluginInfoResponse> answer = Wire.getPluginInfo(client);
            assertThat(Wire.get(answer)).isEqualTo(Wire.INFO);
            server.behave(call -> call.end(Status.NOT_FOUND.withDescription("nothing here")));
            CsiCallException failure = Wire.failure(Wire.createVolume(client));
            assertThat(failure.code()).isEqualTo(StatusCode.NOT_FOUND);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        }
    }
}
