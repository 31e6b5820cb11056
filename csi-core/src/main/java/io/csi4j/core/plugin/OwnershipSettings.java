package io.csi4j.core.plugin;

import io.csi4j.core.call.Problem;
import io.csi4j.core.internal.text.Text;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How nodes give the files of a plugin's volumes to the volume mount group of a request, if the plugin cannot
 * (VOLUME_MOUNT_GROUP). Part of a {@link PluginProfile}. A mount keeps the settings of its grant until it is unmounted.
 *
 * @param fixed whether nodes change no owner, group or mode of these files, for example because the server squashes root. A
 *     mount with a volume mount group then fails before the node calls the plugin, unless that has VOLUME_MOUNT_GROUP
 * @param excludes the names of the entries of a volume's root directory that nodes neither change nor enter, for example
 *     {@code .snapshot}. They are compared byte by byte, are no patterns, and mean nothing in other directories
 */
public record OwnershipSettings(boolean fixed, List<String> excludes) {
    /** The largest number of names. */
    private static final int MOST_NAMES = 32;
    /** The longest name that file systems of Linux store, in bytes of UTF-8. */
    private static final int LONGEST_NAME = 255;

    private static final OwnershipSettings DEFAULTS = new OwnershipSettings(false, List.of());

    /**
     * Copies the names.
     *
     * @throws IllegalArgumentException if a name contains an unpaired surrogate
     */
    public OwnershipSettings {
        excludes = Text.checked("OwnershipSettings: excludes", excludes);
    }

    /** Returns the settings of a plugin without a profile: nodes may change all files of its volumes. */
    public static OwnershipSettings ofDefaults() {
        return DEFAULTS;
    }

    /** Returns all problems of these settings, by the names of the fields of a profile; empty if they can be used. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (fixed && !excludes.isEmpty()) {
            problems.add(new Problem(
                    "ownershipExcludes",
                    "are there, and with ownershipFixed nodes change no file at all",
                    "leave one of them out"));
        }
        if (excludes.size() > MOST_NAMES) {
            problems.add(new Problem(
                    "ownershipExcludes", "are " + excludes.size() + " names", "give at most " + MOST_NAMES));
            return problems;
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < excludes.size(); i++) {
            String name = excludes.get(i);
            String wrong = problem(name);
            if (wrong.isEmpty() && !names.add(name)) {
                wrong = "is there twice";
            }
            if (!wrong.isEmpty()) {
                problems.add(new Problem(
                        "ownershipExcludes[" + i + "]",
                        wrong,
                        "give the name of an entry of the root directory, without a path and without patterns, once"));
            }
        }
        return problems;
    }

    private static String problem(String name) {
        if (name.isEmpty()) {
            return "is empty";
        }
        if (name.equals(".") || name.equals("..")) {
            return "is '" + name + "', which is no entry";
        }
        if (name.indexOf('/') >= 0) {
            return "contains '/'";
        }
        if (name.indexOf('\0') >= 0) {
            return "contains a zero byte";
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        return bytes > LONGEST_NAME ? "has " + bytes + " bytes of UTF-8, and " + LONGEST_NAME + " are possible" : "";
    }
}
