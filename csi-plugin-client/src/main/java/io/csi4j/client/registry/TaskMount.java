package io.csi4j.client.registry;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A directory of the host that has to be mounted, writable, into a plugin's task.
 *
 * @param hostPath the path on the host
 * @param taskPath the path inside the task
 * @param bidirectional whether mounts below the directory have to be visible both on the host and in the task (R9), as with the mount
 *     propagation {@code rshared}
 */
public record TaskMount(Path hostPath, Path taskPath, boolean bidirectional) {
    public TaskMount {
        Objects.requireNonNull(hostPath, "hostPath");
        Objects.requireNonNull(taskPath, "taskPath");
    }
}
