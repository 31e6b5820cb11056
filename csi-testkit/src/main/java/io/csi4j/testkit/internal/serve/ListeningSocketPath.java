package io.csi4j.testkit.internal.serve;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The address at which a plugin listens: {@code unix:///run/x.sock}, {@code unix:/run/x.sock} or {@code /run/x.sock} (R1).
 *
 * @param path absolute, ends with {@code .sock}
 */
public record ListeningSocketPath(Path path) {
    /** The longest path that fits into the address of a Unix socket on Linux, without its final zero byte. */
    private static final int LONGEST = 107;

    /**
     * Parses an endpoint.
     *
     * @throws IllegalArgumentException with the problem and the remedy
     */
    public static ListeningSocketPath of(String endpoint) {
        String text = endpoint;
        if (text.startsWith("unix://")) {
            text = text.substring("unix://".length());
        } else if (text.startsWith("unix:")) {
            text = text.substring("unix:".length());
        } else if (text.contains("://")) {
            throw new IllegalArgumentException(
                    "endpoint '" + endpoint + "' is no Unix socket; write unix:///run/plugin.sock (R1, R2)");
        }
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException(
                    "endpoint '" + endpoint + "' has no absolute path; write unix:///run/plugin.sock (R1)");
        }
        if (!text.endsWith(".sock")) {
            throw new IllegalArgumentException("endpoint '" + endpoint + "' must end with .sock (R1)");
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > LONGEST) {
            throw new IllegalArgumentException("endpoint '" + endpoint + "' has a path of " + bytes + " bytes; a Unix"
                    + " socket can have " + LONGEST + ": use a shorter directory");
        }
        return new ListeningSocketPath(Path.of(text).normalize());
    }

    /**
     * Checks that no process listens at the path; the socket of a dead process is accepted.
     *
     * @throws IOException if a process listens there, or the path is no socket, with a message for the operator
     */
    public void requireFree() throws IOException {
        ListeningSocketFile.requireFree(path);
    }

    /** Returns the form for CSI_ENDPOINT, like {@code unix:///run/x.sock}. */
    public String endpoint() {
        return "unix://" + path;
    }
}
