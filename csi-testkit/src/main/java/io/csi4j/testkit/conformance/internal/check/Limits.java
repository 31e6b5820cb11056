package io.csi4j.testkit.conformance.internal.check;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.testkit.conformance.internal.Rule;
import io.csi4j.testkit.conformance.internal.Run;
import java.util.List;
import java.util.Set;

/** The size limits of answers (R16). */
final class Limits {
    private static final int TEXT_BYTES = 128;
    private static final int MAP_BYTES = 4096;
    private static final Set<String> FREE_TEXT = Set.of("message", "node_id", "published_node_ids");

    private Limits() {}

    static void require(Run run, Message message, String what) {
        message.getAllFields().forEach((field, value) -> {
            if (field.isMapField()) {
                int total = 0;
                for (Object element : (List<?>) value) {
                    MapEntry<?, ?> entry = (MapEntry<?, ?>) element;
                    total += IdentityChecks.bytes((String) entry.getKey())
                            + IdentityChecks.bytes((String) entry.getValue());
                }
                run.must(
                        Rule.R16,
                        total <= MAP_BYTES,
                        what + " has " + total + " bytes in " + field.getName() + ", more than 4 KiB");
            } else {
                List<?> all = field.isRepeated() ? (List<?>) value : List.of(value);
                all.forEach(one -> single(run, field, one, what));
            }
        });
    }

    private static void single(Run run, FieldDescriptor field, Object value, String what) {
        if (field.getJavaType() == JavaType.STRING && !FREE_TEXT.contains(field.getName())) {
            int bytes = IdentityChecks.bytes((String) value);
            run.must(
                    Rule.R16,
                    bytes <= TEXT_BYTES,
                    what + " has " + bytes + " bytes in " + field.getName() + ", more than 128");
        } else if (field.getJavaType() == JavaType.MESSAGE) {
            require(run, (Message) value, what);
        }
    }
}
