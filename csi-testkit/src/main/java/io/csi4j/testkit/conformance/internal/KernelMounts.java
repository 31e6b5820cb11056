package io.csi4j.testkit.conformance.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mount points that this process sees. */
final class KernelMounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int MOUNT_POINT_COLUMN = 4;
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    private KernelMounts() {}

    /** Returns the mount points at a path and below it; empty on a system without a mount table. */
    static List<Path> under(Path path) throws IOException {
        if (!Files.isReadable(TABLE) || !Files.exists(path)) {
            return List.of();
        }
        Path real = path.toRealPath();
        return Files.readAllLines(TABLE, StandardCharsets.UTF_8).stream()
                .map(line -> line.split(" ", -1))
                .filter(columns -> columns.length > MOUNT_POINT_COLUMN)
                .map(columns -> Path.of(unescape(columns[MOUNT_POINT_COLUMN])))
                .filter(point -> point.startsWith(real))
                .toList();
    }

    static boolean at(Path path) throws IOException {
        return Files.exists(path) && under(path).contains(path.toRealPath());
    }

    /** Decodes a field of the mount table. The kernel writes blanks and line ends in it as octal numbers. */
    private static String unescape(String field) {
        Matcher octal = OCTAL.matcher(field);
        return octal.replaceAll(
                match -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 8))));
    }
}
