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
 * One call in its encoded form, with the data that error messages about the call need.
 *
 * @param rpc the RPC
 * @param method its descriptor, from the generated classes
 * @param request the message to send
 * @param volume the subject for operators: the external volume id, the snapshot id, or the name of the object to create; null if the
 *     RPC has none
 * @param sensitive the sensitive values of the request; computed only for the text of an error
 * @param continuesPage whether the request has the token of a next page (R72)
 * @param <Q> the type of the request
 * @param <A> the type of the response
 */
public record RpcCall<Q, A>(
        Rpc rpc,
        MethodDescriptor<Q, A> method,
        Q request,
        @Nullable String volume,
        Supplier<SensitiveValues> sensitive,
        boolean continuesPage)
        implements CallTarget {
    /** Returns a call without a subject and without sensitive values. */
    public static <Q, A> RpcCall<Q, A> plain(Rpc rpc, MethodDescriptor<Q, A> method, Q request) {
        return new RpcCall<>(rpc, method, request, null, SensitiveValues::none, false);
    }

    /** Returns a call about a volume or snapshot. */
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
    public String location() {
        return request instanceof Message message ? RequestFields.location(rpc, message) : "";
    }

    @Override
    public Object identity() {
        return request instanceof Message message ? RequestFields.withoutSecrets(message) : request;
    }

    @Override
    public String description() {
        String location = location();
        return rpc.csiName()
                + (volume == null ? "" : " for " + Text.printable(volume))
                + (location.isEmpty() ? "" : " at " + Text.printable(location));
    }

    /** Returns a text without the request, which may contain secrets. */
    @Override
    public String toString() {
        return "RpcCall[" + rpc.csiName() + ", volume=" + volume + "]";
    }
}
