package io.csi4j.admin.internal.console;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;

/** Links to the pages of volumes, classes, plugins and nodes. */
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

    /** Links to the page of a class. */
    static void volumeClass(Html html, VolumeClassName name) {
        html.link(Request.address("/class", "name", name.value()), name.toString());
    }

    /** Links to the list of the volumes that were made from a class of this name. */
    static void volumesOf(Html html, VolumeClassName name) {
        html.link(Request.address("/volumes", "class", name.value()), "volumes");
    }

    /** Links to the page of a node. */
    static void node(Html html, NodeId node) {
        html.link(Request.address("/node", "id", node.value()), node.toString());
    }
}
