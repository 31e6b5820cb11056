package io.csi4j.admin.internal.console;

import io.csi4j.admin.internal.http.HttpHead;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The path and the parameters of a request. */
final class Request {
    private final String path;
    private final Map<String, List<String>> parameters;

    Request(HttpHead head) {
        this.path = "/" + String.join("/", head.path());
        this.parameters = head.query();
    }

    String path() {
        return path;
    }

    /** Returns a parameter; empty if it is missing or has no text. */
    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name))
                .map(values -> values.get(0))
                .filter(value -> !value.isEmpty());
    }

    /** Returns an address with parameters, given as pairs; parameters without text are left out. */
    static String address(String path, String... parameters) {
        StringBuilder address = new StringBuilder(path);
        char separator = '?';
        for (int i = 0; i < parameters.length; i += 2) {
            if (!parameters[i + 1].isEmpty()) {
                address.append(separator)
                        .append(parameters[i])
                        .append('=')
                        .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
                separator = '&';
            }
        }
        return address.toString();
    }
}
