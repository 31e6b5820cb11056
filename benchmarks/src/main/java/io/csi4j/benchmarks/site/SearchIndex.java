package io.csi4j.benchmarks.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The sections of all pages and the names of all types, as a script: a page without a server can load a script only. */
final class SearchIndex {
    private SearchIndex() {}

    static String script(List<Page> pages, Map<String, String> types) {
        List<String> entries = new ArrayList<>();
        for (Page page : pages) {
            for (Page.Section section : page.sections()) {
                entries.add(entry(
                        page.address() + (section.level() == 1 ? "" : "#" + section.anchor()),
                        section.level() == 1 ? page.title() : page.title() + " \u203a " + section.heading(),
                        section.text()));
            }
        }
        types.forEach((name, address) -> entries.add(entry(address, name, address.replaceFirst("^javadoc/", ""))));
        return entries.stream().collect(Collectors.joining(",\n", "window.searchIndex = [\n", "\n];\n"));
    }

    private static String entry(String address, String title, String text) {
        return "[" + quoted(address) + "," + quoted(title) + "," + quoted(text) + "]";
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + "\"";
    }
}
