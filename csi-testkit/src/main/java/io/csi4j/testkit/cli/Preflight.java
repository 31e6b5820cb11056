package io.csi4j.testkit.cli;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Says before a run what the machine lacks for it, and what to do. */
final class Preflight {
    private static final int LONGEST_SOCKET_PATH = 107;
    private static final int CAP_SYS_ADMIN = 21;
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;

    private Preflight() {}

    /** Returns why no call can reach a plugin at a socket; null if one can. */
    static @Nullable String socketProblem(Path socket) {
        if (socket.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8).length > LONGEST_SOCKET_PATH) {
            return "the path of a socket has at most " + LONGEST_SOCKET_PATH + " bytes, and " + socket
                    + " has more; choose a shorter one";
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return null;
        } catch (IOException e) {
            return refused(socket);
        }
    }

    private static String refused(Path socket) {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return "there is no socket at " + socket
                    + "; start the plugin, correct --endpoint, or start the plugin with --plugin-command";
        }
        try {
            if (((int) Files.getAttribute(socket, "unix:mode") & FILE_TYPE) != SOCKET) {
                return socket + " is no socket; correct --endpoint";
            }
        } catch (IOException e) {
            return "cannot see what is at " + socket + ": " + e;
        }
        return Files.isWritable(socket)
                ? "no process listens at " + socket + "; the plugin that made this socket has ended: start it again"
                : "this user may not connect to " + socket + "; run as root, or as the owner of the socket";
    }

    /** Returns why staging and target paths cannot be made below a directory; null if they can. */
    static @Nullable String directoryProblem(Path directory) {
        try {
            Files.createDirectories(directory);
            Files.delete(Files.createTempDirectory(directory, "csi4j-conformance-"));
            return null;
        } catch (IOException e) {
            return "cannot make directories below " + directory + " (" + e + "); choose another --work-dir";
        }
    }

    /** Returns which checks need more rights than this process has; null if it has them. */
    static @Nullable String missingRight(Path processStatus) {
        try {
            for (String line : Files.readAllLines(processStatus)) {
                if (line.startsWith("CapEff:")) {
                    long effective = Long.parseUnsignedLong(
                            line.substring("CapEff:".length()).strip(), 16);
                    return (effective >>> CAP_SYS_ADMIN & 1) == 1 ? null : NO_MOUNTS;
                }
            }
        } catch (IOException e) {
            return "this is no Linux with /proc: mounts are not seen, and checks of data are skipped";
        }
        return NO_MOUNTS;
    }

    private static final String NO_MOUNTS =
            "this process may not mount (no CAP_SYS_ADMIN): a plugin that it starts cannot"
                    + " mount either, and a mount that a plugin leaves cannot be removed; run it as root, in a container with"
                    + " --privileged";
}
