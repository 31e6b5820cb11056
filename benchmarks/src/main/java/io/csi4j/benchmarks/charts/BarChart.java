package io.csi4j.benchmarks.charts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart of horizontal bars in groups, on a logarithmic scale, as SVG for light and dark pages. The exact value is
 * written beside each bar.
 */
final class BarChart {
    private static final int WIDTH = 760;
    private static final int LEFT = 190;
    private static final int RIGHT = 90;
    private static final int BAR = 20;
    private static final int GAP = 14;
    private static final int TOP = 64;
    private static final String STYLE =
            "text{font:13px system-ui,sans-serif;fill:#1b2430}.title{font-weight:600;font-size:15px}"
                    + ".soft{fill:#5a6675}.s0{fill:#8a94a1}.s1{fill:#1f5fbf}.s2{fill:#9cc3f7}.line{stroke:#d9dde3}"
                    + "@media(prefers-color-scheme:dark){text{fill:#e6eaf0}.soft{fill:#a0acba}.s0{fill:#6b7684}.s1{fill:#80b1ff}"
                    + ".s2{fill:#35527d}.line{stroke:#323b47}}";

    private final String title;
    private final List<String> series;
    private final List<Group> groups = new ArrayList<>();

    private record Bar(int series, Quantity quantity) {}

    private record Group(String name, List<Bar> bars) {}

    BarChart(String title, List<String> series) {
        this.title = title;
        this.series = series;
    }

    BarChart group(String name) {
        groups.add(new Group(name, new ArrayList<>()));
        return this;
    }

    /** Adds a bar to the last group. */
    BarChart bar(int series, Quantity quantity) {
        groups.get(groups.size() - 1).bars().add(new Bar(series, quantity));
        return this;
    }

    boolean isEmpty() {
        return groups.stream().allMatch(group -> group.bars().isEmpty());
    }

    String svg() {
        double[] bounds = bounds();
        int height = TOP + 10;
        for (Group group : groups) {
            height += group.bars().size() * BAR + GAP;
        }
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n",
                WIDTH,
                height,
                WIDTH,
                height));
        svg.append("<title>")
                .append(escaped(title))
                .append("</title><style>")
                .append(STYLE)
                .append("</style>\n");
        text(svg, "title", 0, 18, "start", title);
        legend(svg);
        int y = TOP;
        for (Group group : groups) {
            int middle = y + group.bars().size() * BAR / 2 + 4;
            text(svg, "", LEFT - 12, middle, "end", group.name());
            for (Bar bar : group.bars()) {
                double share = (Math.log10(bar.quantity().value()) - bounds[0]) / (bounds[1] - bounds[0]);
                int width = (int) Math.round(Math.max(0.01, share) * (WIDTH - LEFT - RIGHT));
                svg.append(String.format(
                        Locale.ROOT,
                        "<rect class=\"s%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>%n",
                        bar.series(),
                        LEFT,
                        y + 1,
                        width,
                        BAR - 3));
                text(svg, "", LEFT + width + 8, y + 14, "start", bar.quantity().toString());
                y += BAR;
            }
            y += GAP;
        }
        svg.append(String.format(
                Locale.ROOT,
                "<line class=\"line\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n",
                LEFT,
                TOP - 6,
                LEFT,
                height - 12));
        return svg.append("</svg>\n").toString();
    }

    private void legend(StringBuilder svg) {
        int x = 0;
        for (int i = 0; i < series.size(); i++) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"s%d\" x=\"%d\" y=\"32\" width=\"12\" height=\"12\" rx=\"2\"/>%n",
                    i,
                    x));
            text(svg, "soft", x + 18, 43, "start", series.get(i));
            x += 40 + series.get(i).length() * 7;
        }
        text(svg, "soft", WIDTH, 43, "end", "logarithmic scale");
    }

    /**
     * Returns the two ends of the logarithmic scale as exponents of ten. The scale begins slightly below the smallest
     * value and ends at the largest value.
     */
    private double[] bounds() {
        double min = Double.POSITIVE_INFINITY;
        double max = 0;
        for (Group group : groups) {
            for (Bar bar : group.bars()) {
                min = Math.min(min, bar.quantity().value());
                max = Math.max(max, bar.quantity().value());
            }
        }
        return new double[] {Math.log10(min) - 0.35, Math.log10(max)};
    }

    private static void text(StringBuilder svg, String type, int x, int y, String anchor, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                type,
                x,
                y,
                anchor,
                escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
