package io.csi4j.admin.internal.console;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;

/** Links to the pages of volumes, plugins and nodes. */
final class Links {
    private Links() {}

    static String address(VolumeKey key) {
        return Request.address(
                "/volume",
                "namespace",
                key.namespace().value(),
                "id",
                key.volumeId().value());
    }

    static void volume(Html html, VolumeKey key) {
        html.link(address(key), key.toString());
    }

    static void plugin(Html html, PluginId plugin) {
        html.link(Request.address("/plugin", "id", plugin.value()), plugin.toString());
    }

    /** Links to the page of a node. */
    static void node(Html html, NodeId node) {
        html.link(Request.address("/node", "id", node.value()), node.toString());
    }
}
