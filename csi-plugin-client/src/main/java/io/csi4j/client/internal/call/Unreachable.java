package io.csi4j.client.internal.call;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.file.SocketOwner;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the reason why an endpoint is unreachable, for the error message. The messages of the operating system do not
 * suffice: they differ between transports and do not name the path.
 */
final class Unreachable {
    private Unreachable() {}

    /** Returns the reason; null if no reason can be found. */
    static @Nullable String reason(Endpoint endpoint, @Nullable Throwable cause) {
        Path path = endpoint.path().orElse(null);
        if (path == null) {
            return endpoint.inProcessName()
                    .map(name ->
                            "no plugin is served in this process as " + name + ": it is stopped, or was never started")
                    .orElse(null);
        }
        try {
            BasicFileAttributes there = Files.readAttributes(path, BasicFileAttributes.class);
            if (there.isDirectory() || there.isRegularFile()) {
                return path + " is a " + (there.isDirectory() ? "directory" : "regular file")
                        + ", not a socket; correct the endpoint";
            }
        } catch (NoSuchFileException absent) {
            return Files.exists(path, LinkOption.NOFOLLOW_LINKS)
                    ? path + " is a symbolic link that leads nowhere"
                    : "there is no socket " + path + ": the plugin is not running, or listens elsewhere";
        } catch (AccessDeniedException denied) {
            return "this user may not enter the directory of " + path;
        } catch (IOException unreadable) {
            return "the socket " + path + " cannot be looked at: " + unreadable.getMessage();
        }
        Optional<String> foreign = SocketOwner.problem(path, endpoint.owner());
        if (foreign.isPresent()) {
            return foreign.get();
        }
        if (!Files.isWritable(path)) {
            return "this user may not connect to the socket " + path + " (it takes the right to write)";
        }
        if (refused(cause)) {
            return "the socket file " + path + " exists, but no process listens: the plugin has stopped or crashed"
                    + " (or it hangs, and its queue is full)";
        }
        return null;
    }

    private static boolean refused(@Nullable Throwable cause) {
        for (Throwable reason = cause; reason != null; reason = reason.getCause()) {
            if (reason instanceof ConnectException) {
                return true;
            }
        }
        return false;
    }
}
