package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.discipline.CallDiscipline;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The end of the way: makes the calls with a client. An answer is not looked into, so that whatever the plugin put
 * into it arrives.
 */
record ClientRelay(ServiceCalls calls, CallDiscipline discipline, CallDeadlines deadlines)
        implements CallRelay, PageRelay {
    @Override
    public CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline) {
        if (call.rpc().service() == RpcService.SNAPSHOT_METADATA) {
            throw new IllegalArgumentException(
                    "call: " + call.rpc().csiName() + " answers with a stream; ask for a page of it");
        }
        return relay(call.call(), deadlines.with(call.rpc(), deadline));
    }

    private <Q, A> CompletableFuture<byte[]> relay(RpcCall<Q, A> call, CallDeadlines limited) {
        return calls.with(limited, discipline).relayed(call, answer -> ((Message) answer).toByteArray());
    }

    @Override
    public CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline) {
        if (call.rpc().service() != RpcService.SNAPSHOT_METADATA) {
            throw new IllegalArgumentException(
                    "call: " + call.rpc().csiName() + " has one answer and no pages; relay it");
        }
        return page(call.call(), deadlines.with(call.rpc(), deadline), deadline);
    }

    private <Q, A> CompletableFuture<MetadataPage<byte[]>> page(
            RpcCall<Q, A> call, CallDeadlines limited, Duration deadline) {
        PageCollector collector = calls.pageCollector(deadline);
        calls.with(limited, discipline)
                .<Q, A, Message>relayedStream(call, answer -> (Message) answer)
                .subscribe(collector);
        return collector.page();
    }
}
