package io.csi4j.shell;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints answers: for people as tables and lines, or as JSON. */
final class Output {
    private static final Set<String> NO_NEWS = Set.of(
            "id",
            "command",
            "caller",
            "object",
            "started",
            "ended",
            "result",
            "type",
            "title",
            "status",
            "retryable",
            "dryRun");
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final Terminal terminal;
    private final Cells cells;
    private final Clock clock;
    private final boolean json;
    /** The last answer of a watched command; null before the first. */
    private @Nullable Object shown;

    Output(ShellContext context, GlobalOptions options) {
        this.terminal = context.terminal();
        this.json = options.json;
        this.clock = context.clock();
        this.cells = new Cells(context.clock(), terminal.colors() && !options.noColor && !json);
    }

    boolean json() {
        return json;
    }

    /** Returns whether an answer of a watched command takes the place of the one before. */
    boolean redraws() {
        return terminal.outIsTerminal() && !json;
    }

    /** Returns whether the reader of the output has gone. */
    boolean isClosed() {
        return terminal.out().checkError() || Thread.currentThread().isInterrupted();
    }

    /** Prints the line before an answer of a watched command. */
    private void begin(String title) {
        String now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        terminal.out().print(redraws() ? CLEAR + cells.bold(title) + "  " + now + "\n\n" : now + "\n");
    }

    /** Prints an object of a watched command, if it is another one than before. */
    void watched(String title, List<ApiField> shape, JsonElement value) {
        JsonElement news = Ages.without(value);
        if (news.equals(shown)) {
            return;
        }
        shown = news;
        if (!json) {
            begin(title);
        }
        object(shape, value);
    }

    /** Prints what an answer lacks. */
    void lacks(String text) {
        terminal.out().flush();
        terminal.note("csi: not all is shown: " + text);
    }

    /** Prints the object that one of several servers has answered. */
    void ofServer(String server, List<ApiField> shape, JsonElement value) {
        terminal.out().println(cells.bold(Text.safe(server)));
        object(shape, value);
        terminal.out().println();
    }

    /** Prints the failure of one of several servers. */
    void ofServer(String server, String failure) {
        terminal.out().println(cells.bold(Text.safe(server)));
        terminal.out().println(failure + "\n");
        terminal.out().flush();
    }

    /** Prints an object. */
    void object(List<ApiField> shape, JsonElement value) {
        if (json || !(value instanceof JsonObject object)) {
            terminal.out().println(JsonInput.text(value));
        } else {
            terminal.out().print(new ObjectView(terminal.columns(), cells).lines(shape, object));
        }
        terminal.out().flush();
    }

    /** Prints an event as a line. */
    void event(JsonObject event) {
        terminal.out().println(json ? JsonInput.text(event) : line(event));
        terminal.out().flush();
    }

    /** Returns the news of an event in one line. */
    static String line(JsonObject event) {
        List<String> news = new ArrayList<>();
        append(news, event);
        return Text.safe(String.join("  ", news));
    }

    private static void append(List<String> news, JsonObject object) {
        object.entrySet().forEach(entry -> {
            String name = entry.getKey();
            JsonElement value = entry.getValue();
            if (NO_NEWS.contains(name)) {
                return;
            }
            if (value instanceof JsonObject inner) {
                append(news, inner);
            } else if (value instanceof JsonArray array) {
                array.asList().stream()
                        .filter(JsonElement::isJsonPrimitive)
                        .forEach(element -> news.add(element.getAsString()));
            } else if (value.isJsonPrimitive()) {
                String text = value.getAsString();
                boolean alone = name.equals("state") || name.equals("detail");
                if (!text.isEmpty() && !text.equals("0")) {
                    news.add(alone ? text : Text.words(name) + " " + text);
                }
            }
        });
    }

    /** Begins a list. */
    Rows rows(List<ApiField> shape) {
        return json ? new JsonRows() : new TableRows(new Table(shape, terminal.columns(), cells));
    }

    /** Begins a list of a watched command: it is printed at its end, if it is another one than before. */
    Rows watchedRows(String title, List<ApiField> shape) {
        return json ? new JsonRows() : new WatchedRows(title, shape);
    }

    /** The rows of a list, as they come. */
    interface Rows {
        /** Takes the index of a page; that of the first one counts. */
        void index(JsonElement value);

        void add(List<JsonObject> rows);

        /**
         * Ends the list.
         *
         * @param more whether the list has more rows
         */
        void end(boolean more);
    }

    private final class TableRows implements Rows {
        private final Table table;
        private boolean empty = true;

        TableRows(Table table) {
            this.table = table;
        }

        @Override
        public void index(JsonElement value) {
            // Only programs need it.
        }

        @Override
        public void add(List<JsonObject> rows) {
            if (!rows.isEmpty()) {
                empty = false;
                terminal.out().print(table.lines(rows));
                terminal.out().flush();
            }
        }

        @Override
        public void end(boolean more) {
            if (empty) {
                terminal.out().println("none");
            } else if (more) {
                terminal.note("There are more.");
            }
            terminal.out().flush();
        }
    }

    private final class WatchedRows implements Rows {
        private final String title;
        private final List<ApiField> shape;
        private final List<JsonObject> all = new ArrayList<>();

        WatchedRows(String title, List<ApiField> shape) {
            this.title = title;
            this.shape = shape;
        }

        @Override
        public void index(JsonElement value) {
            // Only programs need it.
        }

        @Override
        public void add(List<JsonObject> rows) {
            all.addAll(rows);
        }

        @Override
        public void end(boolean more) {
            List<Object> now = List.of(all.stream().map(Ages::without).toList(), more);
            if (!now.equals(shown)) {
                shown = now;
                begin(title);
                Rows rows = rows(shape);
                rows.add(all);
                rows.end(more);
            }
        }
    }

    /** All pages as one. */
    private final class JsonRows implements Rows {
        private boolean begun;
        private String separator = "\n";

        @Override
        public void index(JsonElement value) {
            if (!begun) {
                begun = true;
                terminal.out().print("{\"index\":" + JsonInput.text(value) + ",\"items\":[");
            }
        }

        @Override
        public void add(List<JsonObject> rows) {
            if (!begun) {
                begun = true;
                terminal.out().print("{\"items\":[");
            }
            for (JsonObject row : rows) {
                terminal.out().print(separator + JsonInput.text(row));
                separator = ",\n";
            }
        }

        @Override
        public void end(boolean more) {
            if (!begun) {
                terminal.out().print("{\"items\":[");
            }
            terminal.out().println("\n]}");
            terminal.out().flush();
        }
    }

    /** Prints the progress of an operation for the person: on a terminal in one line that changes. */
    void progress(String text, boolean last) {
        if (terminal.inIsTerminal()) {
            terminal.err()
                    .print("\r\u001b[K" + Text.cut(text, Math.max(10, Math.min(terminal.columns(), 200) - 1))
                            + (last ? "\n" : ""));
            terminal.err().flush();
        } else {
            terminal.note(text);
        }
    }
}
