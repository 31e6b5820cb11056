package io.csi4j.admin.internal.console;

import java.util.List;

/** Writes a table. On a narrow screen each row becomes a block, in which every cell shows the name of its column. */
final class HtmlTable {
    private final Html html;
    private final List<String> columns;
    private int next;

    HtmlTable(Html html, String caption, String... columns) {
        this.html = html;
        this.columns = List.of(columns);
        html.open("div", "class", "scroll").open("table");
        html.element("caption", caption, "class", "hidden");
        html.open("thead").open("tr");
        for (String column : columns) {
            html.element("th", column, "scope", "col");
        }
        html.close("tr").close("thead").open("tbody");
    }

    HtmlTable row() {
        html.open("tr");
        next = 0;
        return this;
    }

    /** Begins the next cell; the caller writes its content and calls {@link #done}. */
    Html cell() {
        return html.open("td", "data-label", columns.get(next++)).open("div");
    }

    HtmlTable done() {
        html.close("div").close("td");
        return this;
    }

    HtmlTable text(String text) {
        cell().text(text);
        return done();
    }

    HtmlTable number(String text) {
        html.open("td", "data-label", columns.get(next++), "class", "number").element("div", text);
        html.close("td");
        return this;
    }

    HtmlTable endRow() {
        html.close("tr");
        return this;
    }

    void end() {
        html.close("tbody").close("table").close("div");
    }
}
