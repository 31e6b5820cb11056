package io.csi4j.values.internal;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds fields that this version does not know. A message with such a field must not be read, because the meaning of the field would be
 * lost.
 */
public final class UnknownFields {
    private UnknownFields() {}

    /**
     * Returns a text that describes the first unknown field of an encoded message; null if there is none.
     *
     * @param parser a parser of the message
     * @param known the same message, parsed without its unknown fields
     */
    public static @Nullable String find(Parser<? extends Message> parser, Message known, byte[] encoded)
            throws InvalidProtocolBufferException {
        // The known message was parsed without unknown fields. If it is as long as the encoded one, nothing was left
        // out, and the search is skipped.
        return known.getSerializedSize() == encoded.length ? null : find(parser.parseFrom(encoded));
    }

    /** Returns a text that describes the first unknown field of a message, or of a message in it; null if there is none. */
    public static @Nullable String find(Message message) {
        for (int number : message.getUnknownFields().asMap().keySet()) {
            boolean kind = message.getDescriptorForType().getOneofs().stream()
                    .anyMatch(oneof -> oneof.getName().equals("kind"));
            return (kind ? "kind " : "field ") + number + " of "
                    + message.getDescriptorForType().getName();
        }
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            if (field.getKey().getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                List<?> parts = field.getValue() instanceof List<?> list ? list : List.of(field.getValue());
                for (Object part : parts) {
                    String unknown = find((Message) part);
                    if (unknown != null) {
                        return unknown;
                    }
                }
            }
        }
        return null;
    }
}
