package io.csi4j.client;

import io.csi4j.core.call.CallRules;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CsiMessage;
import io.csi4j.core.rpc.GroupControllerService;
import java.io.ByteArrayInputStream;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The controller services of a plugin that is elsewhere, over a {@link CallRelay}. Requests are written and answers
 * read and checked as by a {@link CsiClient}; order and repeats are left to the client at the other end, so that there
 * is one discipline for a plugin and not two. Immutable.
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
     * The services of a plugin.
     *
     * @param relay brings calls to it
     * @param plugin how to call it in messages and exceptions
     * @param deadlines how long to wait for answers
     * @param known what it has announced, asked at every call; what is not known refuses nothing (R42)
     * @return the services
     */
    public static RelayedServices over(
            CallRelay relay, String plugin, CallDeadlines deadlines, Supplier<Capabilities> known) {
        return new RelayedServices(
                Objects.requireNonNull(relay, "relay"),
                Objects.requireNonNull(plugin, "plugin"),
                Objects.requireNonNull(deadlines, "deadlines"),
                Objects.requireNonNull(known, "known"));
    }

    /**
     * Volume operations that need no particular node.
     *
     * @return the service
     */
    public ControllerService controller() {
        return new ControllerClient(new Passing());
    }

    /**
     * Snapshots of several volumes at one point.
     *
     * @return the service
     */
    public GroupControllerService groupController() {
        return new GroupControllerClient(new Passing());
    }

    /**
     * Which blocks of snapshots are allocated or differ, page by page.
     *
     * @param pages brings the calls to the plugin
     * @return the pages
     */
    public MetadataPages snapshotMetadata(PageRelay pages) {
        return new RelayedPages(Objects.requireNonNull(pages, "pages"), this);
    }

    CallDeadlines deadlines() {
        return deadlines;
    }

    CapabilityGuard guard() {
        return guard;
    }

    CallFailures failures() {
        return failures;
    }

    /** A class of its own, because what it does is not for the users of the services. */
    private final class Passing implements UnaryCalls {
        @Override
        public <Q, A, R> CompletableFuture<R> unary(
                CsiMessage request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder) {
            RuntimeException refused = guard.refusal(call.rpc(), request);
            if (refused != null) {
                return CompletableFuture.failedFuture(refused);
            }
            CompletableFuture<byte[]> passed = relay.relay(RelayedCall.of(call), deadlines.of(call.rpc()));
            CompletableFuture<R> answer = new CompletableFuture<>();
            var unused = passed.whenComplete((bytes, failure) -> {
                if (failure == null) {
                    read(call, bytes, decoder, answer);
                } else {
                    answer.completeExceptionally(Futures.unwrap(failure));
                }
            });
            // Whoever completes or cancels the answer himself cancels the call; else it is over by then.
            var unusedEnd = answer.whenComplete((value, failure) -> passed.cancel(false));
            return answer;
        }

        private <A, R> void read(
                RpcCall<?, A> call, byte[] bytes, Function<? super A, ? extends R> decoder, CompletableFuture<R> to) {
            R value;
            try {
                value = decoder.apply(call.method().parseResponse(new ByteArrayInputStream(bytes)));
            } catch (RuntimeException unusable) {
                to.completeExceptionally(failures.unusable(call, unusable));
                return;
            }
            to.complete(value);
        }
    }
}
