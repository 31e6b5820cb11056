package io.csi4j.testkit.internal.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.testkit.fault.FaultAction;
import io.csi4j.testkit.fault.WrongAnswer;
import java.util.List;
import java.util.Map;

/** Turns the right answer of the plugin into a wrong one. */
final class WrongAnswers {
    /** A field number that no message of CSI uses. */
    private static final int UNUSED_FIELD = 4_000;

    /** Bytes that are no valid message: they end a protobuf group that never began. */
    private static final ByteString NO_MESSAGE = ByteString.fromHex("fc010203");

    private WrongAnswers() {}

    static Object of(FaultAction action, Object answer) {
        if (!(answer instanceof Message right)) {
            return answer;
        }
        if (action.kind() == FaultAction.Kind.ANSWER_OVERSIZED) {
            return withUnknownField(right, ByteString.copyFrom(new byte[action.bytes()]));
        }
        return action.wrongAnswer().map(how -> wrong(how, right)).orElse(right);
    }

    private static Object wrong(WrongAnswer how, Message right) {
        return switch (how) {
            case EMPTY -> right.getDefaultInstanceForType();
            case OTHER_IDS, TINY_SIZES -> changed(how, right);
            case UNDECODABLE -> new RawAnswer(NO_MESSAGE);
            case UNKNOWN_FIELDS -> withUnknownField(right, ByteString.copyFromUtf8("a field of a later version"));
        };
    }

    private static Message withUnknownField(Message right, ByteString content) {
        UnknownFieldSet more = UnknownFieldSet.newBuilder(right.getUnknownFields())
                .addField(
                        UNUSED_FIELD,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(content)
                                .build())
                .build();
        return right.toBuilder().setUnknownFields(more).build();
    }

    private static Message changed(WrongAnswer how, Message right) {
        Message.Builder wrong = right.toBuilder();
        for (Map.Entry<FieldDescriptor, Object> entry : right.getAllFields().entrySet()) {
            FieldDescriptor field = entry.getKey();
            if (field.isMapField()) {
                continue;
            }
            if (!field.isRepeated()) {
                wrong.setField(field, changed(how, field, entry.getValue()));
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                List<?> values = (List<?>) entry.getValue();
                for (int i = 0; i < values.size(); i++) {
                    wrong.setRepeatedField(field, i, changed(how, field, values.get(i)));
                }
            }
        }
        return wrong.build();
    }

    private static Object changed(WrongAnswer how, FieldDescriptor field, Object value) {
        if (value instanceof Message message) {
            return changed(how, message);
        }
        if (how == WrongAnswer.OTHER_IDS && field.getName().endsWith("_id")) {
            return "other-than-" + value;
        }
        return how == WrongAnswer.TINY_SIZES && value instanceof Long ? (Object) 1L : value;
    }
}
