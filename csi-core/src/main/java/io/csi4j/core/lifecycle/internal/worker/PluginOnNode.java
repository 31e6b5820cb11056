package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;

/** One plugin on one node. The limit of attached volumes belongs to this pair. */
public record PluginOnNode(PluginId plugin, NodeId nodeId) {}
