package io.csi4j.client.internal.log;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.csi4j.client.internal.text.SecretOption;
import io.csi4j.client.internal.text.SensitiveValues;
import io.csi4j.core.internal.text.Text;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Formats a message as one line for people. The protobuf annotations of the fields decide which values are hidden, so
 * that a new field needs no change here. Each instance is used for one message and by one thread.
 */
public final class RedactedMessage {
    private final StringBuilder out = new StringBuilder();
    private final Set<String> visibleKeys;
    private final SensitiveValues inNames;
    private final SensitiveValues inTexts;

    /**
     * Creates the formatter of one line, which is empty at first.
     *
     * @param visibleKeys keys whose values are shown
     * @param inNames the values to remove from ids, names and paths
     * @param inTexts the values to remove from all other texts
     */
    public RedactedMessage(Set<String> visibleKeys, SensitiveValues inNames, SensitiveValues inTexts) {
        this.visibleKeys = visibleKeys;
        this.inNames = inNames;
        this.inTexts = inTexts;
    }

    public String of(Message message) {
        message(message);
        if (!full()) {
            return out.toString();
        }
        int end = RequestLines.MAX_LINE;
        return out.substring(0, Character.isHighSurrogate(out.charAt(end - 1)) ? end - 1 : end) + "... (cut)";
    }

    private boolean full() {
        return out.length() > RequestLines.MAX_LINE;
    }

    private void message(Message message) {
        String before = "{";
        for (var each : message.getAllFields().entrySet()) {
            out.append(before).append(each.getKey().getJsonName()).append(": ");
            field(each.getKey(), each.getValue());
            before = ", ";
        }
        Set<Integer> unknown = message.getUnknownFields().asMap().keySet();
        if (!unknown.isEmpty()) {
            // Shows only that there are fields of a newer CSI version, but not their content, which may be sensitive.
            out.append(before).append("unknown fields: ");
            elements(List.copyOf(unknown), out::append);
            before = ", ";
        }
        out.append(before.equals("{") ? "{}" : "}");
    }

    private void field(FieldDescriptor field, Object value) {
        if (SecretOption.isSet(field)) {
            out.append(SensitiveValues.HIDDEN);
        } else if (field.getName().equals("mount_flags")) {
            out.append(((List<?>) value).size()).append(' ').append(SensitiveValues.HIDDEN);
        } else if (field.isMapField()) {
            elements((List<?>) value, entry -> entry(field, (MapEntry<?, ?>) entry));
        } else if (field.isRepeated()) {
            elements((List<?>) value, element -> single(field, element));
        } else {
            single(field, value);
        }
    }

    private <T> void elements(List<T> list, Consumer<? super T> element) {
        out.append('[');
        int displayed = 0;
        for (T each : list) {
            if (displayed == RequestLines.MAX_ELEMENTS || full()) {
                out.append(", and ").append(list.size() - displayed).append(" more");
                break;
            }
            out.append(displayed == 0 ? "" : ", ");
            element.accept(each);
            displayed++;
        }
        out.append(']');
    }

    private void entry(FieldDescriptor field, MapEntry<?, ?> entry) {
        String key = String.valueOf(entry.getKey());
        text(key, inNames);
        out.append(": ");
        if (field.getName().equals("segments") || visibleKeys.contains(key)) {
            text(String.valueOf(entry.getValue()), inNames);
        } else {
            out.append(SensitiveValues.HIDDEN);
        }
    }

    private void single(FieldDescriptor field, Object value) {
        switch (field.getJavaType()) {
            case MESSAGE -> message((Message) value);
            case ENUM -> {
                EnumValueDescriptor known = (EnumValueDescriptor) value;
                // Shows the number of an enum value that this version does not know; protobuf gives such a value a
                // negative index.
                out.append(known.getIndex() < 0 ? String.valueOf(known.getNumber()) : known.getName());
            }
            case STRING -> text((String) value, isIdNameOrPath(field) ? inNames : inTexts);
            case BYTE_STRING -> out.append(SensitiveValues.HIDDEN);
            case INT, LONG, FLOAT, DOUBLE, BOOLEAN -> out.append(value);
        }
    }

    /**
     * Returns whether the field is an id, a name or a path. A context often repeats the value of such a field. The log
     * still shows the value in the field itself.
     */
    private static boolean isIdNameOrPath(FieldDescriptor field) {
        String name = field.getName();
        return name.equals("name") || name.endsWith("_id") || name.endsWith("_ids") || name.endsWith("_path");
    }

    private void text(String value, SensitiveValues hidden) {
        out.append('"').append(cut(value, hidden)).append('"');
        if (value.length() > RequestLines.MAX_CHARS) {
            out.append(" (cut; ").append(value.length()).append(" characters)");
        }
    }

    /** Returns the beginning of a text, on one line and without sensitive values. */
    private static String cut(String value, SensitiveValues hidden) {
        if (value.length() <= RequestLines.MAX_CHARS) {
            return Text.printable(hidden.scrub(value));
        }
        String start = value.substring(0, Math.min(value.length(), RequestLines.MAX_CHARS + hidden.longest()));
        return Text.printable(hidden.scrub(start, RequestLines.MAX_CHARS));
    }
}
