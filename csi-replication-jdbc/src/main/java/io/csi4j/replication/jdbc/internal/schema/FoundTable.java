package io.csi4j.replication.jdbc.internal.schema;

import java.util.Map;
import java.util.Set;

/**
 * A table as the database has it.
 *
 * @param columns each column with its type, in lower case
 * @param keys the sets of columns whose values no two rows share
 */
record FoundTable(Map<String, String> columns, Set<Set<String>> keys) {}
