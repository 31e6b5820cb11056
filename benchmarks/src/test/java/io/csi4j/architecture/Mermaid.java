package io.csi4j.architecture;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Parses the three kinds of Mermaid pictures that the pages use: flowcharts, state diagrams and sequence diagrams. Accepts only statements that
 * the common renderers draw.
 */
final class Mermaid {
    private static final String ID = "[A-Za-z][A-Za-z0-9_]*";
    /** Text without the characters that end a statement or open another element. */
    private static final String TEXT = "[^;#\"\\[\\](){}|<>]+";

    private static final String NODE =
            ID + "(\\[\\(\"[^\"]*\"\\)\\]|\\[\"[^\"]*\"\\]|\\(\\[\"[^\"]*\"\\]\\)|\\(\"[^\"]*\"\\)|\\{\"[^\"]*\"\\}|\\["
                    + TEXT + "\\])?";
    private static final String NODES = NODE + "( & " + NODE + ")*";
    private static final String ARROW = "( *(-->|---|-\\.->|==>)(\\|(" + TEXT + "|\"[^\"]*\")\\|)? *)";
    private static final String STATE = "(\\[\\*\\]|" + ID + ")";
    private static final String MESSAGE_ARROW = "(->>|-->>|->|-->|-x|--x|-\\)|--\\))";

    private static final List<Pattern> FLOWCHART = patterns(
            NODES + "(" + ARROW + NODES + ")*",
            "subgraph " + ID + "( ?\\[(\"[^\"]*\"|" + TEXT + ")\\])?",
            "direction (TB|TD|BT|LR|RL)");
    private static final List<Pattern> STATES = patterns(
            STATE + " --> " + STATE + "( ?: [^;#]+)?",
            "state \"[^\"]+\" as " + ID,
            "state " + ID + " \\{",
            ID + " ?: [^;#]+",
            "note (right|left) of " + ID + " ?: [^;#]+",
            "direction (TB|TD|BT|LR|RL)");
    private static final List<Pattern> SEQUENCE = patterns(
            "autonumber",
            "(participant|actor) " + ID + "( as [^;#]+)?",
            ID + " ?" + MESSAGE_ARROW + "[+-]? ?" + ID + " ?: [^;#]+",
            "(activate|deactivate) " + ID,
            "[Nn]ote (right of|left of|over) " + ID + "(, ?" + ID + ")? ?: [^;#]+",
            "(loop|alt|opt|par|critical|break) [^;#]+",
            "(else|and|option)( [^;#]+)?");

    private Mermaid() {}

    private static List<Pattern> patterns(String... statements) {
        return List.of(statements).stream().map(Pattern::compile).toList();
    }

    /** Returns the first problem of a picture, with its line; empty if the picture is correct. */
    static Optional<String> problem(String picture) {
        List<String> lines = picture.lines().map(String::strip).toList();
        String kind = lines.isEmpty() ? "" : lines.get(0);
        List<Pattern> statements;
        if (kind.matches("(flowchart|graph) (TB|TD|BT|LR|RL)")) {
            statements = FLOWCHART;
        } else if (kind.equals("stateDiagram-v2")) {
            statements = STATES;
        } else if (kind.equals("sequenceDiagram")) {
            statements = SEQUENCE;
        } else {
            return Optional.of("line 1: unknown kind of picture: " + kind);
        }
        return problem(lines, statements);
    }

    private static Optional<String> problem(List<String> lines, List<Pattern> statements) {
        Deque<Integer> open = new ArrayDeque<>();
        for (int i = 1; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isEmpty() || line.startsWith("%%")) {
                continue;
            }
            if (line.equals("end") || line.equals("}")) {
                if (open.isEmpty()) {
                    return Optional.of("line " + (i + 1) + ": nothing to close: " + line);
                }
                open.pop();
                continue;
            }
            if (statements.stream()
                    .noneMatch(statement -> statement.matcher(line).matches())) {
                return Optional.of("line " + (i + 1) + ": not a statement: " + line);
            }
            if (line.matches("(subgraph|loop|alt|opt|par|critical|break) .*|state " + ID + " \\{")) {
                open.push(i + 1);
            }
        }
        return open.isEmpty() ? Optional.empty() : Optional.of("line " + open.peek() + ": is never closed");
    }
}
