package io.csi4j.core.state;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.function.Function;

/**
 * A table of the state whose rows are found by their keys ({@link StateReader#row}). Volumes are not among them: they have queries of their own.
 *
 * @param <K> the key
 * @param <R> the row
 */
public final class RowType<K, R> {
    private static int next;

    /** The nodes of the host. */
    public static final RowType<NodeId, Node> NODES = new RowType<>("nodes", Node::id);
    /** The allocations of the host. */
    public static final RowType<AllocationId, Allocation> ALLOCATIONS = new RowType<>("allocations", Allocation::id);
    /** The instances of plugins. */
    public static final RowType<InstanceKey, PluginInstance> INSTANCES =
            new RowType<>("instances", PluginInstance::key);
    /** The deployments that run plugins. */
    public static final RowType<DeploymentId, PluginDeployment> DEPLOYMENTS =
            new RowType<>("deployments", PluginDeployment::id);
    /** The last known facts about plugins. */
    public static final RowType<PluginId, PluginFacts> FACTS = new RowType<>("facts", PluginFacts::pluginId);
    /** The claims and attachments that forgotten volumes may have left on nodes. */
    public static final RowType<Leftover.Key, Leftover> LEFTOVERS = new RowType<>("leftovers", Leftover::key);
    /** The creations that were given up. */
    public static final RowType<WithdrawnCreation.Key, WithdrawnCreation> WITHDRAWN_CREATIONS =
            new RowType<>("withdrawnCreations", WithdrawnCreation::key);

    /** The requests for claims that the leader has not taken yet. */
    public static final RowType<RequestedClaims.Key, RequestedClaims> REQUESTED_CLAIMS =
            new RowType<>("requestedClaims", RequestedClaims::key);

    /** The access tokens of operators and programs. */
    public static final RowType<AccessTokenId, AccessToken> ACCESS_TOKENS =
            new RowType<>("accessTokens", AccessToken::id);

    /** The latest creations that were refused, by {@link RefusedCreation#createIndex()}. */
    public static final RowType<Long, RefusedCreation> REFUSED_CREATIONS =
            new RowType<>("refusedCreations", RefusedCreation::createIndex);

    /** The classes of volumes. */
    public static final RowType<VolumeClassName, VolumeClass> VOLUME_CLASSES =
            new RowType<>("volumeClasses", VolumeClass::name);

    /** The quotas of namespaces, and of classes in them. */
    public static final RowType<QuotaKey, VolumeQuota> QUOTAS = new RowType<>("quotas", VolumeQuota::key);

    /** The last incarnations of workloads that have ended. */
    public static final RowType<EndedOwner.Key, EndedOwner> ENDED_OWNERS =
            new RowType<>("endedOwners", EndedOwner::key);

    /** The profiles of plugins. */
    public static final RowType<PluginId, PluginProfile> PLUGIN_PROFILES =
            new RowType<>("pluginProfiles", PluginProfile::pluginId);

    /** The snapshots of volumes. */
    public static final RowType<SnapshotKey, VolumeSnapshot> SNAPSHOTS =
            new RowType<>("snapshots", VolumeSnapshot::key);

    /** The last restore of the state, by {@link StateRestore#index()}; at most one row. */
    public static final RowType<Long, StateRestore> RESTORES = new RowType<>("restores", StateRestore::index);

    private final int ordinal = next++;
    private final String name;
    private final Function<R, K> key;

    private RowType(String name, Function<R, K> key) {
        this.name = name;
        this.key = key;
    }

    /** Returns the number of types. */
    public static int count() {
        return next;
    }

    /** Returns the position of this type, from 0 to below {@link #count}. */
    public int ordinal() {
        return ordinal;
    }

    /** Returns the key of a row. */
    public K key(R row) {
        return key.apply(row);
    }

    @Override
    public String toString() {
        return name;
    }
}
