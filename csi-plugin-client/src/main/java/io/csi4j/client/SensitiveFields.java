package io.csi4j.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CsiProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds what of a message must never be shown: the fields that CSI marks as secrets (R36), and the
 * contexts and mount flags that it does not mark. By what the fields say of themselves, so that no
 * message can be forgotten.
 */
final class SensitiveFields {
    private final Predicate<FieldDescriptor> contexts;
    private final boolean flags;

    private SensitiveFields(Predicate<FieldDescriptor> contexts, boolean flags) {
        this.contexts = contexts;
        this.flags = flags;
    }

    /** Secrets, contexts and mount flags. */
    static SensitiveValues of(Message message) {
        SensitiveValues values = SensitiveValues.none();
        new SensitiveFields(SensitiveFields::isContext, true).collect(message, values);
        return values;
    }

    /** Secrets only. */
    static SensitiveValues secrets(Message message) {
        SensitiveValues values = SensitiveValues.none();
        new SensitiveFields(field -> false, false).collect(message, values);
        return values;
    }

    /** Adds secrets, mount flags, and what is opaque: contexts, parameters, and all other maps but topologies. */
    static void opaque(Message message, SensitiveValues values) {
        new SensitiveFields(field -> !field.getName().equals("segments"), true).collect(message, values);
    }

    private void collect(Message message, SensitiveValues values) {
        message.getAllFields().forEach((field, value) -> {
            if (field.getOptions().getExtension(CsiProto.csiSecret)) {
                values.secrets(map(value));
            } else if (field.isMapField()) {
                if (contexts.test(field)) {
                    values.context(map(value));
                }
            } else if (field.getName().equals("mount_flags")) {
                if (flags) {
                    values.mountFlags(
                            ((List<?>) value).stream().map(String.class::cast).toList());
                }
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
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
