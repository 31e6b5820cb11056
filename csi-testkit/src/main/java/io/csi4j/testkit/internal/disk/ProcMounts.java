package io.csi4j.testkit.internal.disk;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The mount points of this process, read from /proc. */
final class ProcMounts {
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
    private static final int MOUNT_POINT_COLUMN = 4;

    private final List<Path> points;

    private ProcMounts(List<Path> points) {
        this.points = points;
    }

    static ProcMounts read() {
        try {
            return parse(Files.readAllLines(MOUNTINFO, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw CallRefusal.internal(
                    "cannot read " + MOUNTINFO + ": " + e + "; a state directory needs Linux with /proc mounted");
        }
    }

    static ProcMounts parse(List<String> lines) {
        List<Path> points = new ArrayList<>();
        for (String line : lines) {
            String[] columns = line.split(" ", -1);
            if (columns.length > MOUNT_POINT_COLUMN) {
                points.add(Path.of(unescape(columns[MOUNT_POINT_COLUMN])));
            }
        }
        return new ProcMounts(points);
    }

    /**
     * Decodes blanks, tabs, line feeds and backslashes, which the kernel writes as three octal digits; the rest is UTF-8.
     */
    private static String unescape(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean escape = c == '\\'
                    && at + 3 < text.length()
                    && text.substring(at + 1, at + 4).matches("[0-3][0-7][0-7]");
            bytes.write(escape ? Integer.parseInt(text.substring(at + 1, at + 4), 8) : c);
            at += escape ? 4 : 1;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    boolean isMountPoint(Path path) {
        return points.contains(path);
    }

    /** Returns the mount points at or below a path. */
    List<Path> below(Path path) {
        return points.stream().filter(point -> point.startsWith(path)).toList();
    }
}
