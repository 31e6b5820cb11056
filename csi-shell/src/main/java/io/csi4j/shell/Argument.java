package io.csi4j.shell;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * An argument of a command.
 *
 * @param place the place of its value in the request
 * @param path the names of the objects in the body that contain the field, and its own
 * @param option the option, with its hyphens; the label of an argument without option
 */
record Argument(ApiParameter.Place place, List<String> path, ApiField field, String option) {
    /** Options that every command has, or those of one kind. */
    private static final Set<String> OWN = Set.of(
            "--address",
            "--token-file",
            "--token",
            "--ca",
            "--timeout",
            "--json",
            "--no-color",
            "--help",
            "--version",
            "--limit",
            "--watch",
            "--yes",
            "--file",
            "--no-wait");
    /** Objects in objects have options up to this depth; deeper ones are given as JSON. */
    private static final int DEEPEST = 2;

    /** Returns the arguments of a command in the order of its parameters. The pages and waits of a request are the shell's own. */
    static List<Argument> of(ApiCommand command) {
        List<Argument> arguments = new ArrayList<>();
        Set<String> used = new HashSet<>(OWN);
        for (ApiParameter parameter : command.parameters()) {
            boolean own = parameter.place() == ApiParameter.Place.QUERY && isOwn(command, parameter.name());
            if (parameter.place() == ApiParameter.Place.PATH) {
                arguments.add(new Argument(
                        parameter.place(),
                        List.of(parameter.name()),
                        parameter.field(),
                        Text.words(parameter.name()).replace(' ', '-').toUpperCase(Locale.ROOT)));
            } else if (!own) {
                add(arguments, used, command, parameter.place(), List.of(), parameter.field());
            }
        }
        return arguments;
    }

    private static boolean isOwn(ApiCommand command, String query) {
        return switch (query) {
            case "wait" -> command.acts() || command.waits();
            case "index" -> command.waits();
            case "limit", "after" -> command.answer() == ApiCommand.Answer.PAGES;
            default -> false;
        };
    }

    private static void add(
            List<Argument> arguments,
            Set<String> used,
            ApiCommand command,
            ApiParameter.Place place,
            List<String> above,
            ApiField field) {
        List<String> path = new ArrayList<>(above);
        path.add(field.name());
        if (field.type() == ApiField.Type.OBJECT && !field.isSecret() && path.size() < DEEPEST + 1) {
            field.fields().forEach(child -> add(arguments, used, command, place, path, child));
            return;
        }
        StringBuilder option = new StringBuilder("--");
        above.forEach(name -> option.append(kebab(name)).append('.'));
        option.append(kebab(optionName(field)));
        if (used.contains(option.toString())) {
            // The name belongs to the shell, or to another field.
            option.insert(2, command.words().get(0) + "-");
        }
        used.add(option.toString());
        arguments.add(new Argument(place, List.copyOf(path), field, option.toString()));
    }

    private static String optionName(ApiField field) {
        String name = field.name();
        return switch (field.type()) {
            case BYTES -> name.replaceFirst("Bytes$", "");
            case MAP -> field.isSecret() ? name + "File" : singular(name);
            case TEXTS, OBJECTS -> singular(name);
            default -> name;
        };
    }

    private static String singular(String name) {
        return name.endsWith("ies")
                ? name.substring(0, name.length() - 3) + "y"
                : name.endsWith("sses") || name.endsWith("xes")
                        ? name.substring(0, name.length() - 2)
                        : name.endsWith("s") ? name.substring(0, name.length() - 1) : name;
    }

    private static String kebab(String name) {
        return Text.words(name).replace(' ', '-');
    }

    /** Returns whether a request without it is refused. A field of an object is not, because the object may be missing. */
    boolean isRequired() {
        return field.required() && path.size() == 1;
    }

    boolean isRepeated() {
        return switch (field.type()) {
            case TEXTS, OBJECTS -> true;
            case MAP -> !field.isSecret();
            default -> false;
        };
    }

    /** Returns the label of the value in help texts. */
    String label() {
        if (place == ApiParameter.Place.PATH) {
            return option;
        }
        return switch (field.type()) {
            case NUMBER -> "N";
            case BYTES -> "SIZE";
            case SECONDS, TIME -> "TIME";
            case MAP -> field.isSecret() ? "FILE" : "NAME=VALUE";
            case OBJECTS -> "FIELD=VALUE,...";
            case OBJECT -> "JSON";
            case CHOICE, TEXT, TEXTS, FLAG -> kebab(optionName(field)).toUpperCase(Locale.ROOT);
        };
    }

    /** Returns sentences for help texts. */
    String help() {
        StringBuilder help = new StringBuilder(field.description());
        if (isRequired() && place != ApiParameter.Place.PATH) {
            help.append(" Required.");
        }
        if (!field.choices().isEmpty()) {
            help.append(" One of ").append(String.join(", ", field.choices())).append('.');
        }
        if (field.type() == ApiField.Type.OBJECTS) {
            help.append(" Fields: ")
                    .append(String.join(
                            ", ", field.fields().stream().map(ApiField::name).toList()))
                    .append("; or an object in JSON.");
        } else if (field.isSecret()) {
            help.append(" A file with an object in JSON, or with lines NAME=VALUE; - is the input.");
        }
        return help.toString();
    }
}
