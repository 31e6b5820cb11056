package io.csi4j.testkit.internal.store;

import java.util.function.Function;

/**
 * Encodes and decodes the records of a table.
 *
 * @param kind a word in the first line of the file, which detects a record in the wrong directory
 * @param key returns the key of a record
 * @param encode encodes a record
 * @param decode decodes a record; throws {@link RecordFields.Unreadable} if a field is missing or malformed
 * @param <T> the type of the records
 */
public record Codec<T>(
        String kind, Function<T, String> key, Function<T, RecordFields> encode, Function<RecordFields, T> decode) {}
