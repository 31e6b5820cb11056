package io.csi4j.admin.internal.console;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The filter of a list, and the links between its pages. An update of the open page does not change the form. */
final class ListFilter {
    private final Request request;
    private final String path;
    private final String noun;
    private final List<Field> fields;

    /**
     * Creates a filter.
     *
     * @param noun the entries of the list, for example {@code volumes}
     */
    ListFilter(Request request, String path, String noun, Field... fields) {
        this.request = request;
        this.path = path;
        this.noun = noun;
        this.fields = List.of(fields);
    }

    /** A field of the form; it has choices, or takes any text. */
    record Field(String name, String label, List<String> choices) {
        static Field text(String name, String label) {
            return new Field(name, label, List.of());
        }

        static Field yesOrNo(String name, String label) {
            return new Field(name, label, List.of("yes", "no"));
        }

        static Field of(String name, String label, Enum<?>[] constants) {
            return new Field(
                    name, label, Arrays.stream(constants).map(ListFilter::word).toList());
        }
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the chosen constant; empty if none is chosen. */
    <E extends Enum<E>> Optional<E> constant(String name, Class<E> type) {
        return request.parameter(name).map(text -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
    }

    /** Returns the choice of a field with yes and no; empty if none is made. */
    Optional<Boolean> yes(String name) {
        return request.parameter(name).map("yes"::equals);
    }

    /** Returns the value of a field; empty if it has none. */
    <T> Optional<T> value(String name, Function<String, T> parse) {
        return request.parameter(name).map(parse);
    }

    void form(Html html) {
        html.open("form", "method", "get", "action", path, "role", "search", "class", "filter");
        for (Field field : fields) {
            html.open("label").element("span", field.label());
            String value = request.parameter(field.name()).orElse("");
            if (field.choices().isEmpty()) {
                html.open("input", "name", field.name(), "value", value, "autocomplete", "off", "maxlength", "256");
            } else {
                choices(html, field, value);
            }
            html.close("label");
        }
        html.element("button", "Filter", "type", "submit");
        html.link(path, "Clear");
        html.close("form");
    }

    private static void choices(Html html, Field field, String value) {
        html.open("select", "name", field.name());
        html.element("option", "any", "value", "");
        for (String choice : field.choices()) {
            String text = choice.replace('_', ' ');
            if (choice.equals(value)) {
                html.element("option", text, "value", choice, "selected", "selected");
            } else {
                html.element("option", text, "value", choice);
            }
        }
        html.close("select");
    }

    /**
     * Writes the links to the first page and to the next one.
     *
     * @param next the parameters with the start of the next page, as pairs; none on the last page
     */
    void pages(Html html, boolean first, String... next) {
        html.open("nav", "class", "pages", "aria-label", "Pages of " + noun);
        if (!first) {
            html.link(address(), "First page", "id", "first-page");
        }
        if (next.length > 0) {
            html.link(address(next), "Next page", "id", "next-page", "rel", "next");
        }
        html.close("nav");
    }

    /** Writes the links for a list whose position is one parameter. */
    void pages(Html html, Optional<String> next) {
        boolean first = request.parameter("after").isEmpty();
        if (next.isPresent()) {
            pages(html, first, "after", next.get());
        } else {
            pages(html, first);
        }
    }

    private String address(String... position) {
        return Request.address(
                path,
                Stream.concat(
                                fields.stream()
                                        .flatMap(field -> Stream.of(
                                                field.name(),
                                                request.parameter(field.name()).orElse(""))),
                                Arrays.stream(position))
                        .toArray(String[]::new));
    }
}
