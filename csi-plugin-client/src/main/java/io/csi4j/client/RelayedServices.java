package io.csi4j.client;

import io.csi4j.client.internal.call.CallFailures;
import io.csi4j.client.internal.call.CapabilityGuard;
import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.call.UnaryCalls;
import io.csi4j.client.internal.codec.MetadataCodec;
import io.csi4j.client.internal.codec.UnusableAnswerException;
import io.csi4j.client.internal.limit.AnswerLimits;
import io.csi4j.client.internal.service.ControllerClient;
import io.csi4j.client.internal.service.GroupControllerClient;
import io.csi4j.client.internal.service.SnapshotMetadataClient;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.internal.check.InputLimit;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.GroupControllerService;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The controller services of a plugin, over a {@link CallRelay} on the same or another machine. They check requests and responses in the same way as a
 * {@link CsiClient} does. Only the {@link CsiClient} on the plugin's node retries the calls, so that retries do not multiply. Immutable.
 */
public final class RelayedServices {
    private final CallRelay relay;
    private final CallDeadlines deadlines;
    private final CapabilityGuard guard;
    private final CallFailures failures;

    private RelayedServices(CallRelay relay, String plugin, CallDeadlines deadlines, Supplier<Capabilities> known) {
        this.relay = relay;
        this.deadlines = deadlines;
        this.guard = new CapabilityGuard(plugin, known);
        this.failures = new CallFailures(plugin, CallRules.defaults());
    }

    /**
     * Returns the services of a plugin that is reached over a relay.
     *
     * @param relay sends the calls to the plugin
     * @param plugin the plugin's name for messages and exceptions
     * @param deadlines the deadlines of the calls
     * @param known the plugin's capabilities, read for every call; unknown capabilities reject nothing (R42)
     */
    public static RelayedServices over(
            CallRelay relay, String plugin, CallDeadlines deadlines, Supplier<Capabilities> known) {
        return new RelayedServices(
                Objects.requireNonNull(relay, "relay"),
                Objects.requireNonNull(plugin, "plugin"),
                Objects.requireNonNull(deadlines, "deadlines"),
                Objects.requireNonNull(known, "known"));
    }

    /** Returns the Controller service. */
    public ControllerService controller() {
        return new ControllerClient(new RelayCalls());
    }

    /** Returns the GroupController service. */
    public GroupControllerService groupController() {
        return new GroupControllerClient(new RelayCalls());
    }

    /** Returns the SnapshotMetadata service, whose streams are read page by page. */
    public MetadataPages snapshotMetadata() {
        return new RelayPages();
    }

    /** Sends calls with one response over the relay. */
    private final class RelayCalls implements UnaryCalls {
        @Override
        public <Q, A, R> CompletableFuture<R> unary(
                CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
            return pass(relay::relay, request, call, answer -> read(call, answer, decoder));
        }
    }

    /** Sends streaming calls over the relay; each call returns one page, which is the beginning of its stream. */
    private final class RelayPages implements MetadataPages {
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
            return pass(relay::page, request, call, page -> {
                int size = page.messages().size();
                if (InputLimit.PAGE_MESSAGES.isExceededBy(size)) {
                    throw new UnusableAnswerException("messages", InputLimit.PAGE_MESSAGES.problem(size));
                }
                return new MetadataPage<>(
                        page.messages().stream()
                                .<R>map(each -> read(call, each, decoder))
                                .toList(),
                        page.complete());
            });
        }
    }

    private static <A, R> R read(RpcCall<?, A> call, byte[] answer, Function<? super A, ? extends R> decoder) {
        return AnswerLimits.<A, R>checked(decoder).apply(call.method().parseResponse(new ByteArrayInputStream(answer)));
    }

    /** Sends one request over the relay, and decodes the response. */
    private <B, R> CompletableFuture<R> pass(
            BiFunction<RelayedCall, Duration, CompletableFuture<B>> way,
            CsiRequest request,
            RpcCall<?, ?> call,
            Function<? super B, ? extends R> reader) {
        RuntimeException refused = guard.refusal(call.rpc(), request);
        if (refused != null) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<B> passed = way.apply(new RelayedCall(call), deadlines.of(call.rpc()));
        CompletableFuture<R> answer = new CompletableFuture<>();
        var unused = passed.whenComplete((bytes, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(Futures.unwrap(failure));
                return;
            }
            R value;
            try {
                value = reader.apply(bytes);
            } catch (RuntimeException unusable) {
                answer.completeExceptionally(failures.unusable(call, unusable));
                return;
            }
            answer.complete(value);
        });
        // Cancels the relayed call if the caller completes or cancels its future. Cancelling has no effect on a call
        // that has ended.
        var unusedEnd = answer.whenComplete((value, failure) -> passed.cancel(false));
        return answer;
    }
}
