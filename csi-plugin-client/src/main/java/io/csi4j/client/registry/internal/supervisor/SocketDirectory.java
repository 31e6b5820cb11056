package io.csi4j.client.registry.internal.supervisor;

import io.csi4j.core.internal.file.OwnDirectory;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The directory of the socket of one instance. It is never deleted recursively, and nothing below a mount point is deleted, because a
 * plugin may have mounted volumes anywhere.
 */
public final class SocketDirectory {
    private SocketDirectory() {}

    /**
     * Creates a directory that only the host's user may enter (R10), or takes over an existing one.
     *
     * @throws IOException if the directory belongs to another user, or is a symbolic link
     */
    public static void make(Path directory) throws IOException {
        Files.createDirectories(directory);
        if (Files.isSymbolicLink(directory)) {
            throw new IOException(
                    directory + " is a symbolic link, so its owner could lead sockets elsewhere; move it away");
        }
        if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) != null) {
            OwnDirectory.mustBeOwn(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        }
    }

    /** Removes the socket of a process that no longer listens. */
    public static void removeStale(Path socket) throws IOException {
        if (isSocket(socket) && !listens(socket)) {
            Files.deleteIfExists(socket);
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isOther();
        } catch (NoSuchFileException absent) {
            return false;
        }
    }

    private static boolean listens(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    /** Removes the socket and its directory; returns a text about the files that could not be removed, or empty. */
    public static Optional<String> remove(Path directory, Path socket) throws IOException {
        if (Files.notExists(directory)) {
            return Optional.empty();
        }
        if (PluginMountPoints.isMountPoint(directory)) {
            return Optional.of("something is mounted at " + directory + "; nothing in it was deleted");
        }
        if (isSocket(socket)) {
            Files.deleteIfExists(socket);
        }
        try {
            Files.deleteIfExists(directory);
            return Optional.empty();
        } catch (DirectoryNotEmptyException left) {
            return Optional.of(directory + " is not empty and was left; look whose files these are");
        }
    }
}
