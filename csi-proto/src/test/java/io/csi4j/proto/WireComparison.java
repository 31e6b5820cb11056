package io.csi4j.proto;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares two collections of rows in both directions. */
final class WireComparison {
    private WireComparison() {}

    /**
     * Returns a line for each row that is missing, extra, duplicate or different; empty if both have the same rows.
     */
    static List<String> differences(Collection<WireRow> published, Collection<WireRow> compiled) {
        List<String> differences = new ArrayList<>();
        Map<String, WireRow> compiledByKey = byKey("compiled", compiled, differences);
        Map<String, WireRow> publishedByKey = byKey("published", published, differences);
        publishedByKey.forEach((key, row) -> {
            WireRow found = compiledByKey.get(key);
            if (found == null) {
                differences.add("missing: " + row);
            } else if (!found.equals(row)) {
                differences.add("different: published " + row + ", compiled " + found);
            }
        });
        compiledByKey.forEach((key, row) -> {
            if (!publishedByKey.containsKey(key)) {
                differences.add("extra: " + row);
            }
        });
        return differences;
    }

    private static Map<String, WireRow> byKey(String side, Collection<WireRow> rows, List<String> differences) {
        Map<String, WireRow> byKey = new LinkedHashMap<>();
        for (WireRow row : rows) {
            if (byKey.put(row.key(), row) != null) {
                differences.add("duplicate in " + side + ": " + row.key());
            }
        }
        return byKey;
    }
}
