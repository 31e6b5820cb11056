package io.csi4j.client.internal.file;

import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks before a connect that no other user can have put a socket of its own at the path: requests contain secrets, and the answers are
 * trusted. The socket and its directory belong to root, to the user of this process, or to a user that the host has named. The socket is
 * no symbolic link, whose target its owner could change.
 */
public final class SocketOwner {
    private static final Integer ROOT = 0;
    /** The number of the user of this process; null if the system does not say it. */
    private static final @Nullable Object SELF = self();

    private SocketOwner() {}

    private static @Nullable Object self() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | RuntimeException unknown) {
            return null;
        }
    }

    /**
     * Returns why this process does not connect to a socket; empty if it may, or if nothing can be read there, because a connect then
     * fails and says more.
     *
     * @param named the name or the number of another user that the socket may belong to
     */
    public static Optional<String> problem(Path socket, Optional<String> named) {
        Path directory = socket.toAbsolutePath().getParent();
        try {
            if (Files.isSymbolicLink(socket)) {
                return Optional.of(socket + " is a symbolic link, so its owner could lead the connection elsewhere;"
                        + " give the path of the socket itself");
            }
            if (foreign(socket, named)) {
                return Optional.of("the socket " + socket + foreignTo(socket, "the socket"));
            }
            if (directory == null) {
                return Optional.empty();
            }
            for (Path each : new Path[] {directory, directory.toRealPath()}) {
                if (foreign(each, named)) {
                    return Optional.of("the directory " + each + " of the socket " + socket.getFileName()
                            + foreignTo(each, "the directory"));
                }
            }
            return Optional.empty();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    /**
     * Checks a socket before a connect.
     *
     * @throws io.grpc.StatusRuntimeException with UNAVAILABLE if this process does not connect to it
     */
    public static void check(Path socket, Optional<String> named) {
        problem(socket, named).ifPresent(problem -> {
            throw Status.UNAVAILABLE.withCause(new IOException(problem)).asRuntimeException();
        });
    }

    private static boolean foreign(Path path, Optional<String> named) throws IOException {
        Map<String, Object> owner = Files.readAttributes(path, "unix:uid,owner", LinkOption.NOFOLLOW_LINKS);
        Object uid = Objects.requireNonNull(owner.get("uid"));
        String name = String.valueOf(owner.get("owner"));
        // The name, too: /proc/self belongs to root if the program of this process has capabilities of its own.
        boolean own = uid.equals(SELF) || name.equals(System.getProperty("user.name"));
        return !own
                && !ROOT.equals(uid)
                && named.filter(user -> user.equals(name) || user.equals(String.valueOf(uid)))
                        .isEmpty();
    }

    private static String foreignTo(Path path, String what) throws IOException {
        return " belongs to the user " + Files.getOwner(path, LinkOption.NOFOLLOW_LINKS)
                + ", and neither to root nor to the user of this process; if " + what
                + " is the right one, name its owner with Endpoint.ownedBy";
    }
}
