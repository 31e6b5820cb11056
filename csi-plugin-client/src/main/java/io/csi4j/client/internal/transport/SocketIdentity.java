package io.csi4j.client.internal.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * Which file is at a path. The inode number alone does not tell: file systems use it again at once.
 *
 * @param file device and inode; null where the system has no such thing, or there is no file
 * @param made when the socket was bound; null if there is no file
 */
record SocketIdentity(@Nullable Object file, @Nullable FileTime made) {
    /** No file. */
    static final SocketIdentity ABSENT = new SocketIdentity(null, null);

    static SocketIdentity of(Path path) {
        try {
            BasicFileAttributes there = Files.readAttributes(path, BasicFileAttributes.class);
            return new SocketIdentity(there.fileKey(), there.lastModifiedTime());
        } catch (IOException absent) {
            // Also: not permitted to look. Connecting will then tell why.
            return ABSENT;
        }
    }
}
