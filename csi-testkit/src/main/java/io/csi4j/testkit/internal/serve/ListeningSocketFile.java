package io.csi4j.testkit.internal.serve;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Prepares the file of a Unix socket on which this process will listen. */
final class ListeningSocketFile {
    private ListeningSocketFile() {}

    /** Checks that no process listens at a path; the socket of a dead process is accepted. */
    static void requireFree(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new IOException("cannot listen on unix://" + path + ": its directory does not exist; make it first");
        }
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isOther()) {
            throw new IOException("cannot listen on unix://" + path
                    + ": there is something that is no socket; move it away or use another path");
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            return; // The connection was refused: the socket file belongs to a dead plugin and may be replaced.
        }
        throw new IOException(
                "cannot listen on unix://" + path + ": a live plugin listens there; stop it or use another path");
    }

    /**
     * Returns a temporary name beside the socket. It is not longer than the socket's name, so the path of a Unix socket
     * can have it.
     */
    static Path beside(Path path) {
        long mixed = ProcessHandle.current().pid() * 31 + System.identityHashCode(path);
        String name = Long.toString(Math.floorMod(mixed, 36L * 36 * 36 * 36 * 36), 36);
        return path.resolveSibling("." + name);
    }
}
