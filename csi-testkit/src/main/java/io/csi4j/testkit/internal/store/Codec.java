package io.csi4j.testkit.internal.store;

import java.util.function.Function;

/**
 * How a record is written down and read back.
 *
 * @param kind a word in the first line of the file, so that a record in the wrong place is noticed
 * @param key of a record in its table
 * @param encode from the record
 * @param decode to the record; throws {@link RecordFields.Unreadable} when something is missing or malformed
 * @param <T> the records' type
 */
public record Codec<T>(
        String kind, Function<T, String> key, Function<T, RecordFields> encode, Function<RecordFields, T> decode) {}
