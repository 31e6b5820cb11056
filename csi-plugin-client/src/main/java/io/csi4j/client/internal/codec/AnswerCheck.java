package io.csi4j.client.internal.codec;

import com.google.protobuf.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** What an answer must hold to be of any use. Everything else that a plugin may answer is taken as it is. */
final class AnswerCheck {
    private AnswerCheck() {}

    /** R22, R37, R57, R93: a required text is there. */
    static String given(String field, String value) {
        if (value.isEmpty()) {
            throw new UnusableAnswerException(field, "is empty");
        }
        return value;
    }

    /** R23: sizes, counts and offsets. */
    static long notNegative(String field, long number) {
        if (number < 0) {
            throw new UnusableAnswerException(field, "is " + number + ", below 0");
        }
        return number;
    }

    /** R82, R94: what was grown has the size that was required; 0 tells nothing. */
    static long grown(String field, long bytes, long requiredBytes) {
        if (notNegative(field, bytes) > 0 && bytes < requiredBytes) {
            throw new UnusableAnswerException(field, "is " + bytes + ", below the " + requiredBytes + " required");
        }
        return bytes;
    }

    /** R24: no key is empty, and no two are the same but for case; such a place could be compared with no other. */
    static Map<String, String> segments(Map<String, String> segments) {
        Set<String> keys = new HashSet<>();
        for (String key : segments.keySet()) {
            if (key.isEmpty()) {
                throw new UnusableAnswerException("segments", "has an empty key");
            }
            if (!keys.add(key.toLowerCase(Locale.ROOT))) {
                throw new UnusableAnswerException("segments", "has a key twice but for case");
            }
        }
        return segments;
    }

    static Instant instant(String field, Timestamp timestamp) {
        try {
            return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
        } catch (DateTimeException | ArithmeticException unusable) {
            throw new UnusableAnswerException(
                    field, "is no time: " + timestamp.getSeconds() + " s and " + timestamp.getNanos() + " ns");
        }
    }

    /** Reads a required message. */
    static <A, B> B message(String field, boolean present, A message, Function<A, B> read) {
        if (!present) {
            throw new UnusableAnswerException(field, "is missing");
        }
        return inside(field, message, read);
    }

    /** Reads a message that may be missing. */
    static <A, B> Optional<B> optional(String field, boolean present, A message, Function<A, B> read) {
        return present ? Optional.of(inside(field, message, read)) : Optional.empty();
    }

    /** Reads a message whose defects are told as seen from the outside. */
    static <A, B> B inside(String field, A message, Function<A, B> read) {
        try {
            return read.apply(message);
        } catch (UnusableAnswerException unusable) {
            throw unusable.inside(field);
        }
    }

    /** Reads each element, in order. */
    static <A, B> List<B> each(String field, List<A> elements, Function<A, B> read) {
        List<B> values = new ArrayList<>(elements.size());
        for (A element : elements) {
            try {
                values.add(read.apply(element));
            } catch (UnusableAnswerException unusable) {
                throw unusable.inside(field + "[" + values.size() + "]");
            }
        }
        return values;
    }
}
