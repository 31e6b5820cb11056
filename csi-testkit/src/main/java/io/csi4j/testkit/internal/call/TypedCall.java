package io.csi4j.testkit.internal.call;

import io.grpc.Attributes;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import java.util.Objects;

/** Adapts a call with answers of any type to the typed call that a service expects. */
abstract class TypedCall<Q, S> extends ServerCall<Q, S> {
    final ServerCall<Q, Object> caller;
    private final MethodDescriptor<Q, S> method;

    TypedCall(MethodDescriptor<Q, S> method, ServerCall<Q, Object> caller) {
        this.method = method;
        this.caller = caller;
    }

    @Override
    public void request(int messages) {
        caller.request(messages);
    }

    @Override
    public boolean isCancelled() {
        return caller.isCancelled();
    }

    @Override
    public boolean isReady() {
        return caller.isReady();
    }

    @Override
    public void setOnReadyThreshold(int bytes) {
        caller.setOnReadyThreshold(bytes);
    }

    @Override
    public void setMessageCompression(boolean enabled) {
        caller.setMessageCompression(enabled);
    }

    @Override
    public void setCompression(String compressor) {
        caller.setCompression(compressor);
    }

    @Override
    public Attributes getAttributes() {
        return caller.getAttributes();
    }

    @Override
    public MethodDescriptor<Q, S> getMethodDescriptor() {
        return method;
    }

    /** Returns the answer without any field. */
    S emptyAnswer() {
        if (method.getResponseMarshaller() instanceof MethodDescriptor.PrototypeMarshaller<S> marshaller) {
            return Objects.requireNonNull(marshaller.getMessagePrototype(), "the empty answer");
        }
        throw new IllegalStateException(method.getFullMethodName() + " was generated without messages");
    }
}
