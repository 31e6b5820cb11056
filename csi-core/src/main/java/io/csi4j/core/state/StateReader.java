package io.csi4j.core.state;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the state at one index. Snapshots and write transactions implement this interface; a read inside a transaction
 * sees the writes of that transaction.
 *
 * <p>Results are in the order of their keys. An {@link Iterable} reads the rows while it is iterated. Inside a write
 * transaction, the next write makes the {@link Iterable} unusable: to write while iterating, collect the rows first.
 */
public interface StateReader {
    /** Returns the index of the last command in this state; 0 before the first command. */
    long index();

    /** Returns a volume, or empty if it is not registered. */
    Optional<Volume> volume(VolumeKey key);

    /**
     * Lists volumes by any combination of namespace, id prefix, plugin and node, one page at a time.
     *
     * @return one page, in key order
     */
    ListPage<Volume, VolumeKey> volumes(VolumeQuery query);

    /**
     * Returns the volume of a plugin that has this external id, or empty. At most one volume of a plugin has a given
     * {@link Volume#externalVolumeId()}.
     */
    Optional<VolumeKey> volumeByExternalId(PluginId pluginId, ExternalVolumeId externalVolumeId);

    /**
     * Returns the volumes of a plugin that were created with this name, in any phase. There is at most one, except in a
     * state that an older version of csi4j has written.
     *
     * @param name the name in the volume's specification, which CreateVolume sends
     */
    Iterable<VolumeKey> volumesNamed(PluginId pluginId, String name);

    /**
     * Returns the volumes of a plugin whose creation from a source is stored and not finished: CreateVolume may still read the source,
     * so it must not be deleted ({@link Volume#creationSource()}).
     */
    Iterable<VolumeKey> creationsFrom(PluginId pluginId, VolumeContentSource source);

    /** Returns the volumes of a plugin. */
    Iterable<VolumeKey> volumesOf(PluginId pluginId);

    /** Returns the volumes that have a claim or an attachment on a node, each once. */
    Iterable<VolumeKey> volumesOn(NodeId nodeId);

    /** Returns the volumes of one plugin that have a claim or an attachment on a node, each once. */
    Iterable<VolumeKey> volumesOn(NodeId nodeId, PluginId pluginId);

    /** Returns the volumes that an allocation claims. */
    Iterable<VolumeKey> volumesClaimedBy(AllocationId allocationId);

    /**
     * Returns the volumes that belong to a workload, whichever incarnation.
     *
     * <p>This implementation reads all volumes of the namespace; the store has an index.
     */
    default Iterable<VolumeKey> volumesOwnedBy(Namespace namespace, WorkloadName name) {
        List<VolumeKey> owned = new ArrayList<>();
        VolumeQuery query = VolumeQuery.builder().namespace(namespace).build();
        for (Volume volume : volumes(query).items()) {
            volume.owner()
                    .flatMap(VolumeOwner::ofWorkload)
                    .filter(owner -> owner.workload().name().equals(name))
                    .ifPresent(owner -> owned.add(volume.key()));
        }
        return owned;
    }

    /** Returns the {@linkplain Volume#unsettled() unsettled} volumes, that is, the volumes with remaining work. */
    Iterable<VolumeKey> unsettledVolumes();

    /** Returns the row with a key, or empty if there is none. */
    <K, R> Optional<R> row(RowType<K, R> type, K key);

    /** Returns all rows of a type. */
    <K, R> Iterable<R> rows(RowType<K, R> type);

    /**
     * Returns the version of the rows of a type. If the versions of two readers of one store are equal, both have the same
     * rows of the type. A version keeps these rows in memory, but no other part of the state.
     */
    Object version(RowType<?, ?> type);

    /** Returns what a forgotten volume of the storage provider may have left on nodes, or empty if there is nothing. */
    default Optional<Leftover> leftover(Leftover.Key key) {
        return row(RowType.LEFTOVERS, key);
    }

    /** Returns what all forgotten volumes may have left on nodes. */
    default Iterable<Leftover> leftovers() {
        return rows(RowType.LEFTOVERS);
    }

    /** Returns the withdrawn creation of a plugin with this name, or empty if there is none. */
    default Optional<WithdrawnCreation> withdrawnCreation(WithdrawnCreation.Key key) {
        return row(RowType.WITHDRAWN_CREATIONS, key);
    }

    default Iterable<WithdrawnCreation> withdrawnCreations() {
        return rows(RowType.WITHDRAWN_CREATIONS);
    }

    /** Returns a stored request for claims, or empty if there is none. */
    default Optional<RequestedClaims> requestedClaims(RequestedClaims.Key key) {
        return row(RowType.REQUESTED_CLAIMS, key);
    }

    /** Returns all stored requests for claims. */
    default Iterable<RequestedClaims> requestedClaims() {
        return rows(RowType.REQUESTED_CLAIMS);
    }

    /** Returns the stored requests of an allocation for claims, oldest first. */
    Iterable<RequestedClaims> requestedClaimsOf(AllocationId allocationId);

    /** Returns an access token, or empty if it was revoked or never created. The token may be expired. */
    default Optional<AccessToken> accessToken(AccessTokenId id) {
        return row(RowType.ACCESS_TOKENS, id);
    }

    /** Returns all access tokens, also the expired ones. */
    default Iterable<AccessToken> accessTokens() {
        return rows(RowType.ACCESS_TOKENS);
    }

    /** Returns a volume class, or empty if there is none of this name. */
    default Optional<VolumeClass> volumeClass(VolumeClassName name) {
        return row(RowType.VOLUME_CLASSES, name);
    }

    default Iterable<VolumeClass> volumeClasses() {
        return rows(RowType.VOLUME_CLASSES);
    }

    /** Returns a quota, or empty if there is none with this key. */
    default Optional<VolumeQuota> quota(QuotaKey key) {
        return row(RowType.QUOTAS, key);
    }

    default Iterable<VolumeQuota> quotas() {
        return rows(RowType.QUOTAS);
    }

    /**
     * Returns what the volumes of a namespace use, or those of a class in it, whether or not there is a quota for them.
     * The use is derived from the rows of volumes and withdrawn creations. This method reads these rows; a store has an
     * index.
     */
    default QuotaUse quotaUse(QuotaKey key) {
        QuotaUse use = QuotaUse.none();
        VolumeQuery.Builder query = VolumeQuery.builder().namespace(key.namespace());
        key.className().ifPresent(query::className);
        for (Volume volume : volumes(query.build()).items()) {
            use = use.plus(volume);
        }
        for (WithdrawnCreation creation : withdrawnCreations()) {
            if (creation.isCountedBy(key)) {
                use = use.plus(creation);
            }
        }
        return use;
    }

    /** Returns the profile of a plugin, or empty if it has none. */
    default Optional<PluginProfile> pluginProfile(PluginId pluginId) {
        return row(RowType.PLUGIN_PROFILES, pluginId);
    }

    default Iterable<PluginProfile> pluginProfiles() {
        return rows(RowType.PLUGIN_PROFILES);
    }

    /** Returns a snapshot, or empty if the state does not have it. */
    default Optional<VolumeSnapshot> snapshot(SnapshotKey key) {
        return row(RowType.SNAPSHOTS, key);
    }

    default Iterable<VolumeSnapshot> snapshots() {
        return rows(RowType.SNAPSHOTS);
    }

    /** Returns the snapshots of a volume, also of a volume that the state no longer has. */
    Iterable<SnapshotKey> snapshotsOf(VolumeKey source);

    /** Returns the snapshots for which the leader has a call to make ({@link VolumeSnapshot#unsettled()}). */
    Iterable<VolumeSnapshot> unsettledSnapshots();

    /** Returns a node, or empty if it is not known. */
    default Optional<Node> node(NodeId nodeId) {
        return row(RowType.NODES, nodeId);
    }

    default Iterable<Node> nodes() {
        return rows(RowType.NODES);
    }

    /** Returns the nodes whose {@linkplain Node#ledger() ledger} is not settled. */
    Iterable<Node> unsettledNodes();

    /** Returns an allocation, or empty if it is not known. */
    default Optional<Allocation> allocation(AllocationId allocationId) {
        return row(RowType.ALLOCATIONS, allocationId);
    }

    default Iterable<Allocation> allocations() {
        return rows(RowType.ALLOCATIONS);
    }

    Iterable<Allocation> allocationsOn(NodeId nodeId);

    /** Returns a plugin instance, or empty if it is not known. */
    default Optional<PluginInstance> instance(InstanceKey key) {
        return row(RowType.INSTANCES, key);
    }

    default Iterable<PluginInstance> instances() {
        return rows(RowType.INSTANCES);
    }

    /** Returns the instances on a node, also those that are not {@linkplain PluginInstance#proved proved}. */
    Iterable<PluginInstance> instancesOn(NodeId nodeId);

    /** Returns the proved instances of one plugin on a node. */
    Iterable<PluginInstance> instancesOn(NodeId nodeId, PluginId pluginId);

    /** Returns the proved instances of a plugin, in the order of type and key. */
    Iterable<PluginInstance> instancesOf(PluginId pluginId);

    /** Returns the proved instances of a plugin that have this type. */
    Iterable<PluginInstance> instancesOf(PluginId pluginId, PluginType type);

    /** Returns the instances of a plugin that have not answered yet, in the order of type and key. */
    Iterable<PluginInstance> unprovedOf(PluginId pluginId);

    /** Returns a plugin deployment, or empty if it is not known. */
    default Optional<PluginDeployment> deployment(DeploymentId deploymentId) {
        return row(RowType.DEPLOYMENTS, deploymentId);
    }

    default Iterable<PluginDeployment> deployments() {
        return rows(RowType.DEPLOYMENTS);
    }

    /** Returns the deployments that are meant to run a plugin. */
    Iterable<PluginDeployment> deploymentsOf(PluginId pluginId);

    /** Returns the last known facts about a plugin, or empty if no instance has reported any. */
    default Optional<PluginFacts> facts(PluginId pluginId) {
        return row(RowType.FACTS, pluginId);
    }

    /** Returns the last known facts about all plugins. */
    default Iterable<PluginFacts> facts() {
        return rows(RowType.FACTS);
    }

    /**
     * Returns a view of a plugin, computed from its rows. The plugin exists if the view is not {@linkplain
     * PluginView#isEmpty() empty}.
     */
    default PluginView plugin(PluginId pluginId) {
        return PluginView.of(
                pluginId, instancesOf(pluginId), deploymentsOf(pluginId), facts(pluginId), unprovedOf(pluginId));
    }
}
