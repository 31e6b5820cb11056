package io.csi4j.benchmarks.state;

import java.util.Locale;

/** Prints the rows of the table of results. */
final class Report {
    private Report() {}

    static void head() {
        line("operation", "volumes", "store", "hash map", "ratio", "budget", "");
        line("---", "--:", "--:", "--:", "--:", "--:", "---");
    }

    static void ratio(String operation, int volumes, double store, double map, double budget) {
        double ratio = store / map;
        line(
                operation,
                size(volumes),
                time(store),
                time(map),
                String.format(Locale.ROOT, "%.2f", ratio),
                "<= " + budget,
                ratio <= budget ? "met" : "MISSED");
    }

    static void time(String operation, int volumes, double nanos, double budget) {
        boolean budgeted = budget < Double.POSITIVE_INFINITY;
        line(
                operation,
                size(volumes),
                time(nanos),
                "",
                "",
                budgeted ? "<= " + time(budget) : "",
                budgeted ? nanos <= budget ? "met" : "MISSED" : "");
    }

    static void bytes(String operation, int volumes, double bytes, double budget) {
        line(
                operation,
                size(volumes),
                String.format(Locale.ROOT, "%.0f B", bytes),
                "",
                "",
                budget > 0 ? String.format(Locale.ROOT, "<= %.0f B", budget) : "",
                budget <= 0 ? "" : bytes <= budget ? "met" : "MISSED");
    }

    static void note(String operation, int volumes, String value) {
        line(operation, size(volumes), value, "", "", "", "");
    }

    private static String size(int volumes) {
        if (volumes == 0) {
            return "";
        }
        return volumes >= 1_000_000 ? volumes / 1_000_000 + "M" : volumes / 1_000 + "k";
    }

    static String time(double nanos) {
        if (nanos < 1_000) {
            return String.format(Locale.ROOT, "%.1f ns", nanos);
        }
        return nanos < 1_000_000_000
                ? String.format(Locale.ROOT, "%.2f us", nanos / 1_000)
                : String.format(Locale.ROOT, "%.2f s", nanos / 1_000_000_000);
    }

    private static void line(String... cells) {
        System.out.println("| " + String.join(" | ", cells) + " |");
    }
}
