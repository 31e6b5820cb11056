package io.csi4j.benchmarks.site;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts the content of a page between the navigation and the search. */
final class Layout {
    private static final List<String> GROUPS = List.of("Start", "Guides", "Reference", "Modules", "Project");

    private final Map<String, List<Page>> groups = new LinkedHashMap<>();
    private final boolean withJavadoc;

    Layout(List<Page> pages, boolean withJavadoc) {
        this.withJavadoc = withJavadoc;
        GROUPS.forEach(group -> groups.put(group, new ArrayList<>()));
        for (Page page : pages) {
            List<Page> group = groups.get(group(page.address()));
            if (group != null && page.source().toString().endsWith(".md")) {
                group.add(page);
            }
        }
    }

    /** Returns the group of the navigation for a page; empty for pages that other pages lead to. */
    private static String group(String address) {
        if (address.equals("index.html")) {
            return "Start";
        }
        if (address.startsWith("docs/guide/")) {
            return "Guides";
        }
        if (address.equals("docs/decisions/README.html") || !address.contains("/")) {
            return "Project";
        }
        if (address.startsWith("docs/")) {
            return address.indexOf('/', 5) < 0 ? "Reference" : "";
        }
        return address.endsWith("README.html") ? "Modules" : "";
    }

    String html(Page page) {
        String root = page.toRoot();
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>%s</title>
                <link rel="stylesheet" href="%ssite.css">
                </head>
                <body data-root="%s">
                <a class="skip" href="#content">Skip to the content</a>
                <header>
                <a class="name" href="%sindex.html">csi4j</a>
                <search><input id="query" type="search" placeholder="Search pages and types" aria-label="Search pages and types" autocomplete="off"></search>
                </header>
                <div id="found" hidden></div>
                <div class="columns">
                <details class="navigation" open><summary>All pages</summary>
                <nav aria-label="All pages">
                %s</nav></details>
                <main id="content">
                %s</main>
                %s</div>
                <script src="%ssite.js"></script>
                %s</body>
                </html>
                """.formatted(
                        title(page),
                        root,
                        root,
                        root,
                        navigation(page),
                        page.html(),
                        contents(page),
                        root,
                        page.html().contains("class=\"mermaid\"")
                                ? "<script src=\"" + root + "mermaid.min.js\"></script>\n<script src=\"" + root
                                        + "pictures.js\"></script>\n"
                                : "");
    }

    private static String title(Page page) {
        return page.title().equals("csi4j") ? "csi4j" : escape(page.title()) + " - csi4j";
    }

    private String navigation(Page page) {
        StringBuilder html = new StringBuilder();
        groups.forEach((group, pages) -> {
            html.append("<h2>").append(group).append("</h2>\n<ul>\n");
            for (Page each : pages) {
                html.append(item(
                        page.toRoot() + each.address(),
                        each.title(),
                        each.address().equals(page.address())));
            }
            if (group.equals("Start") && withJavadoc) {
                html.append(item(page.toRoot() + "javadoc/index.html", "Javadoc of all modules", false));
            }
            html.append("</ul>\n");
        });
        return html.toString();
    }

    private static String item(String address, String title, boolean here) {
        return "<li><a href=\"" + address + "\"" + (here ? " aria-current=\"page\"" : "") + ">" + escape(title)
                + "</a></li>\n";
    }

    /** Returns the headings of a page, if it has several. */
    private static String contents(Page page) {
        List<Page.Section> headings =
                page.sections().stream().filter(section -> section.level() == 2).toList();
        if (headings.size() < 2) {
            return "";
        }
        StringBuilder html = new StringBuilder("<aside><h2>On this page</h2>\n<ul>\n");
        headings.forEach(each -> html.append(item("#" + each.anchor(), each.heading(), false)));
        return html.append("</ul></aside>\n").toString();
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
