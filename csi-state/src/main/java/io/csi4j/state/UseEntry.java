package io.csi4j.state;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;

/**
 * An entry of the index of claims and attachments by node, and by plugin within: a node's limit of volumes is told
 * by each plugin.
 */
record UseEntry(NodeId nodeId, PluginId pluginId, VolumeKey volume) {}
