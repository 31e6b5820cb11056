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
 * Messages with every field set, made from their descriptors alone, so that no field can be forgotten.
 * What a field holds follows from where it is: the text at {@code volume.volume_id} is
 * "volume.volume_id". A value in the wrong place is therefore seen as such.
 *
 * <p>Where only one of several fields can be set, the variant and the index decide which.
 */
final class Filled {
    private final int variant;

    private Filled(int variant) {
        this.variant = variant;
    }

    /** The message of CSI with the given name, with every field set. */
    static Message message(String name, int variant) {
        return new Filled(variant).message("", 0, descriptor(name));
    }

    static Descriptor descriptor(String name) {
        return CsiProto.getDescriptor().findMessageTypeByName(name);
    }

    /** The text at a path. */
    static String text(String path) {
        return path.endsWith("_path") ? "/" + path : path;
    }

    /** The number at a path; what is a limit, or the size that there is, is above what is required. */
    static long number(String path) {
        return 1L
                + (path.hashCode() & 0xffff)
                + (path.endsWith("limit_bytes") || path.endsWith("capacity_bytes") ? 0x10000 : 0);
    }

    /** The enum number at a path: not 0, and another one for each of two neighbours. */
    static int enumNumber(String path, int index, int values) {
        int named = Math.max(values - 1, 2);
        return 1 + ((path.replaceAll("\\[\\d+]", "").hashCode() & 0xff) + index) % named;
    }

    static Map<String, String> map(String path) {
        // The keys and values of topologies are held to a rule in requests (R24).
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
            // A preferred topology has to be among the requisite ones.
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
            // What wraps a boolean says no: where it says nothing, yes is meant.
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
