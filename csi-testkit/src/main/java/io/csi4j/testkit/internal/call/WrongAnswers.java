package io.csi4j.testkit.internal.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.testkit.fault.FaultAction;
import io.csi4j.testkit.fault.WrongAnswer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Turns the right answer of the plugin into a wrong one. */
final class WrongAnswers {
    /** A field number that no message of CSI uses. */
    private static final int UNUSED_FIELD = 4_000;

    /** Bytes that are no valid message: they end a protobuf group that never began. */
    private static final ByteString NO_MESSAGE = ByteString.fromHex("fc010203");

    private static final String LARGE_KEY = "csi4j-large";
    private static final int LARGE_CONTEXT = 5 << 10;
    private static final int LARGE_TOPOLOGY = 5 << 20;
    private static final int LONG_ID = 2 << 10;
    private static final int LONG_TEXT = 1 << 20;
    private static final AtomicLong TOKENS = new AtomicLong();

    private WrongAnswers() {}

    /** Returns the request that the plugin handles: for a list whose tokens are wrong, that of the first page. */
    static Message request(Optional<WrongAnswer> how, Message request) {
        FieldDescriptor token = request.getDescriptorForType().findFieldByName("starting_token");
        boolean first = how.filter(one -> one == WrongAnswer.SAME_TOKEN || one == WrongAnswer.NEW_TOKENS)
                .isPresent();
        return token == null || !first
                ? request
                : request.toBuilder().clearField(token).build();
    }

    /** Returns the message without ranges that a stream repeats for ever. */
    static Message withoutRanges(Message message) {
        FieldDescriptor ranges = message.getDescriptorForType().findFieldByName("block_metadata");
        return ranges == null ? message : message.toBuilder().clearField(ranges).build();
    }

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
            case ONE_BYTE_MORE, ONE_BYTE_LESS, UNKNOWN_SIZE, LARGEST_SIZE -> changed(how, right);
            // The service has made the volume elsewhere, so its answer is the wrong one already.
            case OTHER_PLACE -> right;
            case UNDECODABLE -> new RawAnswer(NO_MESSAGE);
            case UNKNOWN_FIELDS -> withUnknownField(right, ByteString.copyFromUtf8("a field of a later version"));
            case LONG_IDS, LONG_TEXTS -> changed(how, right);
            case LARGE_CONTEXTS, LARGE_TOPOLOGY -> large(how, right);
            case SAME_TOKEN -> withToken(right, "same");
            case NEW_TOKENS -> withToken(right, "new-" + TOKENS.incrementAndGet());
            case ENDLESS_STREAM -> right;
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

    private static Message withToken(Message right, String token) {
        FieldDescriptor next = right.getDescriptorForType().findFieldByName("next_token");
        return next == null ? right : right.toBuilder().setField(next, token).build();
    }

    /** Adds a large entry to each context or topology of a message, also to those that are empty. */
    private static Message large(WrongAnswer how, Message right) {
        Message.Builder wrong = right.toBuilder();
        for (FieldDescriptor field : right.getDescriptorForType().getFields()) {
            boolean wanted = how == WrongAnswer.LARGE_CONTEXTS
                    ? field.getName().endsWith("_context")
                    : field.getName().equals("segments");
            if (field.isMapField()) {
                if (wanted) {
                    int bytes = how == WrongAnswer.LARGE_CONTEXTS ? LARGE_CONTEXT : LARGE_TOPOLOGY;
                    Message.Builder entry = wrong.newBuilderForField(field);
                    FieldDescriptor key = entry.getDescriptorForType().findFieldByNumber(1);
                    FieldDescriptor value = entry.getDescriptorForType().findFieldByNumber(2);
                    wrong.addRepeatedField(
                            field,
                            entry.setField(key, LARGE_KEY)
                                    .setField(value, "x".repeat(bytes))
                                    .build());
                }
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && field.isRepeated()) {
                for (int i = 0; i < right.getRepeatedFieldCount(field); i++) {
                    wrong.setRepeatedField(field, i, large(how, (Message) right.getRepeatedField(field, i)));
                }
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && (right.hasField(field) || isTopologyOfNode(how, field))) {
                wrong.setField(field, large(how, (Message) right.getField(field)));
            }
        }
        return wrong.build();
    }

    private static boolean isTopologyOfNode(WrongAnswer how, FieldDescriptor field) {
        return how == WrongAnswer.LARGE_TOPOLOGY
                && field.getFullName().equals("csi.v1.NodeGetInfoResponse.accessible_topology");
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

    private static long capacity(WrongAnswer how, long right) {
        return switch (how) {
            case TINY_SIZES -> 1;
            case ONE_BYTE_MORE -> right + 1;
            case ONE_BYTE_LESS -> right - 1;
            case UNKNOWN_SIZE -> 0;
            case LARGEST_SIZE -> Long.MAX_VALUE;
            default -> right;
        };
    }

    private static Object changed(WrongAnswer how, FieldDescriptor field, Object value) {
        if (value instanceof Message message) {
            return changed(how, message);
        }
        if (how == WrongAnswer.OTHER_IDS && field.getName().endsWith("_id")) {
            return "other-than-" + value;
        }
        if (how == WrongAnswer.LONG_IDS && field.getName().endsWith("_id")) {
            return value + "x".repeat(LONG_ID);
        }
        if (how == WrongAnswer.LONG_TEXTS && field.getName().equals("message")) {
            return value + "x".repeat(LONG_TEXT);
        }
        if (field.getName().equals("capacity_bytes")) {
            return capacity(how, (Long) value);
        }
        return how == WrongAnswer.TINY_SIZES && value instanceof Long ? (Object) 1L : value;
    }
}
