package io.csi4j.core.cluster;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.OperatorOverride;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The machine behind a node, as one plugin identifies it. A node keeps its id when its machine is replaced; the plugin
 * then reports another external id of the node. A driver upgrade that renames nodes looks the same. So what the state
 * knows of a former external id is never applied to the present one, until an operator says what the change means.
 *
 * @param pluginId the plugin
 * @param externalNodeId the external id that the plugin's node service reported last
 * @param fenced whether the host has fenced or removed the node since the plugin last reported this id
 * @param former the external ids that the plugin reported before, as far as claims or attachments still have them, in
 *     the order of the ids
 * @param statement the last statement of an operator about a former external id; empty if there is none
 */
public record NodeMachine(
        PluginId pluginId,
        ExternalNodeId externalNodeId,
        boolean fenced,
        List<Former> former,
        Optional<OperatorOverride> statement) {
    public NodeMachine {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        former = List.copyOf(former);
        Objects.requireNonNull(statement, "statement");
    }

    /**
     * A former external id of the node.
     *
     * @param lost whether the host or an operator has said that the machine with this id cannot reach storage any more
     */
    public record Former(ExternalNodeId externalNodeId, boolean lost) {
        public Former {
            Objects.requireNonNull(externalNodeId, "externalNodeId");
        }
    }

    /** Returns an entry about a former external id; empty if no claim and no attachment has the id. */
    public Optional<Former> former(ExternalNodeId id) {
        return former.stream().filter(one -> one.externalNodeId().equals(id)).findFirst();
    }
}
