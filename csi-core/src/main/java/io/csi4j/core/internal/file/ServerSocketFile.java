package io.csi4j.core.internal.file;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * The file of a Unix socket that this process serves. Every process that can open the file can call the service, so the
 * directory has to be private. If a dead process left its socket file at this path, the file is replaced. If another
 * process serves the socket, or the file is not a socket, the file stays, and the start of the server fails.
 */
public final class ServerSocketFile {
    private static final System.Logger LOG = System.getLogger(ServerSocketFile.class.getName());

    private final Path socket;
    /** The identity of the socket file of this process; {@link #remove} keeps a file that has another identity. */
    private volatile @Nullable Object identity;

    private ServerSocketFile(Path socket) {
        this.socket = socket;
    }

    public static ServerSocketFile prepare(Path path) throws IOException {
        Path socket = path.toAbsolutePath();
        Path directory = socket.getParent();
        if (directory == null) {
            throw new IOException("listen: the socket " + socket + " has no directory; put it into one of its own");
        }
        boolean made = Files.notExists(directory);
        Files.createDirectories(directory);
        if (made) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        } else {
            mustBePrivate(directory);
        }
        removeStale(socket);
        return new ServerSocketFile(socket);
    }

    /**
     * Rejects a directory that other users can reach, or that belongs to another user. This method does not change the permissions of the directory: a
     * change at /tmp, for example, would harm other programs.
     */
    private static void mustBePrivate(Path directory) throws IOException {
        String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
        if (!permissions.endsWith("------")) {
            throw new IOException("listen: the directory " + directory + " has the permissions " + permissions
                    + ", so others could reach the socket in it; make it rwx------ (chmod 700), or name a directory"
                    + " that does not exist yet");
        }
        OwnDirectory.mustBeOwn(directory);
    }

    private static void removeStale(Path socket) throws IOException {
        BasicFileAttributes there;
        try {
            there = Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException absent) {
            return;
        }
        if (!there.isOther()) {
            throw new IOException(
                    "listen: " + socket + " is there and no socket; move it away, or choose another path");
        }
        if (listens(socket)) {
            throw new IOException(
                    "listen: another process serves the socket " + socket + "; stop it, or choose another path");
        }
        Files.deleteIfExists(socket);
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

    /** Restricts the permissions of the new socket file, and records its identity. */
    public void bound() throws IOException {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        identity = key();
    }

    private @Nullable Object key() throws IOException {
        return Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes the socket file, unless another file has replaced it. */
    public void remove() {
        try {
            Object mine = identity;
            if (mine != null && mine.equals(key())) {
                Files.deleteIfExists(socket);
            }
        } catch (NoSuchFileException gone) {
            // The file has already been removed.
        } catch (IOException left) {
            LOG.log(System.Logger.Level.WARNING, "The socket " + socket + " was left behind: " + left);
        }
    }
}
