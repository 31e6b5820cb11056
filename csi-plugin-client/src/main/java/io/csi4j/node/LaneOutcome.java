package io.csi4j.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a call ended, seen together with the mount table: a plugin's word that something is gone does not count while
 * it is mounted, and NOT_FOUND means that it is gone only where nothing is mounted (R87, R91).
 *
 * @param problem why it counts as failed; null: it is done
 * @param seen whether something is mounted at the path now
 */
record LaneOutcome(@Nullable Throwable problem, boolean seen) {
    static LaneOutcome of(MountAction action, Path path, @Nullable Throwable error, Optional<MountPoints> table) {
        boolean seen = table.isPresent() && !table.get().within(path).isEmpty();
        if (action.isMaking()) {
            return new LaneOutcome(error, seen);
        }
        if (error == null && seen) {
            return new LaneOutcome(
                    new IOException("the plugin said that it is done, and " + path
                            + " is still mounted; look who uses it there"),
                    true);
        }
        boolean gone = error != null && Causes.notFound(error) && table.isPresent() && !seen;
        return new LaneOutcome(gone ? null : error, seen);
    }
}
