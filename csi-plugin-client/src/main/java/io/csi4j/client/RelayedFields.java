package io.csi4j.client;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.core.capability.CapabilityRow;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ControllerCapability;
import java.util.List;
import java.util.stream.Stream;

/** Whether a request in CSI's own form sets the field that a row of R42 is about. */
final class RelayedFields {
    private static final List<Integer> MODES_OF_ONE_NODE =
            List.of(AccessMode.SINGLE_NODE_SINGLE_WRITER.number(), AccessMode.SINGLE_NODE_MULTI_WRITER.number());

    private RelayedFields() {}

    /**
     * Whether the field is set.
     *
     * @throws IllegalArgumentException if the message has no such field
     */
    static boolean sets(CapabilityRow row, Message request) {
        int dot = row.field().indexOf('.');
        if (dot >= 0) {
            String part = row.field().substring(dot + 1);
            return messages(request, row.field().substring(0, dot)).anyMatch(used -> isUsed(used, part));
        }
        if (row.field().equals("volumeContentSource")) {
            String kind = row.capability() == ControllerCapability.CLONE_VOLUME ? "volume" : "snapshot";
            return messages(request, row.field()).anyMatch(source -> source.hasField(field(source, kind)));
        }
        return isSet(request, field(request, row.field()));
    }

    private static boolean isUsed(Message capability, String part) {
        if (part.equals("accessMode")) {
            return messages(capability, part)
                    .map(mode -> (EnumValueDescriptor) mode.getField(field(mode, "mode")))
                    .anyMatch(mode -> MODES_OF_ONE_NODE.contains(mode.getNumber()));
        }
        return messages(capability, "mount").anyMatch(mount -> isSet(mount, field(mount, part)));
    }

    private static boolean isSet(Message message, FieldDescriptor field) {
        if (field.isRepeated()) {
            return message.getRepeatedFieldCount(field) > 0;
        }
        return field.hasPresence()
                ? message.hasField(field)
                : !message.getField(field).equals(field.getDefaultValue());
    }

    /** What a field holds that may be there once, many times, or not at all. */
    private static Stream<Message> messages(Message message, String name) {
        FieldDescriptor field = field(message, name);
        if (field.isRepeated()) {
            return ((List<?>) message.getField(field)).stream().map(Message.class::cast);
        }
        return message.hasField(field) ? Stream.of((Message) message.getField(field)) : Stream.empty();
    }

    /** By the name in JSON, which is as accessors have it. */
    private static FieldDescriptor field(Message message, String accessor) {
        return message.getDescriptorForType().getFields().stream()
                .filter(each -> each.getJsonName().equals(accessor))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "field: " + message.getDescriptorForType().getName() + " has no " + accessor));
    }
}
