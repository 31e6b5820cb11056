package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that arrive as encoded messages. */
class RelayedRequestsTest {
    static Stream<Rpc> relayed() {
        return Stream.of(Rpc.values())
                .filter(rpc -> rpc.service() == RpcService.CONTROLLER
                        || rpc.service() == RpcService.GROUP_CONTROLLER
                        || rpc.service() == RpcService.SNAPSHOT_METADATA);
    }

    @ParameterizedTest
    @MethodSource("relayed")
    void decodedMessageEqualsSentMessage(Rpc rpc) {
        for (int variant = 1; variant <= 4; variant++) {
            Message message = Filled.message(rpc.csiName() + "Request", variant);
            RelayedCall call = RelayedCall.of(rpc, message.toByteArray());
            assertThat(call.call().request()).isEqualTo(message);
            assertThat(call.message()).isEqualTo(message.toByteArray());
        }
    }
}
