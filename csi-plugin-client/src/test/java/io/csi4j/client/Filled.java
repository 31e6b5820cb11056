package io.csi4j.client;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.CsiProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Creates messages with every field set, from their descriptors, so that no field can be forgotten. The value of a field follows from its
 * path: the text at {@code volume.volume_id} is "volume.volume_id". A value in a wrong field is therefore detected.
 *
 * <p>If only one of several fields can be set, the variant and the index decide which field is set.
 */
final class Filled {
    private final int variant;

    private Filled(int variant) {
        this.variant = variant;
    }

    /** Returns the CSI message with the given name, with every field set. */
    static Message message(String name, int variant) {
        return new Filled(variant).message("", 0, descriptor(name));
    }

    static Descriptor descriptor(String name) {
        return CsiProto.getDescriptor().findMessageTypeByName(name);
    }

    /** Returns the text for a path. */
    static String text(String path) {
        return path.endsWith("_path") ? "/" + path : path;
    }

    /** Returns the number for a path. Limits and actual sizes are above required sizes. */
    static long number(String path) {
        return 1L
                + (path.hashCode() & 0xffff)
                + (path.endsWith("limit_bytes") || path.endsWith("capacity_bytes") ? 0x10000 : 0);
    }

    /** Returns the enum number for a path: not 0, and different for two neighbours. */
    static int enumNumber(String path, int index, int values) {
        int named = Math.max(values - 1, 2);
        return 1 + ((path.replaceAll("\\[\\d+]", "").hashCode() & 0xff) + index) % named;
    }

    static Map<String, String> map(String path) {
        // Replaces characters that the keys and values of topologies must not have in requests (R24).
        String plain = path.endsWith(".segments") ? path.replace('[', '-').replace("]", "") : path;
        Map<String, String> map = new LinkedHashMap<>();
        map.put(plain + ".z", plain + ".1");
        map.put(plain + ".a", plain + ".2");
        return map;
    }

    private DynamicMessage message(String path, int index, Descriptor type) {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        for (FieldDescriptor field : type.getFields()) {
            OneofDescriptor oneof = field.getRealContainingOneof();
            if (oneof == null || oneof.getField((variant + index) % oneof.getFieldCount()) == field) {
                set(message, path.isEmpty() ? field.getName() : path + "." + field.getName(), index, field);
            }
        }
        return message.build();
    }

    private void set(DynamicMessage.Builder message, String path, int index, FieldDescriptor field) {
        if (field.isMapField()) {
            map(path).forEach((key, value) -> message.addRepeatedField(field, entry(field, key, value)));
        } else if (field.getName().equals("preferred")) {
            // Also adds each preferred topology to the requisite ones, as CSI requires.
            message.addRepeatedField(
                    field, message(path.replace("preferred", "requisite[1]"), 1, field.getMessageType()));
        } else if (field.isRepeated()) {
            for (int i = 0; i < 2; i++) {
                message.addRepeatedField(field, value(path + "[" + i + "]", i, field));
            }
        } else {
            message.setField(field, value(path, index, field));
        }
    }

    private static DynamicMessage entry(FieldDescriptor field, String key, String value) {
        List<FieldDescriptor> fields = field.getMessageType().getFields();
        return DynamicMessage.newBuilder(field.getMessageType())
                .setField(fields.get(0), key)
                .setField(fields.get(1), value)
                .build();
    }

    private Object value(String path, int index, FieldDescriptor field) {
        return switch (field.getType()) {
            case STRING -> text(path);
            case INT64 -> number(path);
            case INT32 -> (int) number(path);
            // Sets wrapped booleans to false, because an absent wrapper counts as true.
            case BOOL -> !field.getContainingType().getName().equals("BoolValue");
            case ENUM ->
                field.getEnumType()
                        .findValueByNumberCreatingIfUnknown(enumNumber(
                                path, index, field.getEnumType().getValues().size()));
            case MESSAGE -> message(path, index, field.getMessageType());
            default -> throw new AssertionError("CSI has no " + field.getType() + ": " + path);
        };
    }
}
