package io.csi4j.examples.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads log lines from sources. A logger is called LOG or LOGGER, and a log of causes is called causes. */
final class LogLines {
    /** The modules that a program has; those for tests write lines for developers. */
    private static final Pattern MODULES = Pattern.compile(
            "csi-(core|state|plugin-client|node|agent|replication-ratis|replication-jdbc|server|micrometer|admin)/src/main/java/.*");

    private static final Pattern CALL = Pattern.compile(
            "\\b(?:(?:LOG|LOGGER)\\s*\\.log|(FailureLog\\s*\\.warn)|(causes(?:\\(\\))?\\s*\\.warn))\\(");
    private static final Pattern LEVEL = Pattern.compile("\\bLevel\\.(DEBUG|INFO|WARNING|ERROR)\\b");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

    private LogLines() {}

    static Set<LogLine> inCode() {
        Set<LogLine> lines = new TreeSet<>();
        for (Path source : ProjectFiles.sources()) {
            // FailureLog writes the lines of its callers, which are read where they call it.
            if (MODULES.matcher(ProjectFiles.ROOT.relativize(source).toString()).matches()
                    && !source.endsWith("FailureLog.java")) {
                read(ProjectFiles.read(source), lines);
            }
        }
        return lines;
    }

    private static void read(String source, Set<LogLine> lines) {
        Matcher call = CALL.matcher(source);
        while (call.find()) {
            List<String> arguments = arguments(source, call.end());
            if (call.group(1) != null) {
                lines.add(new LogLine("WARNING", text(arguments.get(0)) + ": …"));
            } else if (call.group(2) != null) {
                lines.add(new LogLine("WARNING", text(arguments.get(1))));
            } else {
                Matcher level = LEVEL.matcher(arguments.get(0));
                while (level.find()) {
                    lines.add(new LogLine(level.group(1), text(arguments.get(1))));
                }
            }
        }
    }

    /** Returns the arguments of a call, which begin at a position of a source. */
    private static List<String> arguments(String source, int start) {
        List<String> arguments = new ArrayList<>();
        int depth = 0;
        int from = start;
        for (int at = start; ; at++) {
            char found = source.charAt(at);
            if (found == '"') {
                at = endOfLiteral(source, at);
            } else if (found == '(' || found == '{') {
                depth++;
            } else if (depth > 0 && (found == ')' || found == '}')) {
                depth--;
            } else if (depth == 0 && (found == ',' || found == ')')) {
                arguments.add(source.substring(from, at));
                from = at + 1;
                if (found == ')') {
                    return arguments;
                }
            }
        }
    }

    private static int endOfLiteral(String source, int quote) {
        int at = quote + 1;
        while (source.charAt(at) != '"') {
            at += source.charAt(at) == '\\' ? 2 : 1;
        }
        return at;
    }

    /** Returns the fixed parts of a message, with … for all others. */
    private static String text(String argument) {
        String expression = argument.strip().replaceFirst("^\\(\\)\\s*->\\s*", "");
        Matcher literal = LITERAL.matcher(expression);
        StringBuilder text = new StringBuilder();
        int end = 0;
        while (literal.find()) {
            text.append(between(expression.substring(end, literal.start()))).append(literal.group(1));
            end = literal.end();
        }
        text.append(between(expression.substring(end)));
        return text.toString()
                .replaceAll("\\{\\d}", "…")
                .replace("''", "'")
                .replace("\\\"", "\"")
                .replaceAll("(… ?)+…", "…");
    }

    private static String between(String code) {
        return code.replaceAll("[\\s+]", "").isEmpty() ? "" : "…";
    }

    /** Returns the lines in the tables of a page: the level is in the first column, the text in the second. */
    static List<LogLine> inPage(String page) {
        return page.lines()
                .map(row -> row.split("\\s*\\|\\s*"))
                .filter(cells -> cells.length > 2 && cells[1].matches("DEBUG|INFO|WARNING|ERROR"))
                .map(cells -> new LogLine(cells[1], cells[2].replace("`", "")))
                .collect(Collectors.toList());
    }
}
