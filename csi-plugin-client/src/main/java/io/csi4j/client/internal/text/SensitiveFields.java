package io.csi4j.client.internal.text;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CsiProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the sensitive fields of a message: those that CSI marks as secrets (R36), mount flags, and all maps except topologies. Reads the
 * protobuf annotations of the fields, so that no message type is forgotten.
 */
public final class SensitiveFields {
    private final boolean secretsOnly;

    private SensitiveFields(boolean secretsOnly) {
        this.secretsOnly = secretsOnly;
    }

    /** Returns the values of a request that must be hidden in the plugin's texts. */
    public static SensitiveValues of(Message request) {
        SensitiveValues values = SensitiveValues.none();
        addTo(values, request);
        ids(request, values);
        return values;
    }

    /** Returns only the secrets of a request. */
    public static SensitiveValues secrets(Message request) {
        SensitiveValues values = SensitiveValues.none();
        new SensitiveFields(true).collect(request, values);
        ids(request, values);
        return values;
    }

    /** Adds the sensitive values of a request or a response. */
    public static void addTo(SensitiveValues values, Message message) {
        new SensitiveFields(false).collect(message, values);
    }

    private void collect(Message message, SensitiveValues values) {
        message.getAllFields().forEach((field, value) -> {
            if (field.getOptions().getExtension(CsiProto.csiSecret)) {
                values.values(map(value));
            } else if (field.isMapField()) {
                if (!secretsOnly && !field.getName().equals("segments")) {
                    values.values(map(value));
                }
            } else if (field.getName().equals("mount_flags")) {
                if (!secretsOnly) {
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

    private static void ids(Message message, SensitiveValues values) {
        message.getAllFields().forEach((field, value) -> {
            if (field.isMapField()) {
                return;
            }
            for (Object each : field.isRepeated() ? (List<?>) value : List.of(value)) {
                if (each instanceof Message inner) {
                    ids(inner, values);
                } else if (each instanceof String text && isId(field.getName())) {
                    values.id(text);
                }
            }
        });
    }

    private static boolean isId(String name) {
        return name.equals("name") || name.endsWith("_id") || name.endsWith("_ids");
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
