package io.csi4j.state;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Objects;
import java.util.Optional;
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

    <K, R> void put(RowType<K, R> type, R row) {
        R before = tables.rows(type).get(type.key(row));
        tables.replace(type, tables.rows(type).put(edit(), row));
        RowTable.of(type).index(this, before, row);
    }

    <K, R> void remove(RowType<K, R> type, K key) {
        R before = tables.rows(type).get(key);
        if (before != null) {
            tables.replace(type, tables.rows(type).remove(edit(), key));
            RowTable.of(type).index(this, before, null);
        }
    }

    /** Updates the index of nodes with an unsettled ledger, after the row was changed. */
    void indexNode(@Nullable Node before, @Nullable Node after) {
        Node row = after == null ? Objects.requireNonNull(before) : after;
        if (after != null && !after.ledger().isSettled()) {
            tables.unsettledNodes = tables.unsettledNodes.put(edit(), after);
        } else if (tables.unsettledNodes.get(row.id()) != null) {
            tables.unsettledNodes = tables.unsettledNodes.remove(edit(), row.id());
        }
        touched.add(Table.NODES, row.id());
    }

    void indexAllocation(@Nullable Allocation before, @Nullable Allocation after) {
        boolean moved = before == null || after == null || !before.nodeId().equals(after.nodeId());
        if (before != null) {
            if (moved) {
                tables.allocationsOnNode = Group.remove(tables.allocationsOnNode, edit(), before.nodeId(), before.id());
            }
            touched.add(Table.ALLOCATIONS, before.id());
            touched.add(Table.ALLOCATIONS_BY_NODE, before.nodeId());
        }
        if (after != null) {
            if (moved) {
                tables.allocationsOnNode =
                        Group.add(tables.allocationsOnNode, edit(), after.nodeId(), after.id(), Keys.NO_ALLOCATION_IDS);
            }
            touched.add(Table.ALLOCATIONS, after.id());
            touched.add(Table.ALLOCATIONS_BY_NODE, after.nodeId());
        }
        Optional<DeploymentId> was = runningFor(before);
        Optional<DeploymentId> is = runningFor(after);
        if (!was.equals(is)) {
            was.ifPresent(this::pluginsTouched);
            is.ifPresent(this::pluginsTouched);
        }
    }

    private static Optional<DeploymentId> runningFor(@Nullable Allocation allocation) {
        return Optional.ofNullable(allocation).filter(one -> !one.ended()).flatMap(Allocation::deployment);
    }

    /** Records the change of a deployment's plugins: whether a controller is declared depends on its allocation. */
    private void pluginsTouched(DeploymentId id) {
        PluginDeployment deployment = tables.rows(RowType.DEPLOYMENTS).get(id);
        if (deployment != null) {
            deployment.expected().keySet().forEach(this::pluginTouched);
        }
    }

    void indexInstance(@Nullable PluginInstance before, @Nullable PluginInstance after) {
        if (before != null && (after == null || after.proved() != before.proved())) {
            tables.instancesByKind = KindInstances.remove(tables.instancesByKind, edit(), before);
            if (before.proved()) {
                tables.instancesByLocation = NodeInstances.remove(tables.instancesByLocation, edit(), before.key());
            }
            touched(before.key());
        }
        if (after != null) {
            tables.instancesByKind = KindInstances.put(tables.instancesByKind, edit(), after);
            if (after.proved()) {
                tables.instancesByLocation = NodeInstances.put(tables.instancesByLocation, edit(), after);
            }
            touched(after.key());
        }
    }

    private void touched(InstanceKey key) {
        pluginTouched(key.pluginId());
        touched.add(Table.INSTANCES_BY_NODE, key.nodeId());
    }

    void indexDeployment(@Nullable PluginDeployment before, @Nullable PluginDeployment after) {
        if (before != null) {
            for (PluginId pluginId : before.expected().keySet()) {
                tables.deploymentsOfPlugin = Group.remove(tables.deploymentsOfPlugin, edit(), pluginId, before.id());
                pluginTouched(pluginId);
            }
        }
        if (after != null) {
            for (PluginId pluginId : after.expected().keySet()) {
                tables.deploymentsOfPlugin =
                        Group.add(tables.deploymentsOfPlugin, edit(), pluginId, after.id(), Keys.NO_DEPLOYMENT_IDS);
                pluginTouched(pluginId);
            }
        }
    }

    void indexRequestedClaims(@Nullable RequestedClaims before, @Nullable RequestedClaims after) {
        touched.add(Table.REQUESTED_CLAIMS, (after == null ? Objects.requireNonNull(before) : after).allocationId());
    }

    void indexAccessToken(@Nullable AccessToken before, @Nullable AccessToken after) {
        touched.add(Table.ACCESS_TOKENS, (after == null ? Objects.requireNonNull(before) : after).id());
    }

    void indexVolumeClass(@Nullable VolumeClass before, @Nullable VolumeClass after) {
        touched.add(Table.VOLUME_CLASSES, (after == null ? Objects.requireNonNull(before) : after).name());
    }

    void indexQuota(@Nullable VolumeQuota before, @Nullable VolumeQuota after) {
        touched.add(Table.QUOTAS, (after == null ? Objects.requireNonNull(before) : after).key());
    }

    /** Updates the indexes of snapshots. The source volume of a snapshot never changes. */
    void indexSnapshot(@Nullable VolumeSnapshot before, @Nullable VolumeSnapshot after) {
        VolumeSnapshot row = after == null ? Objects.requireNonNull(before) : after;
        tables.snapshotsOfVolume = after == null
                ? tables.snapshotsOfVolume.remove(edit(), row)
                : tables.snapshotsOfVolume.put(edit(), after);
        if (after != null && after.unsettled()) {
            tables.unsettledSnapshots = tables.unsettledSnapshots.put(edit(), after);
        } else if (tables.unsettledSnapshots.get(row.key()) != null) {
            tables.unsettledSnapshots = tables.unsettledSnapshots.remove(edit(), row.key());
        }
        touched.add(Table.SNAPSHOTS, row.key());
    }

    void indexPluginProfile(@Nullable PluginProfile before, @Nullable PluginProfile after) {
        pluginTouched((after == null ? Objects.requireNonNull(before) : after).pluginId());
    }

    void indexWithdrawnCreation(@Nullable WithdrawnCreation before, @Nullable WithdrawnCreation after) {
        if (before != null) {
            tables.quotaUses = CountedUse.remove(tables.quotaUses, edit(), before);
        }
        if (after != null) {
            tables.quotaUses = CountedUse.add(tables.quotaUses, edit(), after);
        }
    }

    void indexFacts(@Nullable PluginFacts before, @Nullable PluginFacts after) {
        pluginTouched((after == null ? Objects.requireNonNull(before) : after).pluginId());
    }

    /** Records the change of a plugin, after its rows were changed. */
    private void pluginTouched(PluginId pluginId) {
        tables.pluginViews = new PluginViews();
        touched.add(Table.PLUGINS, pluginId);
    }
}
