package io.csi4j.registry.internal.connection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the file at a path. The inode number alone is not enough: file systems reuse it at once.
 *
 * @param file device and inode; null where the system has no such thing, or there is no file
 * @param made when the socket was bound; null if there is no file
 */
public record SocketFile(@Nullable Object file, @Nullable FileTime made) {
    /** No file. */
    public static final SocketFile ABSENT = new SocketFile(null, null);

    public static SocketFile at(Path path) {
        try {
            BasicFileAttributes there = Files.readAttributes(path, BasicFileAttributes.class);
            return new SocketFile(there.fileKey(), there.lastModifiedTime());
        } catch (IOException absent) {
            // Also: not permitted to look. Then nothing could be connected to either.
            return ABSENT;
        }
    }

    public boolean isThere() {
        return made != null;
    }
}
