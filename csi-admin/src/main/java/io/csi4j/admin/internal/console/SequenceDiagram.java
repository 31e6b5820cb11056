package io.csi4j.admin.internal.console;

import io.csi4j.core.call.RpcService;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The events of a volume as a sequence diagram in SVG: the host, the server, the controller of the plugin, and the
 * nodes, with time from top to bottom. A call has two arrows: one at the time when it was sent, and one back at the
 * time when it ended.
 */
final class SequenceDiagram {
    private static final String HOST = "host";
    private static final String SERVER = "server";
    private static final String CONTROLLER = "controller";
    private static final int TIME = 104;
    private static final int COLUMN = 260;
    private static final int HEAD = 44;
    private static final int ROW = 34;
    private static final int LETTERS = 38;

    private final Map<String, Integer> columns = new LinkedHashMap<>();
    private final List<Message> messages;
    private final Html html;

    /** An arrow between two columns of the diagram, or a note if {@code from} and {@code to} are the same column. */
    private record Message(Instant at, String from, String to, String text, boolean answer, boolean failed) {}

    private SequenceDiagram(List<HistoryEvent> events, Html html) {
        this.html = html;
        this.messages = events.stream()
                .flatMap(SequenceDiagram::messages)
                .sorted(Comparator.comparing(Message::at))
                .toList();
        column(HOST);
        column(SERVER);
        messages.stream()
                .flatMap(message -> Stream.of(message.from(), message.to()))
                .forEach(this::column);
    }

    /** Writes the diagram of events. */
    static void write(List<HistoryEvent> events, Html html) {
        new SequenceDiagram(events, html).write();
    }

    private void column(String name) {
        columns.computeIfAbsent(name, key -> TIME + columns.size() * COLUMN + COLUMN / 2);
    }

    private static Stream<Message> messages(HistoryEvent event) {
        Optional<HistoryEvent.Call> call = event.call();
        if (call.isPresent()) {
            HistoryEvent.Call made = call.get();
            String callee = made.service() == RpcService.NODE ? "plugin on " + made.node() : CONTROLLER;
            String end = made.code() + ", " + Words.duration(made.duration());
            return Stream.of(
                    new Message(event.at().minus(made.duration()), SERVER, callee, made.rpc(), false, false),
                    new Message(event.at(), callee, SERVER, end, true, event.failed()));
        }
        return Stream.of(
                switch (event.kind()) {
                    case FROM_HOST -> new Message(event.at(), HOST, SERVER, event.text(), false, event.failed());
                    case TO_HOST -> new Message(event.at(), SERVER, HOST, event.text(), true, event.failed());
                    case STATE, CALL -> new Message(event.at(), SERVER, SERVER, event.text(), false, event.failed());
                });
    }

    private void write() {
        int width = TIME + columns.size() * COLUMN;
        int height = HEAD + messages.size() * ROW + 12;
        html.open(
                "svg",
                "class",
                "sequence",
                "viewBox",
                "0 0 " + width + " " + height,
                "width",
                "" + width,
                "height",
                "" + height,
                "role",
                "img",
                "aria-labelledby",
                "sequence-title");
        html.element(
                "title",
                "Sequence of the last events of the volume; the table below has the same events",
                "id",
                "sequence-title");
        columns.forEach((name, x) -> head(name, x, height));
        List<Message> rows = new ArrayList<>(messages);
        for (int i = 0; i < rows.size(); i++) {
            message(rows.get(i), HEAD + i * ROW + ROW / 2 + 8);
        }
        html.close("svg");
    }

    private void head(String name, int x, int height) {
        line("life", x, HEAD - 8, x, height);
        html.open("rect", "class", "head", "x", "" + (x - 90), "y", "6", "width", "180", "height", "28", "rx", "6")
                .close("rect");
        text("head-text", x, 25, "middle", name);
    }

    private void message(Message message, int y) {
        text("at", 0, y + 4, "start", Words.clock(message.at()));
        int from = x(message.from());
        int to = x(message.to());
        String failed = message.failed() ? " failed" : "";
        if (from == to) {
            html.open(
                            "rect",
                            "class",
                            "note" + failed,
                            "x",
                            "" + (from - COLUMN / 2 + 8),
                            "y",
                            "" + (y - 13),
                            "width",
                            "" + (COLUMN - 16),
                            "height",
                            "24",
                            "rx",
                            "4")
                    .close("rect");
            text("note-text" + failed, from, y + 4, "middle", message.text());
            return;
        }
        int tip = to > from ? to - 2 : to + 2;
        int back = to > from ? tip - 8 : tip + 8;
        line((message.answer() ? "arrow answer" : "arrow") + failed, from, y + 5, tip, y + 5);
        html.open(
                        "polygon",
                        "class",
                        "tip" + failed,
                        "points",
                        tip + "," + (y + 5) + " " + back + "," + (y + 1) + " " + back + "," + (y + 9))
                .close("polygon");
        int first = Math.min(from, to);
        text("label" + failed, first + COLUMN / 2, y, "middle", message.text());
    }

    private int x(String column) {
        return columns.getOrDefault(column, 0);
    }

    private void line(String type, int x1, int y1, int x2, int y2) {
        html.open("line", "class", type, "x1", "" + x1, "y1", "" + y1, "x2", "" + x2, "y2", "" + y2)
                .close("line");
    }

    /** Writes a text. A long text is cut, and the whole text appears when the pointer is over it. */
    private void text(String type, int x, int y, String anchor, String text) {
        html.open("text", "class", type, "x", "" + x, "y", "" + y, "text-anchor", anchor);
        if (text.codePointCount(0, text.length()) > LETTERS) {
            html.element("title", text).text(text.substring(0, text.offsetByCodePoints(0, LETTERS - 1)) + "…");
        } else {
            html.text(text);
        }
        html.close("text");
    }
}
