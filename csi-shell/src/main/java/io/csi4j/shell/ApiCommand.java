package io.csi4j.shell;

import java.util.List;

/**
 * A command of the shell: one request of the API.
 *
 * @param words the words of the command
 * @param method the method of HTTP
 * @param path the path, with the names of its parameters in braces
 * @param permission the permission that the caller needs
 * @param destroys whether the request removes data or protection
 * @param everywhere whether each server answers for itself, so that all are asked
 * @param answer the kind of the answer
 * @param shape the fields of the answer, or of each item of a list
 */
record ApiCommand(
        List<String> words,
        String method,
        String path,
        String summary,
        String description,
        String permission,
        boolean destroys,
        boolean everywhere,
        List<ApiParameter> parameters,
        Answer answer,
        List<ApiField> shape) {
    /** The kind of an answer. */
    enum Answer {
        OBJECT,
        PAGES,
        EVENTS
    }

    String name() {
        return String.join(" ", words);
    }

    /** Returns whether the request changes something. */
    boolean acts() {
        return !method.equals("GET");
    }

    boolean has(ApiParameter.Place place, String name) {
        return parameters.stream().anyMatch(p -> p.place() == place && p.name().equals(name));
    }

    /** Returns whether the request can wait for something newer than an index. */
    boolean waits() {
        return !acts() && has(ApiParameter.Place.QUERY, "index");
    }

    List<ApiParameter> in(ApiParameter.Place place) {
        return parameters.stream().filter(p -> p.place() == place).toList();
    }
}
