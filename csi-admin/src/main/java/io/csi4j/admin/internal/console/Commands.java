package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.api.Parameter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The commands of the shell that act on an object, to copy. What the page does not know is in capitals. */
final class Commands {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+=-]+");
    private static final int MOST = 20;

    private final List<Endpoint> endpoints;

    Commands(List<Endpoint> endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Writes the actions of an object as a section.
     *
     * @param path the path of the object, with the names of its parameters in braces
     * @param known the values of the parameters, for each object that the page shows under this path; more than 20 are left out
     */
    void write(Html html, String path, List<Map<String, String>> known) {
        html.element("h2", "Commands", "id", "commands");
        html.element(
                "p",
                "They are for the shell, csi. Words in capitals are yours to replace; csi COMMAND --help says more.",
                "class",
                "note");
        html.open("ul", "class", "commands");
        for (Map<String, String> values : known.stream().limit(MOST).toList()) {
            for (Endpoint endpoint : endpoints) {
                if (isOf(endpoint, path, values)) {
                    html.open("li").element("code", command(endpoint, values));
                    html.text(" " + endpoint.summary());
                    html.close("li");
                }
            }
        }
        html.close("ul");
    }

    /**
     * Returns whether an endpoint acts on an object that is there, needs the known parameters in its path, no others, and no
     * more than a line of a shell has.
     */
    private static boolean isOf(Endpoint endpoint, String path, Map<String, String> values) {
        boolean makesIt = endpoint.method().equals("PUT") && endpoint.path().equals(path);
        return endpoint.path().startsWith(path)
                && !makesIt
                && values.keySet()
                        .equals(endpoint.parameters().stream()
                                .filter(parameter -> parameter.in() == Parameter.In.PATH)
                                .map(Parameter::name)
                                .collect(Collectors.toSet()))
                && endpoint.parameters().stream().noneMatch(parameter -> parameter.required() && hasParts(parameter));
    }

    private static boolean hasParts(Parameter parameter) {
        return parameter.type() == Parameter.Type.OBJECT || parameter.type() == Parameter.Type.OBJECTS;
    }

    /** Returns the command with the values that are known. */
    private static String command(Endpoint endpoint, Map<String, String> values) {
        StringBuilder command = new StringBuilder("csi ").append(endpoint.command());
        for (Parameter parameter : endpoint.parameters()) {
            if (parameter.in() == Parameter.In.PATH) {
                command.append(' ').append(quoted(values.getOrDefault(parameter.name(), "")));
            } else if (parameter.required()) {
                command.append(" --").append(option(parameter));
            }
        }
        return command.toString();
    }

    /** Returns an option with its value, as the shell has it. */
    private static String option(Parameter parameter) {
        String name = parameter.name().replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
        return switch (parameter.type()) {
            case MAP -> name.replaceFirst("s$", "") + " NAME=VALUE";
            case BYTES -> name.replaceFirst("-bytes$", "") + " SIZE";
            default -> name + " " + parameter.type();
        };
    }

    /** Returns a value so that a shell of the system takes it as one word. */
    private static String quoted(String value) {
        return PLAIN.matcher(value).matches() ? value : "'" + value.replace("'", "'\\''") + "'";
    }
}
