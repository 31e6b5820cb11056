package io.csi4j.state;

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
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.state.internal.tree.Shape;
import io.csi4j.state.internal.tree.Tree;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The orders in which all tables and indexes sort their keys. */
final class Keys {
    static final Shape<VolumeKey, Volume> VOLUMES = shape(2, Keys::part, Volume::key);
    static final Shape<VolumeKey, VolumeKey> VOLUME_KEYS = shape(2, Keys::part, Function.identity());
    static final Shape<NodeId, Node> NODES = shape(1, (id, i) -> id.value(), Node::id);
    static final Shape<AllocationId, Allocation> ALLOCATIONS = shape(1, (id, i) -> id.value(), Allocation::id);
    static final Shape<AllocationId, AllocationId> ALLOCATION_IDS =
            shape(1, (id, i) -> id.value(), Function.identity());
    static final Shape<DeploymentId, PluginDeployment> DEPLOYMENTS = shape(2, Keys::part, PluginDeployment::id);
    static final Shape<DeploymentId, DeploymentId> DEPLOYMENT_IDS = shape(2, Keys::part, Function.identity());
    static final Shape<PluginId, PluginFacts> FACTS = shape(1, (id, i) -> id.value(), PluginFacts::pluginId);
    static final Shape<Leftover.Key, Leftover> LEFTOVERS = shape(2, Keys::part, Leftover::key);
    static final Shape<WithdrawnCreation.Key, WithdrawnCreation> WITHDRAWN_CREATIONS =
            shape(2, Keys::part, WithdrawnCreation::key);
    static final Shape<RequestedClaims.Key, RequestedClaims> REQUESTED_CLAIMS =
            shape(2, Keys::part, RequestedClaims::key);
    static final Shape<AccessTokenId, AccessToken> ACCESS_TOKENS = shape(1, (id, i) -> id.value(), AccessToken::id);
    static final Shape<Long, RefusedCreation> REFUSED_CREATIONS =
            shape(1, (index, i) -> digits(index), RefusedCreation::createIndex);
    static final Shape<VolumeClassName, VolumeClass> VOLUME_CLASSES =
            shape(1, (name, i) -> name.value(), VolumeClass::name);
    static final Shape<EndedOwner.Key, EndedOwner> ENDED_OWNERS = shape(2, Keys::part, EndedOwner::key);
    static final Shape<Long, StateRestore> RESTORES = shape(1, (index, i) -> digits(index), StateRestore::index);
    static final Shape<PluginId, PluginProfile> PLUGIN_PROFILES =
            shape(1, (id, i) -> id.value(), PluginProfile::pluginId);
    static final Shape<SnapshotKey, VolumeSnapshot> SNAPSHOTS = shape(2, Keys::part, VolumeSnapshot::key);
    /** Sorts snapshots by their source volumes, and those of one volume by their keys. */
    static final Shape<VolumeSnapshot, VolumeSnapshot> SNAPSHOTS_OF_VOLUME =
            shape(4, (row, i) -> i < 2 ? part(row.spec().source(), i) : part(row.key(), i - 2), Function.identity());

    static final Shape<QuotaKey, VolumeQuota> QUOTAS = shape(2, Keys::part, VolumeQuota::key);
    static final Shape<InstanceKey, PluginInstance> INSTANCES = shape(4, Keys::part, PluginInstance::key);
    static final Shape<PluginId, Group<PluginId, VolumeKey>> VOLUMES_OF_PLUGIN =
            shape(1, (id, i) -> id.value(), Group::by);
    static final Shape<PluginId, Group<PluginId, DeploymentId>> DEPLOYMENTS_OF_PLUGIN =
            shape(1, (id, i) -> id.value(), Group::by);
    static final Shape<NodeId, Group<NodeId, AllocationId>> ALLOCATIONS_ON_NODE =
            shape(1, (id, i) -> id.value(), Group::by);

    static final Tree<VolumeKey, VolumeKey> NO_VOLUME_KEYS = Tree.empty(VOLUME_KEYS);
    static final Tree<AllocationId, AllocationId> NO_ALLOCATION_IDS = Tree.empty(ALLOCATION_IDS);
    static final Tree<DeploymentId, DeploymentId> NO_DEPLOYMENT_IDS = Tree.empty(DEPLOYMENT_IDS);

    /** The plugin types in the order in which instances are listed. */
    static final List<PluginType> TYPES = List.of(PluginType.CONTROLLER, PluginType.NODE, PluginType.MONOLITH);

    private Keys() {}

    /** Returns a text for a plugin type; the texts sort in the order of the types. */
    static String type(PluginType type) {
        return switch (type) {
            case CONTROLLER -> "0";
            case NODE -> "1";
            case MONOLITH -> "2";
        };
    }

    private static String part(VolumeKey key, int index) {
        return index == 0 ? key.namespace().value() : key.volumeId().value();
    }

    private static String part(SnapshotKey key, int index) {
        return index == 0 ? key.namespace().value() : key.name().value();
    }

    private static String part(Leftover.Key key, int index) {
        return index == 0 ? key.pluginId().value() : key.externalVolumeId().value();
    }

    private static String part(WithdrawnCreation.Key key, int index) {
        return index == 0 ? key.pluginId().value() : key.name();
    }

    private static String part(EndedOwner.Key key, int index) {
        return index == 0 ? key.namespace().value() : key.name().value();
    }

    private static String part(QuotaKey key, int index) {
        return index == 0
                ? key.namespace().value()
                : key.className().map(VolumeClassName::value).orElse("");
    }

    private static String part(RequestedClaims.Key key, int index) {
        return index == 0 ? key.allocationId().value() : digits(key.createIndex());
    }

    /** Writes an index with all its digits, so that the order of the texts is that of the indexes. */
    private static String digits(long index) {
        return String.format(Locale.ROOT, "%019d", index);
    }

    private static String part(DeploymentId key, int index) {
        return index == 0 ? key.namespace().value() : key.name();
    }

    private static String part(InstanceKey key, int index) {
        return switch (index) {
            case 0 -> key.nodeId().value();
            case 1 -> key.pluginId().value();
            case 2 -> type(key.type());
            default -> key.allocationId().map(AllocationId::value).orElse("");
        };
    }

    private static <K, R> Shape<K, R> shape(int parts, Part<K> part, Function<R, K> key) {
        return new Shape<>() {
            @Override
            public int parts() {
                return parts;
            }

            @Override
            public String part(K row, int index) {
                return part.of(row, index);
            }

            @Override
            public K key(R row) {
                return key.apply(row);
            }
        };
    }

    private interface Part<K> {
        String of(K key, int index);
    }
}
