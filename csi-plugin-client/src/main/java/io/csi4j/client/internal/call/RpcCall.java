package io.csi4j.client.internal.call;

import com.google.protobuf.Message;
import io.csi4j.client.internal.retry.CallTarget;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Text;
import io.grpc.MethodDescriptor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call as it goes over the wire, and what has to be known about it if it fails.
 *
 * @param rpc which RPC
 * @param method its descriptor, from the generated classes
 * @param request the message to send
 * @param volume what the call is about, for the operator: the external volume id, the snapshot id, or
 *     the name of what is to be made; null where the RPC is about none
 * @param sensitive what of the request must not be shown; asked for only when an error text has to be
 *     made
 * @param continuesPage whether the request carries a continuation token (R72)
 * @param <Q> the message to send
 * @param <A> the message that answers
 */
public record RpcCall<Q, A>(
        Rpc rpc,
        MethodDescriptor<Q, A> method,
        Q request,
        @Nullable String volume,
        Supplier<SensitiveValues> sensitive,
        boolean continuesPage)
        implements CallTarget {
    /** A call that is about no volume and holds nothing sensitive. */
    public static <Q, A> RpcCall<Q, A> plain(Rpc rpc, MethodDescriptor<Q, A> method, Q request) {
        return new RpcCall<>(rpc, method, request, null, SensitiveValues::none, false);
    }

    /** A call that is about a volume (or snapshot) and is no listing. */
    public static <Q, A> RpcCall<Q, A> about(
            @Nullable String volume,
            Rpc rpc,
            MethodDescriptor<Q, A> method,
            Q request,
            Supplier<SensitiveValues> sensitive) {
        return new RpcCall<>(rpc, method, request, volume, sensitive, false);
    }

    @Override
    public @Nullable String subject() {
        return volume;
    }

    @Override
    public String place() {
        return request instanceof Message message ? RequestFields.place(rpc, message) : "";
    }

    @Override
    public Object identity() {
        return request instanceof Message message ? RequestFields.withoutSecrets(message) : request;
    }

    @Override
    public String description() {
        String place = place();
        return rpc.csiName()
                + (volume == null ? "" : " for " + Text.shown(volume))
                + (place.isEmpty() ? "" : " at " + Text.shown(place));
    }

    /** Without the request: it may hold secrets. */
    @Override
    public String toString() {
        return "RpcCall[" + rpc.csiName() + ", volume=" + volume + "]";
    }
}
