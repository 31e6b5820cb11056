package io.csi4j.client.registry.internal.supervisor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Finds out whether a directory is a mount point. */
public final class PluginMountPoints {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final int MOUNT_POINT_FIELD = 4;

    private PluginMountPoints() {}

    /**
     * Returns whether the directory is a mount point. Without a mount table, a bind mount of the same file system is
     * not detected.
     */
    public static boolean isMountPoint(Path directory) throws IOException {
        return isMountPoint(directory, TABLE);
    }

    static boolean isMountPoint(Path directory, Path table) throws IOException {
        Path real = directory.toRealPath();
        Path parent = real.getParent();
        if (parent == null || !Files.getFileStore(real).equals(Files.getFileStore(parent))) {
            return true;
        }
        // Reads the mount table too, because only the table shows a bind mount of the same file system.
        return Files.exists(table) && listed(real, table);
    }

    private static boolean listed(Path real, Path table) throws IOException {
        for (String line : Files.readAllLines(table, StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split(" ", MOUNT_POINT_FIELD + 2);
            if (fields.length > MOUNT_POINT_FIELD
                    && unescaped(fields[MOUNT_POINT_FIELD]).equals(Objects.toString(real))) {
                return true;
            }
        }
        return false;
    }

    /** Decodes a field of the mount table, which has space, tab, newline and backslash as octal numbers. */
    private static String unescaped(String field) {
        byte[] bytes = new byte[field.length()];
        int length = 0;
        for (int i = 0; i < field.length(); i++) {
            char letter = field.charAt(i);
            if (letter == '\\' && i + 3 < field.length()) {
                bytes[length++] = (byte) Integer.parseInt(field.substring(i + 1, i + 4), 8);
                i += 3;
            } else {
                bytes[length++] = (byte) letter;
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
