package io.csi4j.core.volume;

import io.csi4j.core.internal.text.Text;
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The label that the files of a mounted volume have for the security module of the kernel: a context of SELinux, for example
 * {@code system_u:object_r:container_file_t:s0:c1,c2}. A plugin whose {@linkplain
 * io.csi4j.core.plugin.PluginProfile#securityLabel() profile} says so gets the label as a mount flag of NodeStageVolume and
 * NodePublishVolume. Nothing relabels files.
 *
 * @param context the user, role and type, and mostly a level, separated by colons; at most 256 characters
 */
public record SecurityLabel(String context) {
    /** The most characters of a label. */
    private static final int LONGEST = 256;

    private static final String NAME = "[A-Za-z0-9_.-]+";
    private static final Pattern SYNTAX =
            Pattern.compile("(" + NAME + ":" + NAME + ":" + NAME + ")(?::([A-Za-z0-9_.,:-]+))?");
    private static final Pattern SENSITIVITY = Pattern.compile("(s[0-9]{1,4})(?::([c0-9.,]+))?");
    private static final Pattern CATEGORIES = Pattern.compile("c([0-9]{1,4})(?:\\.c([0-9]{1,4}))?");

    /**
     * Checks the label. It has no quotes, blanks and control characters, so that its mount flag has one meaning.
     *
     * @throws IllegalArgumentException if it is no context of SELinux, or is too long
     */
    public SecurityLabel {
        Objects.requireNonNull(context, "context");
        if (context.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "SecurityLabel: the label has " + context.length() + " characters; give at most " + LONGEST);
        }
        if (!SYNTAX.matcher(context).matches()) {
            throw new IllegalArgumentException("SecurityLabel: \"" + Text.printable(context)
                    + "\" is no label; give user:role:type:level with letters, digits, _ . - and, in the level, commas and"
                    + " colons, for example system_u:object_r:container_file_t:s0:c1,c2");
        }
    }

    /** Returns the mount flag for this label. Its quotes keep a mount program from taking a comma for the end of the flag. */
    public String mountFlag() {
        return "context=\"" + context + "\"";
    }

    /** Returns whether a mount flag sets a label, so that it contradicts the one of a request. */
    public static boolean isSetBy(String flag) {
        String name = flag.strip();
        return name.startsWith("context=")
                || name.startsWith("fscontext=")
                || name.startsWith("defcontext=")
                || name.startsWith("rootcontext=");
    }

    /**
     * Returns whether the kernel's text of a context is this label. The kernel may write the categories of a level in
     * another way, for example {@code c0.c3} for {@code c0,c1,c2,c3}.
     */
    public boolean isSameAs(String other) {
        if (context.equals(other)) {
            return true;
        }
        Matcher mine = SYNTAX.matcher(context);
        Matcher its = SYNTAX.matcher(other);
        if (!mine.matches() || !its.matches() || !mine.group(1).equals(its.group(1))) {
            return false;
        }
        Optional<Range> level = range(mine.group(2));
        return level.isPresent() && level.equals(range(its.group(2)));
    }

    /** The lowest and the highest level of a context; a single level is both. */
    private record Range(Level low, Level high) {}

    private record Level(String sensitivity, BitSet categories) {}

    private static Optional<Range> range(String text) {
        if (text == null) {
            return Optional.empty();
        }
        int dash = text.indexOf('-');
        Optional<Level> low = level(dash < 0 ? text : text.substring(0, dash));
        Optional<Level> high = dash < 0 ? low : level(text.substring(dash + 1));
        return low.flatMap(from -> high.map(to -> new Range(from, to)));
    }

    private static Optional<Level> level(String text) {
        Matcher level = SENSITIVITY.matcher(text);
        if (!level.matches()) {
            return Optional.empty();
        }
        BitSet categories = new BitSet();
        for (String part :
                level.group(2) == null ? new String[0] : level.group(2).split(",", -1)) {
            Matcher matcher = CATEGORIES.matcher(part);
            if (!matcher.matches()) {
                return Optional.empty();
            }
            int from = Integer.parseInt(matcher.group(1));
            int to = matcher.group(2) == null ? from : Integer.parseInt(matcher.group(2));
            if (to < from) {
                return Optional.empty();
            }
            categories.set(from, to + 1);
        }
        return Optional.of(new Level(level.group(1), categories));
    }

    @Override
    public String toString() {
        return context;
    }
}
