package io.csi4j.testkit.internal.rule;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The rules for paths in requests to the node service. */
public final class PathRules {
    private PathRules() {}

    /**
     * Checks a required path.
     *
     * @param path the path in the request
     * @param field the name of its field
     * @param problems receives the problems
     */
    public static void check(String path, String field, Problems problems) {
        if (path.isEmpty()) {
            problems.required(path, field);
            return;
        }
        try {
            Path parsed = Path.of(path);
            problems.require(
                    parsed.isAbsolute() && parsed.equals(parsed.normalize()) && parsed.getNameCount() > 0,
                    field,
                    "must be absolute, without '.' and '..', and not the root (R85, R88)");
        } catch (InvalidPathException e) {
            problems.add(field, "is no path: " + e.getReason());
        }
    }
}
