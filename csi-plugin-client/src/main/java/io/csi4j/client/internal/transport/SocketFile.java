package io.csi4j.client.internal.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the file at a socket's path. The inode number alone is not enough, because file systems reuse it at once.
 *
 * @param file device and inode; null: not supported by the system, or no file
 * @param made the time at which the file was created, which is when the socket was bound; null: no file
 */
public record SocketFile(@Nullable Object file, @Nullable FileTime made) {
    public static final SocketFile ABSENT = new SocketFile(null, null);

    public static SocketFile at(Path path) {
        try {
            BasicFileAttributes there = Files.readAttributes(path, BasicFileAttributes.class);
            return new SocketFile(there.fileKey(), there.lastModifiedTime());
        } catch (IOException absent) {
            // Treats a file whose attributes cannot be read as absent; a connect would fail, too.
            return ABSENT;
        }
    }

    public boolean isThere() {
        return made != null;
    }
}
