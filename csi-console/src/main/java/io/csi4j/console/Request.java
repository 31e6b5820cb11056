package io.csi4j.console;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The path and the parameters of a request. */
final class Request {
    private final String path;
    private final Map<String, String> parameters = new HashMap<>();

    /** @throws IllegalArgumentException if a parameter is not encoded correctly */
    Request(URI uri) {
        this.path = uri.getPath();
        String query = uri.getRawQuery();
        if (query != null) {
            for (String pair : query.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    parameters.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
                }
            }
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    String path() {
        return path;
    }

    /** Returns a parameter; empty if it is missing or has no text. */
    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name)).filter(value -> !value.isEmpty());
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
