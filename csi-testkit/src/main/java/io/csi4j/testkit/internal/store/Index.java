package io.csi4j.testkit.internal.store;

import java.util.Collection;
import java.util.function.Function;

/**
 * A second way to find records.
 *
 * @param name of the index, for messages
 * @param values under which a record can be found
 * @param <T> the records' type
 */
public record Index<T>(String name, Function<T, Collection<String>> values) {}
