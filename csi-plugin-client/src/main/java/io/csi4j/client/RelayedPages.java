package io.csi4j.client;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.CsiMessage;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import java.io.ByteArrayInputStream;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Pages of snapshot metadata over a {@link PageRelay}; requests and answers are checked as those of a stream are. */
final class RelayedPages implements MetadataPages {
    private final PageRelay relay;
    private final RelayedServices services;

    RelayedPages(PageRelay relay, RelayedServices services) {
        this.relay = relay;
        this.services = services;
    }

    @Override
    public CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> allocated(
            GetMetadataAllocatedRequest request) {
        return page(request, SnapshotMetadataClient.call(request), MetadataCodec::read);
    }

    @Override
    public CompletableFuture<MetadataPage<GetMetadataDeltaResponse>> delta(GetMetadataDeltaRequest request) {
        return page(request, SnapshotMetadataClient.call(request), MetadataCodec::read);
    }

    private <Q, A, R> CompletableFuture<MetadataPage<R>> page(
            CsiMessage request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
        RuntimeException refused = services.guard().refusal(call.rpc(), request);
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<MetadataPage<byte[]>> passed =
                relay.page(RelayedCall.of(call), services.deadlines().of(call.rpc()));
        CompletableFuture<MetadataPage<R>> page = new CompletableFuture<>();
        var unused = passed.whenComplete((bytes, failure) -> {
            if (failure == null) {
                read(call, bytes, decoder, page);
            } else {
                page.completeExceptionally(Futures.unwrap(failure));
            }
        });
        // A caller that completes or cancels the page cancels the call; otherwise the call is over by then.
        var unusedEnd = page.whenComplete((value, failure) -> passed.cancel(false));
        return page;
    }

    private <A, R> void read(
            RpcCall<?, A> call,
            MetadataPage<byte[]> bytes,
            Function<? super A, ? extends R> decoder,
            CompletableFuture<MetadataPage<R>> to) {
        MetadataPage<R> page;
        try {
            page = new MetadataPage<>(
                    bytes.messages().stream()
                            .<R>map(each -> decoder.apply(call.method().parseResponse(new ByteArrayInputStream(each))))
                            .toList(),
                    bytes.complete());
        } catch (RuntimeException unusable) {
            to.completeExceptionally(services.failures().unusable(call, unusable));
            return;
        }
        to.complete(page);
    }
}
