package io.csi4j.client.internal.codec;

import com.google.protobuf.Timestamp;
import io.csi4j.client.internal.text.TextSanitizer;
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

/** The checks that a response must pass to be usable. All content that is not checked here is accepted. */
final class AnswerCheck {
    private AnswerCheck() {}

    /** Checks that a required text is present (R22, R37, R57, R93). */
    static String given(String field, String value) {
        if (value.isEmpty()) {
            throw new UnusableAnswerException(field, "is empty");
        }
        return value;
    }

    /** Returns a text for people, cut if it is long. */
    static String text(String text) {
        return text.length() <= TextSanitizer.MAX_CHARS
                ? text
                : text.substring(0, TextSanitizer.MAX_CHARS) + "... (cut; it had " + text.length() + " characters)";
    }

    /** Checks that a size, a number or an offset is not negative (R23). */
    static long notNegative(String field, long number) {
        if (number < 0) {
            throw new UnusableAnswerException(field, "is " + number + ", below 0");
        }
        return number;
    }

    /**
     * Checks that an expanded volume has the required size (R82, R94); the size 0 passes, because it means that the
     * plugin reported no size.
     */
    static long grown(String field, long bytes, long requiredBytes) {
        if (notNegative(field, bytes) > 0 && bytes < requiredBytes) {
            throw new UnusableAnswerException(field, "is " + bytes + ", below the " + requiredBytes + " required");
        }
        return bytes;
    }

    /**
     * Checks that no key of a topology is empty, and that no two of its keys are equal apart from upper and lower case
     * (R24). A topology that breaks this rule could not be compared with others.
     */
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

    /** Reads an optional message. */
    static <A, B> Optional<B> optional(String field, boolean present, A message, Function<A, B> read) {
        return present ? Optional.of(inside(field, message, read)) : Optional.empty();
    }

    /** Reads a nested message; problems are reported with the full path of the field. */
    static <A, B> B inside(String field, A message, Function<A, B> read) {
        try {
            return read.apply(message);
        } catch (UnusableAnswerException unusable) {
            throw unusable.inside(field);
        }
    }

    /** Reads each element of a list, in order. */
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
