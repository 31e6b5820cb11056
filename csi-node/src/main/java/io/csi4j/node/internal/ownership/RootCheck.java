package io.csi4j.node.internal.ownership;

import io.csi4j.node.internal.ledger.StrictPaths;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** One look at the root directory of a mounted volume, on a thread of its own, because a mount that hangs blocks it. */
public final class RootCheck {
    private static final int READ_AND_ENTER = 0050;
    private static final int ALL = 0070;
    private static final int PERMISSIONS = 0777;

    private RootCheck() {}

    /** Begins the look; see {@link io.csi4j.node.VolumeOwnership#checkRoot}. */
    public static CompletableFuture<Optional<String>> start(Path target, OptionalLong group, boolean readonly) {
        CompletableFuture<Optional<String>> result = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        result.complete(missing(target, group, readonly));
                    } catch (IOException e) {
                        result.complete(Optional.of("it could not be looked at: " + NodeFailures.text(e)));
                    } catch (RuntimeException | Error e) {
                        result.completeExceptionally(e);
                    }
                },
                "csi4j-root-check");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static Optional<String> missing(Path target, OptionalLong group, boolean readonly) throws IOException {
        Map<String, Object> found = StrictPaths.call(
                target, strict -> Files.readAttributes(strict, "unix:gid,mode", LinkOption.NOFOLLOW_LINKS));
        long gid = Integer.toUnsignedLong((Integer) Objects.requireNonNull(found.get("gid")));
        int mode = (Integer) Objects.requireNonNull(found.get("mode")) & PERMISSIONS;
        int needed = readonly ? READ_AND_ENTER : ALL;
        List<String> missing = new ArrayList<>();
        if (group.isPresent() && group.getAsLong() != gid) {
            missing.add("its group is " + gid + " and not " + group.getAsLong());
        }
        if ((mode & needed) != needed) {
            missing.add("its mode is 0" + Integer.toOctalString(mode) + ", so the group may not "
                    + (readonly ? "read" : "read and write") + " it");
        }
        return missing.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", missing));
    }
}
