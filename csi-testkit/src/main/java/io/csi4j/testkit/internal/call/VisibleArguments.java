package io.csi4j.testkit.internal.call;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The fields of a request as text, without the values of secrets, contexts, parameters and mount flags. */
final class VisibleArguments {
    private static final String HIDDEN = "(hidden)";

    /** The names of hidden fields that are not maps. Fields that are maps are always hidden. */
    private static final Set<String> CONFIDENTIAL = Set.of("mount_flags", "volume_mount_group");

    private VisibleArguments() {}

    static Map<String, String> of(Message request) {
        Map<String, String> visible = new LinkedHashMap<>();
        request.getAllFields().forEach((field, value) -> visible.put(field.getName(), text(field, value)));
        return visible;
    }

    private static String text(FieldDescriptor field, Object value) {
        if (isHidden(field)) {
            return HIDDEN;
        }
        if (!field.isRepeated()) {
            return single(value);
        }
        List<String> each = new ArrayList<>();
        ((List<?>) value).forEach(one -> each.add(single(one)));
        return String.join(", ", each);
    }

    /** Returns whether a field is confidential, as are all maps except the segments of a topology. */
    private static boolean isHidden(FieldDescriptor field) {
        return RequestInspector.isSecret(field)
                || CONFIDENTIAL.contains(field.getName())
                || (field.isMapField() && !field.getName().equals("segments"));
    }

    private static String single(Object value) {
        return value instanceof Message message
                ? message.getAllFields().entrySet().stream()
                        .map(field -> field.getKey().getName() + "=" + text(field.getKey(), field.getValue()))
                        .collect(Collectors.joining(" ", "{", "}"))
                : value.toString();
    }
}
