package io.csi4j.node;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.NodeService;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A plugin's node service that can be called now.
 *
 * @param service the calls; each future has to end, because it has a deadline
 * @param capabilities the reported capabilities (R42)
 * @param baseDirectory the plugin's path of the base directory, absolute; empty: the same as the host's
 */
public record NodePlugin(
        NodeService service, CapabilitySet<NodeCapability> capabilities, Optional<Path> baseDirectory) {
    /**
     * Checks the path.
     *
     * @throws IllegalArgumentException if the base directory is not absolute
     */
    public NodePlugin {
        Objects.requireNonNull(service, "service");
        Objects.requireNonNull(capabilities, "capabilities");
        Objects.requireNonNull(baseDirectory, "baseDirectory");
        baseDirectory.ifPresent(path -> {
            if (!path.isAbsolute()) {
                throw new IllegalArgumentException("NodePlugin: baseDirectory '" + path
                        + "' is not absolute; give the path inside the plugin's own file system");
            }
        });
    }

    /** Returns a plugin that sees the same paths as the host. */
    public static NodePlugin of(NodeService service, CapabilitySet<NodeCapability> capabilities) {
        return new NodePlugin(service, capabilities, Optional.empty());
    }
}
