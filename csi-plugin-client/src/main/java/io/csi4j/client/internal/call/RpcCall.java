package io.csi4j.client.internal.call;

import com.google.protobuf.Message;
import io.csi4j.client.internal.retry.CallTarget;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.internal.text.Text;
import io.grpc.MethodDescriptor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call in its encoded form, with the data that error messages about the call need.
 *
 * @param rpc the RPC
 * @param method its descriptor, from the generated classes
 * @param request the message to send
 * @param subject the external id of a volume, snapshot or group, or the name of the object to create; null if the RPC has none
 * @param sensitive the sensitive values of the request; computed only for the text of an error
 * @param continuesPage whether the request has the token of a next page (R72)
 * @param <Q> the type of the request
 * @param <A> the type of the response
 */
public record RpcCall<Q, A>(
        Rpc rpc,
        MethodDescriptor<Q, A> method,
        Q request,
        @Nullable String subject,
        Supplier<SensitiveValues> sensitive,
        boolean continuesPage)
        implements CallTarget {
    /** Returns a call without a subject and without sensitive values. */
    public static <Q, A> RpcCall<Q, A> plain(Rpc rpc, MethodDescriptor<Q, A> method, Q request) {
        return new RpcCall<>(rpc, method, request, null, SensitiveValues::none, false);
    }

    /** Returns a call about a volume, snapshot or group. */
    public static <Q, A> RpcCall<Q, A> about(
            @Nullable String subject,
            Rpc rpc,
            MethodDescriptor<Q, A> method,
            Q request,
            Supplier<SensitiveValues> sensitive) {
        return new RpcCall<>(rpc, method, request, subject, sensitive, false);
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
                + (subject == null ? "" : " for " + Text.printable(subject))
                + (location.isEmpty() ? "" : " at " + Text.printable(location));
    }

    /** Returns a text without the request, which may contain secrets. */
    @Override
    public String toString() {
        return "RpcCall[" + rpc.csiName() + ", subject=" + subject + "]";
    }
}
