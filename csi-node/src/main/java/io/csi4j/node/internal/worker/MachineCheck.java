package io.csi4j.node.internal.worker;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.MachineIds;
import java.io.IOException;
import java.util.Optional;

/**
 * Refuses requests for another machine. A server that has not noticed yet that a machine was replaced sends its requests
 * to the new one, which has the same node id. Its answer that nothing is mounted would free volumes that the former
 * machine may still write to.
 */
final class MachineCheck {
    private final NodePlugins plugins;
    private final MachineIds ids;

    MachineCheck(NodePlugins plugins, MachineIds ids) {
        this.plugins = plugins;
        this.ids = ids;
    }

    /**
     * Stores the id by which a plugin knows this machine, if the plugin is there and says it.
     *
     * @throws IOException if the id is new and could not be stored
     */
    Optional<ExternalNodeId> learn(PluginId pluginId) throws IOException {
        Optional<ExternalNodeId> present = plugins.find(pluginId).flatMap(NodePlugin::externalNodeId);
        if (present.isPresent()) {
            ids.learn(pluginId, present.get());
        }
        return present;
    }

    /**
     * Checks that a request to mount is for this machine. While the plugin is not there, the request waits for it
     * anyway.
     *
     * @throws NodeVolumeException with OTHER_MACHINE if it is for another one
     */
    void mounting(NodeVolumeId id, Optional<ExternalNodeId> expected) throws IOException {
        Optional<ExternalNodeId> present = learn(id.pluginId());
        if (expected.isPresent() && present.isPresent() && !present.equals(expected)) {
            throw otherMachine(id, expected.get(), present.get());
        }
    }

    /**
     * Checks that a request to unmount is for this machine.
     *
     * @param recorded whether the ledger has the use of the volume, so that this machine must have made it
     * @throws NodeVolumeException with OTHER_MACHINE if it is for another one, or if nothing says that it is not
     */
    void unmounting(NodeVolumeId id, Optional<ExternalNodeId> expected, boolean recorded) throws IOException {
        Optional<ExternalNodeId> present = learn(id.pluginId());
        if (expected.isEmpty() || present.equals(expected)) {
            return;
        }
        if (present.isPresent()) {
            throw otherMachine(id, expected.get(), present.get());
        }
        if (!recorded && !ids.had(id.pluginId(), expected.get())) {
            throw new NodeVolumeException(
                    Reason.OTHER_MACHINE,
                    "Volume " + id.volume() + " is to be unmounted on the machine " + expected.get()
                            + ", and plugin " + id.pluginId() + " has never said that this machine has that id: start"
                            + " the plugin here, or, if that machine is gone, state for the node that it is lost");
        }
    }

    private static NodeVolumeException otherMachine(NodeVolumeId id, ExternalNodeId expected, ExternalNodeId present) {
        return new NodeVolumeException(
                Reason.OTHER_MACHINE,
                "Volume " + id.volume() + " is claimed on the machine " + expected + ", and plugin " + id.pluginId()
                        + " says that this machine is " + present
                        + ": state for the node that the former machine is lost, or that it was renamed");
    }
}
