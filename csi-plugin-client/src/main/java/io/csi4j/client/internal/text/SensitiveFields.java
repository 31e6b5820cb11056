package io.csi4j.client.internal.text;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

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
     * @param messageLists lists of such messages
     */
    private record Layout(
            List<Function<Message, Map<?, ?>>> secrets,
            List<Function<Message, Map<?, ?>>> maps,
            List<Function<Message, List<?>>> mountFlags,
            List<Function<Message, Message>> messages,
            List<Function<Message, List<?>>> messageLists) {
        static Layout of(Message message) {
            return new Layout(
                    readers(message, Layout::isSecret),
                    readers(message, Layout::isOpaqueMap),
                    readers(message, field -> field.getName().equals("mount_flags")),
                    readers(message, field -> isMessage(field) && !field.isRepeated()),
                    readers(message, field -> isMessage(field) && field.isRepeated()));
        }

        private static <R> List<Function<Message, R>> readers(Message message, Predicate<FieldDescriptor> wanted) {
            return message.getDescriptorForType().getFields().stream()
                    .filter(wanted)
                    .map(field -> GeneratedGetters.<R>of(message.getClass(), field))
                    .toList();
        }

        private static boolean isSecret(FieldDescriptor field) {
            return SecretOption.isSet(field);
        }

        private static boolean isOpaqueMap(FieldDescriptor field) {
            return field.isMapField() && !isSecret(field) && !field.getName().equals("segments");
        }

        private static boolean isMessage(FieldDescriptor field) {
            return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField();
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

    /** Returns the texts that CSI marks as secrets of a request; short ones are left out. */
    public static List<String> longSecretsOf(Message request) {
        List<String> values = new ArrayList<>();
        collect(request, true, value -> {
            if (value.length() >= SensitiveValues.LONG && !value.isBlank()) {
                values.add(value);
            }
        });
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

    @SuppressWarnings("ReferenceEquality") // there is one default message of each type
    private static void collect(Message message, boolean secretsOnly, Consumer<String> found) {
        Layout layout = layout(message);
        for (Function<Message, Map<?, ?>> map : layout.secrets()) {
            values(map.apply(message), found);
        }
        if (!secretsOnly) {
            for (Function<Message, Map<?, ?>> map : layout.maps()) {
                values(map.apply(message), found);
            }
            for (Function<Message, List<?>> flags : layout.mountFlags()) {
                for (Object flag : flags.apply(message)) {
                    mountFlag((String) flag, found);
                }
            }
        }
        for (Function<Message, Message> field : layout.messages()) {
            Message inner = field.apply(message);
            // The default message stands for a field that is not set.
            if (inner != inner.getDefaultInstanceForType()) {
                collect(inner, secretsOnly, found);
            }
        }
        for (Function<Message, List<?>> field : layout.messageLists()) {
            for (Object inner : field.apply(message)) {
                collect((Message) inner, secretsOnly, found);
            }
        }
    }

    private static void values(Map<?, ?> map, Consumer<String> found) {
        for (Object value : map.values()) {
            found.accept((String) value);
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
