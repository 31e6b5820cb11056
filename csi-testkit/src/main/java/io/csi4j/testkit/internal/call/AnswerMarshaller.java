package io.csi4j.testkit.internal.call;

import io.grpc.MethodDescriptor;
import java.io.InputStream;

/** Encodes messages as usual, and passes {@link RawAnswer}s as they are. */
record AnswerMarshaller<T>(MethodDescriptor.Marshaller<T> usual) implements MethodDescriptor.Marshaller<Object> {
    @Override
    @SuppressWarnings("unchecked")
    public InputStream stream(Object value) {
        return value instanceof RawAnswer raw ? raw.bytes().newInput() : usual.stream((T) value);
    }

    @Override
    public Object parse(InputStream stream) {
        return usual.parse(stream);
    }
}
