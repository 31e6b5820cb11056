package io.csi4j.node.internal.mount;

import io.csi4j.node.MountPoints;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.UserEntry;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call, judged together with the mount table. A plugin's OK for an unmount does not count while the path is mounted, and
 * NOT_FOUND means unmounted only if nothing is mounted (R87, R91). A plugin's OK for a mount does not count if the path was a mount point
 * before the call and is none now.
 *
 * @param problem the reason why the call failed; null: success
 * @param seen whether the path is a mount point now; if the table cannot be read, whether it was one before
 * @param vain whether the plugin answered OK for a mount that is missing
 */
public record NodeCallResult(@Nullable Throwable problem, boolean seen, boolean vain) {
    public static NodeCallResult of(
            VolumeEntry entry, MountAction action, Path path, @Nullable Throwable error, Optional<MountPoints> table) {
        boolean seen = table.isPresent() && !table.get().within(path).isEmpty();
        if (action.isMaking()) {
            boolean before = seenBefore(entry, action);
            if (error == null && before && !seen && table.isPresent()) {
                return new NodeCallResult(
                        new IOException("the plugin said that it is done, and nothing is mounted at " + path
                                + ", where something was before; it is taken down and made again, look after the"
                                + " plugin if that goes on"),
                        false,
                        true);
            }
            return new NodeCallResult(error, seen || (before && table.isEmpty()), false);
        }
        if (action instanceof MountAction.DirectUnmount) {
            return new NodeCallResult(directly(path, error, table, seen), seen, false);
        }
        if (error == null && seen) {
            return new NodeCallResult(
                    new IOException("the plugin said that it is done, and " + path
                            + " is still mounted; look who uses it there"),
                    true,
                    false);
        }
        boolean gone = error != null && NodeFailures.notFound(error) && table.isPresent() && !seen;
        return new NodeCallResult(gone ? null : error, seen, false);
    }

    /**
     * Returns the reason why a direct unmount failed; null if it succeeded. It succeeded if the mount table no longer
     * has the path. If the path is still mounted and the call failed, {@code error} is the reason.
     */
    private static @Nullable Throwable directly(
            Path path, @Nullable Throwable error, Optional<MountPoints> table, boolean seen) {
        if (table.isEmpty()) {
            return new IOException("the mount table cannot be read, so it is not known whether the direct unmount of "
                    + path + " succeeded; it is read again");
        }
        if (!seen) {
            return null;
        }
        return error != null
                ? error
                : new IOException("the direct unmount of " + path + " answered OK, and the path is still mounted; it"
                        + " is unmounted again");
    }

    private static boolean seenBefore(VolumeEntry entry, MountAction action) {
        StagingEntry staging = entry.staging();
        return action instanceof MountAction.Publish publish
                ? entry.user(publish.allocationId()).filter(UserEntry::seen).isPresent()
                : staging != null && staging.seen();
    }
}
