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
 * @param service its calls; each future has to complete at last (it has a deadline)
 * @param capabilities what it offers (R42), as it told
 * @param baseDirectory the base directory of the node volumes as the plugin sees it, absolute; empty: as the host does
 */
public record NodePlugin(
        NodeService service, CapabilitySet<NodeCapability> capabilities, Optional<Path> baseDirectory) {
    /**
     * Checks that all parts are there.
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

    /**
     * A plugin that sees the paths of the host.
     *
     * @param service its calls
     * @param capabilities what it offers
     * @return the plugin
     */
    public static NodePlugin of(NodeService service, CapabilitySet<NodeCapability> capabilities) {
        return new NodePlugin(service, capabilities, Optional.empty());
    }
}
