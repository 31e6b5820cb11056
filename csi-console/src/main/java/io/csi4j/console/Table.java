package io.csi4j.console;

import java.util.List;

/** Writes a table. On a narrow screen each row becomes a block, in which every cell shows the name of its column. */
final class Table {
    private final Html html;
    private final List<String> columns;
    private int next;

    Table(Html html, String caption, String... columns) {
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

    Table row() {
        html.open("tr");
        next = 0;
        return this;
    }

    /** Begins the next cell; the caller writes its content and calls {@link #done}. */
    Html cell() {
        return html.open("td", "data-label", columns.get(next++)).open("div");
    }

    Table done() {
        html.close("div").close("td");
        return this;
    }

    Table text(String text) {
        cell().text(text);
        return done();
    }

    Table number(String text) {
        html.open("td", "data-label", columns.get(next++), "class", "number").element("div", text);
        html.close("td");
        return this;
    }

    Table endRow() {
        html.close("tr");
        return this;
    }

    void end() {
        html.close("tbody").close("table").close("div");
    }
}
