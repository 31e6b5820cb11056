package io.csi4j.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CsiProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds what of a request must never be shown: the fields that CSI marks as secrets (R36), and the
 * contexts and mount flags that it does not mark. By what the fields say of themselves, so that no
 * request can be forgotten.
 */
final class SensitiveFields {
    private SensitiveFields() {}

    static SensitiveValues of(Message request) {
        SensitiveValues values = SensitiveValues.none();
        collect(request, values);
        return values;
    }

    private static void collect(Message message, SensitiveValues values) {
        message.getAllFields().forEach((field, value) -> {
            if (field.getOptions().getExtension(CsiProto.csiSecret)) {
                values.secrets(map(value));
            } else if (isContext(field)) {
                values.context(map(value));
            } else if (field.getName().equals("mount_flags")) {
                values.mountFlags(
                        ((List<?>) value).stream().map(String.class::cast).toList());
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField()) {
                for (Object inner : field.isRepeated() ? (List<?>) value : List.of(value)) {
                    collect((Message) inner, values);
                }
            }
        });
    }

    private static boolean isContext(FieldDescriptor field) {
        return field.getName().equals("volume_context") || field.getName().equals("publish_context");
    }

    private static Map<String, String> map(Object entries) {
        Map<String, String> map = new LinkedHashMap<>();
        for (Object entry : (List<?>) entries) {
            MapEntry<?, ?> pair = (MapEntry<?, ?>) entry;
            map.put((String) pair.getKey(), (String) pair.getValue());
        }
        return map;
    }
}
