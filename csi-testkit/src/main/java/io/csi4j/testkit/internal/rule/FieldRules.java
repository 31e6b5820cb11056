package io.csi4j.testkit.internal.rule;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The limits for all fields of all requests: R16, R17, R18, R20, R21 and R25. */
public final class FieldRules {
    /** Drivers made for Kubernetes expect tokens under this key, also in the secrets, against R25. */
    private static final String TOKENS_KEY = "csi.storage.k8s.io/serviceAccount.tokens";

    private static final int TEXT_BYTES = 128;
    private static final int NODE_ID_BYTES = 256;
    private static final int MAP_BYTES = 4096;
    private static final int MOUNT_FLAG_BYTES = 4096;
    private static final int PATH_BYTES = 4095;

    private FieldRules() {}

    /**
     * Checks all fields that are set, including nested ones.
     *
     * @param request the request to check
     * @param problems receives the problems
     */
    public static void check(Message request, Problems problems) {
        walk(request, "", problems);
    }

    private static void walk(Message message, String prefix, Problems problems) {
        for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
            FieldDescriptor field = entry.getKey();
            String name =
                    prefix + (field.getName().equals("modifiable_parameters") ? "mutable_parameters" : field.getName());
            if (field.isMapField()) {
                map(field, (List<?>) entry.getValue(), name, problems);
            } else if (field.getJavaType() == JavaType.STRING) {
                texts(field, entry.getValue(), name, problems);
            } else if (field.getJavaType() == JavaType.MESSAGE) {
                if (field.isRepeated()) {
                    int number = 0;
                    for (Object element : (List<?>) entry.getValue()) {
                        walk((Message) element, name + "[" + number++ + "].", problems);
                    }
                } else {
                    walk((Message) entry.getValue(), name + ".", problems);
                }
            }
        }
    }

    private static void texts(FieldDescriptor field, Object value, String name, Problems problems) {
        if (field.getName().equals("mount_flags")) {
            int total = 0;
            for (Object flag : (List<?>) value) {
                total += bytes((String) flag);
            }
            problems.require(total <= MOUNT_FLAG_BYTES, name, "hold " + total + " bytes together; at most 4 KiB (R18)");
        } else if (field.isRepeated()) {
            int number = 0;
            for (Object element : (List<?>) value) {
                text(field, (String) element, name + "[" + number++ + "]", problems);
            }
        } else {
            text(field, (String) value, name, problems);
        }
    }

    private static void text(FieldDescriptor field, String value, String name, Problems problems) {
        int limit = field.getName().endsWith("_path")
                ? PATH_BYTES
                : field.getName().equals("node_id") ? NODE_ID_BYTES : TEXT_BYTES;
        // A char needs at most three bytes in UTF-8, so short texts need not be encoded.
        if (value.length() * 3 > limit && bytes(value) > limit) {
            problems.add(name, "has " + bytes(value) + " bytes; at most " + limit + " are allowed (R16, R17, R20)");
        }
        if (field.getName().equals("name")) {
            problems.require(
                    value.codePoints().noneMatch(FieldRules::forbiddenInNames),
                    name,
                    "has a control character; only tab, line feed and carriage return are allowed (R21)");
        }
    }

    private static boolean forbiddenInNames(int c) {
        return c <= 0x08 || c == 0x0B || c == 0x0C || (c >= 0x0E && c <= 0x1F) || (c >= 0x7F && c <= 0x9F);
    }

    private static void map(FieldDescriptor field, List<?> entries, String name, Problems problems) {
        boolean secret = field.getName().equals("secrets");
        int total = 0;
        for (Object element : entries) {
            MapEntry<?, ?> entry = (MapEntry<?, ?>) element;
            String key = (String) entry.getKey();
            total += bytes(key) + bytes((String) entry.getValue());
            if (secret && !validSecretKey(key) && !key.equals(TOKENS_KEY)) {
                problems.add(name, "has a key with other characters than letters, digits, '-', '_' and '.' (R25)");
            }
        }
        problems.require(total <= MAP_BYTES, name, "holds " + total + " bytes; at most 4 KiB are allowed (R16)");
    }

    private static boolean validSecretKey(String key) {
        return !key.isEmpty()
                && key.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || c == '-'
                                || c == '_'
                                || c == '.');
    }

    private static int bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8).length;
    }
}
