package io.csi4j.testkit.internal.store;

import java.util.Collection;
import java.util.function.Function;

/**
 * A secondary key of records.
 *
 * @param name the name of the index, for messages
 * @param values returns the values of a record
 * @param <T> the type of the records
 */
public record Index<T>(String name, Function<T, Collection<String>> values) {}
