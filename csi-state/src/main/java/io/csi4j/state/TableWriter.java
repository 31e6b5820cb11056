package io.csi4j.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.WithdrawnCreation;
import org.jspecify.annotations.Nullable;

/** Changes rows, and the indexes if keys change; records the changes for watchers. */
final class TableWriter {
    final Tables tables;
    final Touched touched = new Touched();
    final VolumeWriter volumes;
    private long edit;
    private boolean written;

    TableWriter(Tables base, Sharer sharer) {
        this.tables = new Tables(base);
        this.edit = Edits.next();
        this.volumes = new VolumeWriter(this, sharer);
    }

    long edit() {
        written = true;
        return edit;
    }

    /** Freezes the trees written so far, because a query iterates over them; later changes copy their nodes. */
    void freeze() {
        if (written) {
            written = false;
            edit = Edits.next();
        }
    }

    void putNode(Node node) {
        tables.nodes = tables.nodes.put(edit(), node);
        if (!node.ledger().isSettled()) {
            tables.unsettledNodes = tables.unsettledNodes.put(edit(), node);
        } else if (tables.unsettledNodes.get(node.id()) != null) {
            tables.unsettledNodes = tables.unsettledNodes.remove(edit(), node.id());
        }
        touched.add(Table.NODES, node.id());
    }

    void removeNode(NodeId nodeId) {
        if (tables.nodes.get(nodeId) != null) {
            tables.nodes = tables.nodes.remove(edit(), nodeId);
            if (tables.unsettledNodes.get(nodeId) != null) {
                tables.unsettledNodes = tables.unsettledNodes.remove(edit(), nodeId);
            }
            touched.add(Table.NODES, nodeId);
        }
    }

    void putAllocation(Allocation allocation) {
        AllocationId id = allocation.id();
        Allocation before = tables.allocations.get(id);
        tables.allocations = tables.allocations.put(edit(), allocation);
        boolean moved = before == null || !before.nodeId().equals(allocation.nodeId());
        if (moved) {
            leave(before);
            tables.allocationsOnNode =
                    Group.add(tables.allocationsOnNode, edit(), allocation.nodeId(), id, Keys.NO_ALLOCATION_IDS);
        }
        touched.add(Table.ALLOCATIONS, id);
        touched.add(Table.ALLOCATIONS_BY_NODE, allocation.nodeId());
    }

    void removeAllocation(AllocationId id) {
        Allocation before = tables.allocations.get(id);
        if (before != null) {
            tables.allocations = tables.allocations.remove(edit(), id);
            leave(before);
            touched.add(Table.ALLOCATIONS, id);
        }
    }

    private void leave(@Nullable Allocation before) {
        if (before != null) {
            tables.allocationsOnNode = Group.remove(tables.allocationsOnNode, edit(), before.nodeId(), before.id());
            touched.add(Table.ALLOCATIONS_BY_NODE, before.nodeId());
        }
    }

    void putInstance(PluginInstance instance) {
        tables.instances = tables.instances.put(edit(), instance);
        tables.instancesByKind = KindInstances.put(tables.instancesByKind, edit(), instance);
        tables.instancesByLocation = NodeInstances.put(tables.instancesByLocation, edit(), instance);
        touched(instance.key());
    }

    void removeInstance(InstanceKey key) {
        if (tables.instances.get(key) != null) {
            tables.instances = tables.instances.remove(edit(), key);
            tables.instancesByKind = KindInstances.remove(tables.instancesByKind, edit(), key);
            tables.instancesByLocation = NodeInstances.remove(tables.instancesByLocation, edit(), key);
            touched(key);
        }
    }

    private void touched(InstanceKey key) {
        pluginTouched(key.pluginId());
        touched.add(Table.INSTANCES_BY_NODE, key.nodeId());
    }

    /** Records the change of a plugin, after its rows were changed. */
    private void pluginTouched(PluginId pluginId) {
        tables.pluginViews = new PluginViews();
        touched.add(Table.PLUGINS, pluginId);
    }

    void putDeployment(PluginDeployment deployment) {
        removeDeployment(deployment.id());
        tables.deployments = tables.deployments.put(edit(), deployment);
        for (PluginId pluginId : deployment.expected().keySet()) {
            tables.deploymentsOfPlugin =
                    Group.add(tables.deploymentsOfPlugin, edit(), pluginId, deployment.id(), Keys.NO_DEPLOYMENT_IDS);
            pluginTouched(pluginId);
        }
    }

    void removeDeployment(DeploymentId id) {
        PluginDeployment before = tables.deployments.get(id);
        if (before != null) {
            tables.deployments = tables.deployments.remove(edit(), id);
            for (PluginId pluginId : before.expected().keySet()) {
                tables.deploymentsOfPlugin = Group.remove(tables.deploymentsOfPlugin, edit(), pluginId, id);
                pluginTouched(pluginId);
            }
        }
    }

    void putLeftover(Leftover leftover) {
        tables.leftovers = tables.leftovers.put(edit(), leftover);
    }

    void removeLeftover(Leftover.Key key) {
        if (tables.leftovers.get(key) != null) {
            tables.leftovers = tables.leftovers.remove(edit(), key);
        }
    }

    void putWithdrawnCreation(WithdrawnCreation creation) {
        tables.withdrawnCreations = tables.withdrawnCreations.put(edit(), creation);
    }

    void removeWithdrawnCreation(WithdrawnCreation.Key key) {
        if (tables.withdrawnCreations.get(key) != null) {
            tables.withdrawnCreations = tables.withdrawnCreations.remove(edit(), key);
        }
    }

    void putFacts(PluginFacts facts) {
        tables.facts = tables.facts.put(edit(), facts);
        pluginTouched(facts.pluginId());
    }

    void removeFacts(PluginId pluginId) {
        if (tables.facts.get(pluginId) != null) {
            tables.facts = tables.facts.remove(edit(), pluginId);
            pluginTouched(pluginId);
        }
    }
}
