package io.csi4j.proto;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares two sets of rows, both ways. */
final class WireComparison {
    private WireComparison() {}

    /** A line for each row that is missing, extra, given twice or different; empty if the two are the same. */
    static List<String> differences(Collection<WireRow> published, Collection<WireRow> compiled) {
        List<String> differences = new ArrayList<>();
        Map<String, WireRow> here = byKey("compiled", compiled, differences);
        Map<String, WireRow> there = byKey("published", published, differences);
        there.forEach((key, row) -> {
            WireRow found = here.get(key);
            if (found == null) {
                differences.add("missing: " + row);
            } else if (!found.equals(row)) {
                differences.add("different: published " + row + ", compiled " + found);
            }
        });
        here.forEach((key, row) -> {
            if (!there.containsKey(key)) {
                differences.add("extra: " + row);
            }
        });
        return differences;
    }

    private static Map<String, WireRow> byKey(String side, Collection<WireRow> rows, List<String> differences) {
        Map<String, WireRow> byKey = new LinkedHashMap<>();
        for (WireRow row : rows) {
            if (byKey.put(row.key(), row) != null) {
                differences.add("twice " + side + ": " + row.key());
            }
        }
        return byKey;
    }
}
