package io.csi4j.examples.lifecycle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The command line, split into options and values. Collects all its mistakes. */
final class Arguments {
    private final Map<String, List<String>> values = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    /**
     * Splits a command line.
     *
     * @param args {@code --option value}, {@code --option=value} or {@code --flag}
     * @param withValue the options that take a value
     * @param flags the options without a value
     */
    Arguments(List<String> args, Set<String> withValue, Set<String> flags) {
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            int equals = arg.indexOf('=');
            String option = arg.startsWith("--") && equals > 0 ? arg.substring(0, equals) : arg;
            boolean hasValue = !option.equals(arg);
            if (flags.contains(option)) {
                if (hasValue) {
                    problem(option, "takes no value");
                }
                add(option, "");
            } else if (!withValue.contains(option)) {
                problem(unknown(option), "is unknown; see --help");
            } else if (hasValue) {
                add(option, arg.substring(equals + 1));
            } else if (i + 1 < args.size() && !args.get(i + 1).startsWith("--")) {
                add(option, args.get(++i));
            } else {
                problem(option, "needs a value; a value that begins with -- is given as " + option + "=VALUE");
            }
        }
    }

    /** An argument that is not an option may be a misplaced secret, so it is not printed. */
    private static String unknown(String arg) {
        return arg.startsWith("-") ? arg : "an argument that is not an option";
    }

    private void add(String option, String value) {
        values.computeIfAbsent(option, key -> new ArrayList<>()).add(value);
    }

    boolean has(String option) {
        return values.containsKey(option);
    }

    List<String> all(String option) {
        return values.getOrDefault(option, List.of());
    }

    Optional<String> single(String option) {
        List<String> given = all(option);
        if (given.size() > 1) {
            problem(option, "is given " + given.size() + " times; give it once");
        }
        return given.stream().findFirst();
    }

    void problem(String option, String text) {
        problems.add(option + " " + text);
    }

    List<String> problems() {
        return List.copyOf(problems);
    }
}
