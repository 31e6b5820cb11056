package io.csi4j.client;

import com.google.protobuf.Message;
import io.csi4j.client.internal.call.PageCollector;
import io.csi4j.client.internal.call.PageCollector.Received;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.call.UnaryCalls;
import io.csi4j.client.internal.codec.MetadataCodec;
import io.csi4j.client.internal.service.ControllerClient;
import io.csi4j.client.internal.service.GroupControllerClient;
import io.csi4j.client.internal.service.ServiceCalls;
import io.csi4j.client.internal.service.SnapshotMetadataClient;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.GroupControllerService;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The controller services of a plugin in this process whose client is found for each call, for example because the plugin may have
 * restarted. Each call is a call of that client, with its checks and retries. Immutable.
 */
public final class ClientServices {
    private final Finder finder;
    private final CallDeadlines deadlines;

    private ClientServices(Finder finder, CallDeadlines deadlines) {
        this.finder = finder;
        this.deadlines = deadlines;
    }

    /** Finds the client of the plugin for one call. */
    @FunctionalInterface
    public interface Finder {
        /**
         * Makes a call with the client of the plugin.
         *
         * @param <R> the type of the response
         * @param call describes the call, for the failure if there is no client now
         * @param made makes the call with a client
         * @return the future of the call, or a failed future
         */
        <R> CompletableFuture<R> call(RelayedCall call, Function<CsiClient, CompletableFuture<R>> made);
    }

    /**
     * Returns the services.
     *
     * @param finder finds the client
     * @param deadlines the deadlines of the calls, in place of those of the client
     */
    public static ClientServices of(Finder finder, CallDeadlines deadlines) {
        return new ClientServices(
                Objects.requireNonNull(finder, "finder"), Objects.requireNonNull(deadlines, "deadlines"));
    }

    /** Returns the Controller service. */
    public ControllerService controller() {
        return new ControllerClient(new FoundCalls());
    }

    /** Returns the GroupController service. */
    public GroupControllerService groupController() {
        return new GroupControllerClient(new FoundCalls());
    }

    /** Returns the SnapshotMetadata service, whose streams are read page by page. */
    public MetadataPages snapshotMetadata() {
        return new FoundPages();
    }

    private <R> CompletableFuture<R> with(RpcCall<?, ?> call, Function<ServiceCalls, CompletableFuture<R>> made) {
        return finder.call(
                new RelayedCall(call), client -> made.apply(client.calls().with(deadlines)));
    }

    private static <R> Received<R> received(Object answer, R value) {
        return new Received<>((Message) answer, value);
    }

    /** Makes calls with one response. */
    private final class FoundCalls implements UnaryCalls {
        @Override
        public <Q, A, R> CompletableFuture<R> unary(
                CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
            return with(call, calls -> calls.unary(request, call, decoder));
        }
    }

    /** Makes streaming calls; each returns one page, which is the beginning of its stream. */
    private final class FoundPages implements MetadataPages {
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
                CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
            return with(call, calls -> {
                PageCollector<R> collector = calls.pageCollector(deadlines.of(call.rpc()));
                calls.stream(request, call, answer -> received(answer, decoder.apply(answer)))
                        .subscribe(collector);
                return collector.page();
            });
        }
    }
}
