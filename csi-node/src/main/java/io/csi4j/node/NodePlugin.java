package io.csi4j.node;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.rpc.NodeService;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * A plugin on this node whose node service can be called now.
 *
 * @param service the node service; each of its calls has to have a deadline, so that its future completes
 * @param capabilities the reported capabilities (R42)
 * @param baseDirectory the absolute path at which the plugin sees the base directory; empty if the plugin sees it at
 *     the same path as the host
 * @param externalNodeId the plugin's id of this machine, from NodeGetInfo; empty if it has reported none. Requests for a
 *     machine with another id are refused
 */
public record NodePlugin(
        NodeService service,
        CapabilitySet<NodeCapability> capabilities,
        Optional<Path> baseDirectory,
        Optional<ExternalNodeId> externalNodeId) {
    /**
     * Checks the path of the base directory.
     *
     * @throws IllegalArgumentException if the base directory is not absolute
     */
    public NodePlugin {
        Objects.requireNonNull(service, "service");
        Objects.requireNonNull(capabilities, "capabilities");
        Objects.requireNonNull(baseDirectory, "baseDirectory");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        baseDirectory.ifPresent(path -> {
            if (!path.isAbsolute()) {
                throw new IllegalArgumentException("NodePlugin: baseDirectory '" + path
                        + "' is not absolute; give the path inside the plugin's own file system");
            }
        });
    }

    /**
     * Creates a plugin that has reported no id of this machine.
     *
     * @param baseDirectory the absolute path at which the plugin sees the base directory; empty if the plugin sees it
     *     at the same path as the host
     * @throws IllegalArgumentException if the base directory is not absolute
     */
    public NodePlugin(NodeService service, CapabilitySet<NodeCapability> capabilities, Optional<Path> baseDirectory) {
        this(service, capabilities, baseDirectory, Optional.empty());
    }

    /** Returns a plugin that sees the same paths as the host, and has reported no id of this machine. */
    public static NodePlugin of(NodeService service, CapabilitySet<NodeCapability> capabilities) {
        return new NodePlugin(service, capabilities, Optional.empty(), Optional.empty());
    }

    /** Returns the same plugin with its id of this machine. */
    public NodePlugin on(ExternalNodeId externalNodeId) {
        return new NodePlugin(service, capabilities, baseDirectory, Optional.of(externalNodeId));
    }
}
