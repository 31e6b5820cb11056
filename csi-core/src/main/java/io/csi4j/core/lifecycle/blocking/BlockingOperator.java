package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.Drift;
import io.csi4j.core.lifecycle.NodeOverride;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.OperatorActions;
import io.csi4j.core.lifecycle.OrphanedVolumes;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.StorageHealthReport;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.WithdrawnCreation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The operations for operators, for callers that block. Each method waits for the operation of the same name in
 * {@link OperatorActions}; see {@link BlockingLifecycle}.
 */
public final class BlockingOperator {
    private final OperatorActions view;

    BlockingOperator(OperatorActions view) {
        this.view = view;
    }

    /** Waits for {@link OperatorActions#withdrawDeletion(VolumeKey)}. */
    public Volume withdrawDeletion(VolumeKey key) {
        return Waiting.on(view.withdrawDeletion(key));
    }

    /** Waits for {@link OperatorActions#withdrawExpansion(VolumeKey)}. */
    public Volume withdrawExpansion(VolumeKey key) {
        return Waiting.on(view.withdrawExpansion(key));
    }

    /** Waits for {@link OperatorActions#storageHealth(PluginId, NodeId)}. */
    public StorageHealthReport storageHealth(PluginId plugin, NodeId nodeId) {
        return Waiting.on(view.storageHealth(plugin, nodeId));
    }

    /** Waits for {@link OperatorActions#plugins()}. */
    public List<PluginView> plugins() {
        return Waiting.on(view.plugins());
    }

    /** Waits for {@link OperatorActions#plugin(PluginId)}. */
    public Optional<PluginReport> plugin(PluginId plugin) {
        return Waiting.on(view.plugin(plugin));
    }

    /** Waits for {@link OperatorActions#calls()}. */
    public List<PluginCall> calls() {
        return Waiting.on(view.calls());
    }

    /** Waits for {@link OperatorActions#nodes()}. */
    public List<NodeView> nodes() {
        return Waiting.on(view.nodes());
    }

    /** Waits for {@link OperatorActions#node(NodeId)}. */
    public NodeView node(NodeId nodeId) {
        return Waiting.on(view.node(nodeId));
    }

    /** Waits for {@link OperatorActions#forgetUnmount(VolumeKey, NodeId, AllocationId, String)}. */
    public void forgetUnmount(VolumeKey key, NodeId nodeId, AllocationId allocationId, String reason) {
        Waiting.on(view.forgetUnmount(key, nodeId, allocationId, reason));
    }

    /** Waits for {@link OperatorActions#waitForPlugin(PluginId, Duration)}. */
    public PluginReport waitForPlugin(PluginId pluginId, Duration limit) {
        return Waiting.on(view.waitForPlugin(pluginId, limit));
    }

    /** Waits for {@link OperatorActions#deletePlugin(PluginId)}. */
    public void deletePlugin(PluginId plugin) {
        Waiting.on(view.deletePlugin(plugin));
    }

    /** Waits for {@link OperatorActions#setProvider(PluginId, String, String)}. */
    public void setProvider(PluginId plugin, String provider, String reason) {
        Waiting.on(view.setProvider(plugin, provider, reason));
    }

    /** Waits for {@link OperatorActions#reconcile(PluginId, boolean)}. */
    public List<Drift> reconcile(PluginId plugin, boolean repair) {
        return Waiting.on(view.reconcile(plugin, repair));
    }

    /** Waits for {@link OperatorActions#orphanedVolumes(PluginId)}. */
    public OrphanedVolumes orphanedVolumes(PluginId plugin) {
        return Waiting.on(view.orphanedVolumes(plugin));
    }

    /** Waits for {@link OperatorActions#detach(VolumeKey, NodeId)}. */
    public DetachReport detach(VolumeKey key, NodeId nodeId) {
        return Waiting.on(view.detach(key, nodeId));
    }

    /** Waits for {@link OperatorActions#recheck(VolumeKey)}. */
    public void recheck(VolumeKey key) {
        Waiting.on(view.recheck(key));
    }

    /** Waits for {@link OperatorActions#overrideClaim(VolumeKey, AllocationId, String)}. */
    public void overrideClaim(VolumeKey key, AllocationId allocationId, String reason) {
        Waiting.on(view.overrideClaim(key, allocationId, reason));
    }

    /** Waits for {@link OperatorActions#overrideAttachment(VolumeKey, NodeId, String)}. */
    public void overrideAttachment(VolumeKey key, NodeId nodeId, String reason) {
        Waiting.on(view.overrideAttachment(key, nodeId, reason));
    }

    /** Waits for {@link OperatorActions#forgetVolume(VolumeKey, String)}. */
    public void forgetVolume(VolumeKey key, String reason) {
        Waiting.on(view.forgetVolume(key, reason));
    }

    /** Waits for {@link OperatorActions#leftovers()}. */
    public List<Leftover> leftovers() {
        return Waiting.on(view.leftovers());
    }

    /** Waits for {@link OperatorActions#overrideLeftover(Leftover.Key, String)}. */
    public void overrideLeftover(Leftover.Key key, String reason) {
        Waiting.on(view.overrideLeftover(key, reason));
    }

    /** Waits for {@link OperatorActions#withdrawCreation(VolumeKey, String)}. */
    public Optional<WithdrawnCreation> withdrawCreation(VolumeKey key, String reason) {
        return Waiting.on(view.withdrawCreation(key, reason));
    }

    /** Waits for {@link OperatorActions#withdrawnCreations()}. */
    public List<WithdrawnCreation> withdrawnCreations() {
        return Waiting.on(view.withdrawnCreations());
    }

    /** Waits for {@link OperatorActions#forgetWithdrawnCreation(WithdrawnCreation.Key, String)}. */
    public void forgetWithdrawnCreation(WithdrawnCreation.Key key, String reason) {
        Waiting.on(view.forgetWithdrawnCreation(key, reason));
    }

    /** Waits for {@link OperatorActions#previewNode(NodeId, NodeStatement)}. */
    public NodeOverride previewNode(NodeId nodeId, NodeStatement statement) {
        return Waiting.on(view.previewNode(nodeId, statement));
    }

    /** Waits for {@link OperatorActions#overrideNode(NodeOverride, String)}. */
    public void overrideNode(NodeOverride preview, String reason) {
        Waiting.on(view.overrideNode(preview, reason));
    }
}
