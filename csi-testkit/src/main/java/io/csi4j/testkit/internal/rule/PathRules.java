package io.csi4j.testkit.internal.rule;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The paths that a node plugin is given. */
public final class PathRules {
    private PathRules() {}

    /**
     * Checks a path that is required.
     *
     * @param path of the request
     * @param field its name
     * @param problems where to report
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
