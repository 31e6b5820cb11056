package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.PageCollector;
import io.csi4j.client.internal.call.PageCollector.Received;
import io.csi4j.client.internal.service.ServiceCalls;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.metadata.MetadataPage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Makes relayed calls with a client. The client sends the message as it arrived and returns the response as encoded
 * bytes, so fields of a newer CSI version are kept.
 */
record ClientRelay(ServiceCalls calls, CallDeadlines deadlines) implements CallRelay {
    @Override
    public CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline) {
        if (call.rpc().service() == RpcService.SNAPSHOT_METADATA) {
            throw new IllegalArgumentException(
                    "call: " + call.rpc().csiName() + " answers with a stream; ask for a page of it");
        }
        return limited(call, deadline).relay(call.call(), ClientRelay::bytes);
    }

    @Override
    public CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline) {
        if (call.rpc().service() != RpcService.SNAPSHOT_METADATA) {
            throw new IllegalArgumentException(
                    "call: " + call.rpc().csiName() + " has one answer and no pages; relay it");
        }
        PageCollector<byte[]> collector = calls.pageCollector(deadline);
        limited(call, deadline)
                .relayStream(call.call(), answer -> new Received<>((Message) answer, bytes(answer)))
                .subscribe(collector);
        return collector.page();
    }

    private static byte[] bytes(Object answer) {
        return ((Message) answer).toByteArray();
    }

    private ServiceCalls limited(RelayedCall call, Duration deadline) {
        return calls.with(deadlines.with(call.rpc(), deadline));
    }
}
