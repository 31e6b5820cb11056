package io.csi4j.client.internal.call;

import io.csi4j.core.rpc.CsiRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Makes calls with a single response, either directly to the plugin or through a relay. */
public interface UnaryCalls {
    /** Makes one call. If the caller completes or cancels the returned future, the call is cancelled. */
    <Q, A, R> CompletableFuture<R> unary(
            CsiRequest request, RpcCall<Q, A> call, Function<? super A, ? extends R> decoder);
}
