package io.csi4j.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints a history as a table. */
final class HistoryTable {
    private static final List<String> HEAD =
            List.of("#", "start", "took", "call", "volume", "node", "outcome", "fault");

    private HistoryTable() {}

    static String of(CallHistory history) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        history.calls().forEach(call -> rows.add(row(call)));
        int[] widths = new int[HEAD.size()];
        rows.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder();
        if (history.dropped() > 0) {
            text.append("(").append(history.dropped()).append(" earlier calls are not kept)\n");
        }
        rows.forEach(row -> line(text, row, widths));
        if (history.calls().isEmpty()) {
            text.append("(no calls)\n");
        }
        return text.toString();
    }

    private static void line(StringBuilder text, List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }

    private static List<String> row(CallRecord call) {
        return List.of(
                Long.toString(call.number()),
                call.time().start().toString().replaceFirst("^.*T", ""),
                call.time().duration().map(HistoryTable::millis).orElse("-"),
                call.rpc().csiName(),
                call.volume().orElse("-"),
                call.node().orElse("-"),
                call.outcome()
                        + call.result()
                                .filter(result -> !result.message().isEmpty())
                                .map(result -> ": " + shortened(result.message()))
                                .orElse(""),
                call.fault().orElse("-"));
    }

    private static String millis(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
    }

    private static String shortened(String message) {
        String line = message.lines().findFirst().orElse("");
        return line.length() <= 70 ? line : line.substring(0, 67) + "...";
    }
}
