package io.csi4j.testkit.conformance.internal;

import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.GroupControllerServiceCapability;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability.Service;
import io.csi4j.proto.csi.v1.PluginCapability.VolumeExpansion;
import java.util.function.BiPredicate;

/** A capability of the plugin or a setting of the run that a check cannot do without. */
public enum Need {
    CONTROLLER_SERVICE(Service.Type.CONTROLLER_SERVICE),
    NODE_SERVICE("the node service", (plugin, run) -> plugin.servesNode()),
    TOPOLOGY(Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS),
    GROUP_CONTROLLER_SERVICE(Service.Type.GROUP_CONTROLLER_SERVICE),
    SNAPSHOT_METADATA_SERVICE(Service.Type.SNAPSHOT_METADATA_SERVICE),
    OFFLINE_EXPANSION_ONLY(
            "plugin capability VolumeExpansion OFFLINE without ONLINE", (plugin, run) -> plugin.offlineExpansionOnly()),
    NOT_OFFLINE_EXPANSION(
            "expansion of published volumes (not VolumeExpansion OFFLINE only)",
            (plugin, run) -> !plugin.expansions().contains(VolumeExpansion.Type.OFFLINE)
                    || plugin.expansions().contains(VolumeExpansion.Type.ONLINE)),
    CREATE_DELETE_VOLUME(ControllerServiceCapability.RPC.Type.CREATE_DELETE_VOLUME),
    PUBLISH_UNPUBLISH_VOLUME(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME),
    LIST_VOLUMES(ControllerServiceCapability.RPC.Type.LIST_VOLUMES),
    LIST_VOLUMES_PUBLISHED_NODES(ControllerServiceCapability.RPC.Type.LIST_VOLUMES_PUBLISHED_NODES),
    GET_CAPACITY(ControllerServiceCapability.RPC.Type.GET_CAPACITY),
    GET_VOLUME(ControllerServiceCapability.RPC.Type.GET_VOLUME),
    CREATE_DELETE_SNAPSHOT(ControllerServiceCapability.RPC.Type.CREATE_DELETE_SNAPSHOT),
    LIST_SNAPSHOTS(ControllerServiceCapability.RPC.Type.LIST_SNAPSHOTS),
    GET_SNAPSHOT(ControllerServiceCapability.RPC.Type.GET_SNAPSHOT),
    CLONE_VOLUME(ControllerServiceCapability.RPC.Type.CLONE_VOLUME),
    PUBLISH_READONLY(ControllerServiceCapability.RPC.Type.PUBLISH_READONLY),
    EXPAND_VOLUME(ControllerServiceCapability.RPC.Type.EXPAND_VOLUME),
    MODIFY_VOLUME(ControllerServiceCapability.RPC.Type.MODIFY_VOLUME),
    GET_VOLUME_HEALTH(ControllerServiceCapability.RPC.Type.GET_VOLUME_HEALTH),
    LIST_VOLUME_HEALTH(ControllerServiceCapability.RPC.Type.LIST_VOLUME_HEALTH),
    CONTROLLER_MULTI_WRITER(ControllerServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER),
    STAGE_UNSTAGE_VOLUME(NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME),
    GET_VOLUME_STATS(NodeServiceCapability.RPC.Type.GET_VOLUME_STATS),
    NODE_EXPAND_VOLUME(NodeServiceCapability.RPC.Type.EXPAND_VOLUME),
    NODE_MULTI_WRITER(NodeServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER),
    NODE_GET_VOLUME_HEALTH(NodeServiceCapability.RPC.Type.GET_VOLUME_HEALTH),
    GET_STORAGE_HEALTH(NodeServiceCapability.RPC.Type.GET_STORAGE_HEALTH),
    GROUP_SNAPSHOTS(GroupControllerServiceCapability.RPC.Type.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
    A_VOLUME(
            "capability CREATE_DELETE_VOLUME, or a volume named in the settings",
            (plugin, run) -> CREATE_DELETE_VOLUME.met(plugin, run) || run.existing() != null),
    NODE_ID("NodeGetInfo", (plugin, run) -> !plugin.nodeInfo().getNodeId().isEmpty()),
    OTHER_NODE(
            "a second node in the settings", (plugin, run) -> !run.otherNode().isEmpty()),
    BLOCK("block volumes in the settings", (plugin, run) -> run.volume().block()),
    MUTABLE_PARAMETERS(
            "mutable parameters in the settings",
            (plugin, run) -> !run.mutableParameters().isEmpty()),
    SECRETS("secrets in the settings", (plugin, run) -> !run.secrets().isEmpty()),
    SECRETS_REQUIRED(
            "RPCs in the settings that require secrets",
            (plugin, run) -> !run.secretsRequired().isEmpty()),
    RESTART("a restart command in the settings", (plugin, run) -> run.restart() != null);

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // The predicates have no state.
    private final BiPredicate<ProbedPlugin, ConformanceSettings> predicate;

    Need(String text, BiPredicate<ProbedPlugin, ConformanceSettings> predicate) {
        this.text = text;
        this.predicate = predicate;
    }

    Need(Service.Type service) {
        this("plugin capability " + service, (plugin, run) -> plugin.services().contains(service));
    }

    Need(ControllerServiceCapability.RPC.Type rpc) {
        this(
                "controller capability " + rpc,
                (plugin, run) -> plugin.controller().contains(rpc));
    }

    Need(NodeServiceCapability.RPC.Type rpc) {
        this("node capability " + rpc, (plugin, run) -> plugin.node().contains(rpc));
    }

    Need(GroupControllerServiceCapability.RPC.Type rpc) {
        this(
                "group controller capability " + rpc,
                (plugin, run) -> plugin.group().contains(rpc));
    }

    /**
     * Returns whether the plugin and the settings fulfil this need.
     *
     * @param plugin the plugin
     * @param settings the settings
     */
    public boolean met(ProbedPlugin plugin, ConformanceSettings settings) {
        return predicate.test(plugin, settings);
    }

    /** Returns this need as text for reports. */
    public String text() {
        return text;
    }
}
