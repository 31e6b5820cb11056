package io.csi4j.core.spi;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import java.time.Instant;
import java.util.Objects;

/**
 * A plugin reports another external id for a node while claims or attachments have the former one: the machine was
 * replaced, or the plugin renamed it. Unless the host has said that the former machine is lost, its claims are held
 * until an operator says which it is.
 *
 * @param former the external id that claims or attachments have
 * @param present the external id that the plugin reports now
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record NodeReplacedEvent(
        NodeId nodeId, PluginId pluginId, ExternalNodeId former, ExternalNodeId present, long index, Instant at) {
    public NodeReplacedEvent {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(former, "former");
        Objects.requireNonNull(present, "present");
        Objects.requireNonNull(at, "at");
    }
}
