package io.csi4j.client.internal.call;

import io.csi4j.core.rpc.CsiRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Makes calls with one answer: to the plugin, or to whoever passes them on to it. */
public interface UnaryCalls {
    /** One call; whoever completes or cancels the future himself cancels it. */
    <Q, A, R> CompletableFuture<R> unary(
            CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder);
}
