package io.csi4j.client.internal.transport;

import io.csi4j.core.internal.text.Text;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Checks paths for use as the address of a Unix socket. */
public final class SocketPath {
    /** The longest path in bytes: an address of a Unix socket has 108 bytes, and the last one is a zero byte. */
    public static final int MAX_BYTES = 107;

    private SocketPath() {}

    /**
     * Returns the path that a text names.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or not a path
     */
    public static Path parse(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    "endpoint: the path of the socket is empty; write for example unix:///run/csi/plugin.sock");
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("endpoint: the path " + text + " has " + bytes
                    + " bytes, and the address of a Unix socket has room for " + MAX_BYTES
                    + "; use a shorter path, a symbolic link to its directory, or a path relative to the"
                    + " working directory");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException unusable) {
            throw new IllegalArgumentException(
                    "endpoint: " + Text.printable(text) + " is not a path on this system: " + unusable.getReason(),
                    unusable);
        }
    }
}
