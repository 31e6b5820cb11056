package io.csi4j.core.lifecycle.internal.step;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;

/** A plugin and a node. The node's limit of attached volumes is known for each such pair. */
public record PluginOnNode(PluginId plugin, NodeId nodeId) {}
