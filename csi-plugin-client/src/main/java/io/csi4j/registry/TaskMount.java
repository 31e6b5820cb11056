package io.csi4j.registry;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A directory of the host that has to be mounted into a plugin's task, writable.
 *
 * @param hostPath where it is on the host
 * @param taskPath where the task has to see it
 * @param bidirectional whether mounts that either side makes below it have to be seen by the other (R9): rshared
 */
public record TaskMount(Path hostPath, Path taskPath, boolean bidirectional) {
    /** Checks that the paths are there. */
    public TaskMount {
        Objects.requireNonNull(hostPath, "hostPath");
        Objects.requireNonNull(taskPath, "taskPath");
    }
}
