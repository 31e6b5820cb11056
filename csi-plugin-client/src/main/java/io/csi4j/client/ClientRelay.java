package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.discipline.CallDiscipline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The end of the way: makes the calls with a client. An answer is not looked into, so that whatever the plugin put
 * into it arrives.
 */
record ClientRelay(ServiceCalls calls, CallDiscipline discipline, CallDeadlines deadlines) implements CallRelay {
    @Override
    public CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline) {
        return relay(call.call(), deadlines.with(call.rpc(), deadline));
    }

    private <Q, A> CompletableFuture<byte[]> relay(RpcCall<Q, A> call, CallDeadlines limited) {
        return calls.with(limited, discipline).relayed(call, answer -> ((Message) answer).toByteArray());
    }
}
