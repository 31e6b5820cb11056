package io.csi4j.client.internal.text;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CsiProto;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Finds the sensitive fields of a message: those that CSI marks as secrets (R36), mount flags, and all maps except topologies. Reads the
 * protobuf annotations of the fields, so that no message type is forgotten.
 */
public final class SensitiveFields {
    /** The fields of each message class. They are found once for each class, because each call needs them. */
    private static final Map<Class<?>, Layout> LAYOUTS = new ConcurrentHashMap<>();

    /**
     * The fields of a message class that hold sensitive values.
     *
     * @param secrets maps that CSI marks as secrets
     * @param maps the other maps with sensitive values
     * @param mountFlags lists of mount flags
     * @param messages messages, which may have such fields themselves
     */
    private record Layout(
            List<MapField> secrets,
            List<MapField> maps,
            List<FieldDescriptor> mountFlags,
            List<FieldDescriptor> messages) {
        static Layout of(Message message) {
            Class<?> type = message.getClass();
            List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
            return new Layout(
                    fields.stream()
                            .filter(Layout::isSecret)
                            .map(field -> MapField.of(type, field))
                            .toList(),
                    fields.stream()
                            .filter(Layout::isOpaqueMap)
                            .map(field -> MapField.of(type, field))
                            .toList(),
                    fields.stream().filter(Layout::isMountFlags).toList(),
                    fields.stream().filter(Layout::isMessage).toList());
        }

        private static boolean isSecret(FieldDescriptor field) {
            return field.getOptions().getExtension(CsiProto.csiSecret);
        }

        private static boolean isOpaqueMap(FieldDescriptor field) {
            return field.isMapField() && !isSecret(field) && !field.getName().equals("segments");
        }

        private static boolean isMountFlags(FieldDescriptor field) {
            return field.getName().equals("mount_flags");
        }

        private static boolean isMessage(FieldDescriptor field) {
            return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField();
        }
    }

    /**
     * A map of texts. The generated method returns the map itself; reading the field by its descriptor would copy each
     * entry.
     */
    private record MapField(Method read) {
        static MapField of(Class<?> type, FieldDescriptor field) {
            StringBuilder name = new StringBuilder("get");
            for (String word : field.getName().split("_", -1)) {
                name.append(Character.toUpperCase(word.charAt(0))).append(word, 1, word.length());
            }
            try {
                return new MapField(type.getMethod(name.append("Map").toString()));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(field.getFullName() + " is no map", e);
            }
        }

        void values(Message message, Consumer<String> found) {
            try {
                ((Map<?, ?>) read.invoke(message)).values().forEach(value -> found.accept((String) value));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private SensitiveFields() {}

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
        collect(request, true, values::add);
        ids(request, values);
        return values;
    }

    /** Adds the sensitive values of a request or a response. */
    public static void addTo(SensitiveValues values, Message message) {
        collect(message, false, values::add);
    }

    /** Returns the sensitive values of a request or a response, in the order of its fields; blank texts are left out. */
    public static List<String> valuesOf(Message message) {
        List<String> values = new ArrayList<>();
        collect(message, false, value -> {
            if (!value.isBlank()) {
                values.add(value);
            }
        });
        return values;
    }

    private static void collect(Message message, boolean secretsOnly, Consumer<String> found) {
        Layout layout = layout(message);
        for (MapField map : layout.secrets()) {
            map.values(message, found);
        }
        if (!secretsOnly) {
            for (MapField map : layout.maps()) {
                map.values(message, found);
            }
            for (FieldDescriptor field : layout.mountFlags()) {
                for (Object flag : (List<?>) message.getField(field)) {
                    mountFlag((String) flag, found);
                }
            }
        }
        for (FieldDescriptor field : layout.messages()) {
            if (field.isRepeated()) {
                for (Object inner : (List<?>) message.getField(field)) {
                    collect((Message) inner, secretsOnly, found);
                }
            } else if (message.hasField(field)) {
                collect((Message) message.getField(field), secretsOnly, found);
            }
        }
    }

    private static Layout layout(Message message) {
        Layout known = LAYOUTS.get(message.getClass());
        return known == null ? LAYOUTS.computeIfAbsent(message.getClass(), type -> Layout.of(message)) : known;
    }

    /** Passes the whole mount flag to {@code found}, and also the part after its equals sign, if it has one. */
    private static void mountFlag(String flag, Consumer<String> found) {
        found.accept(flag);
        int equals = flag.indexOf('=');
        if (equals >= 0) {
            found.accept(flag.substring(equals + 1));
        }
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
}
