package io.csi4j.core.internal.capability;

import static io.csi4j.core.internal.capability.CapabilityRow.Need.ALWAYS_WITH;
import static io.csi4j.core.internal.capability.CapabilityRow.Need.ONLY_WITH;

import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.GroupControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.WireEnum;
import io.csi4j.core.internal.capability.CapabilityRow.Checked;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** All rules that connect fields of requests with capabilities of the plugin (R42), as data. Immutable. */
public final class CapabilityTable {
    private static final Map<Rpc, List<Checked>> ROWS = new EnumMap<>(Rpc.class);

    static {
        services();
        controller();
        node();
        UsedCapabilities.rows().forEach(CapabilityTable::add);
    }

    private CapabilityTable() {}

    private static void services() {
        for (Rpc rpc : Rpc.values()) {
            if (rpc.service() == RpcService.CONTROLLER) {
                rpc(rpc, PluginService.CONTROLLER_SERVICE);
            } else if (rpc.service() == RpcService.GROUP_CONTROLLER) {
                rpc(rpc, PluginService.GROUP_CONTROLLER_SERVICE);
            } else if (rpc.service() == RpcService.SNAPSHOT_METADATA) {
                rpc(rpc, PluginService.SNAPSHOT_METADATA_SERVICE);
            }
        }
        WireEnum groups = GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT;
        rpc(Rpc.CREATE_VOLUME_GROUP_SNAPSHOT, groups);
        rpc(Rpc.DELETE_VOLUME_GROUP_SNAPSHOT, groups);
        rpc(Rpc.GET_VOLUME_GROUP_SNAPSHOT, groups);
        WireEnum places = PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS;
        field(
                Rpc.CREATE_VOLUME,
                "accessibilityRequirements",
                places,
                CreateVolumeRequest.class,
                request -> request.accessibilityRequirements().isPresent());
        field(
                Rpc.GET_CAPACITY,
                "accessibleTopology",
                places,
                GetCapacityRequest.class,
                request -> request.accessibleTopology().isPresent());
        field(
                Rpc.CREATE_SNAPSHOT,
                "accessibilityRequirements",
                PluginService.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
                CreateSnapshotRequest.class,
                request -> request.accessibilityRequirements().isPresent());
    }

    private static void controller() {
        rpc(Rpc.CREATE_VOLUME, ControllerCapability.CREATE_DELETE_VOLUME);
        rpc(Rpc.DELETE_VOLUME, ControllerCapability.CREATE_DELETE_VOLUME);
        rpc(Rpc.CONTROLLER_PUBLISH_VOLUME, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        rpc(Rpc.CONTROLLER_UNPUBLISH_VOLUME, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        rpc(Rpc.LIST_VOLUMES, ControllerCapability.LIST_VOLUMES);
        rpc(Rpc.GET_CAPACITY, ControllerCapability.GET_CAPACITY);
        rpc(Rpc.CREATE_SNAPSHOT, ControllerCapability.CREATE_DELETE_SNAPSHOT);
        rpc(Rpc.DELETE_SNAPSHOT, ControllerCapability.CREATE_DELETE_SNAPSHOT);
        rpc(Rpc.LIST_SNAPSHOTS, ControllerCapability.LIST_SNAPSHOTS);
        rpc(Rpc.GET_SNAPSHOT, ControllerCapability.GET_SNAPSHOT);
        rpc(Rpc.CONTROLLER_EXPAND_VOLUME, ControllerCapability.EXPAND_VOLUME);
        rpc(Rpc.CONTROLLER_GET_VOLUME, ControllerCapability.GET_VOLUME);
        rpc(Rpc.CONTROLLER_MODIFY_VOLUME, ControllerCapability.MODIFY_VOLUME);
        rpc(Rpc.CONTROLLER_GET_VOLUME_HEALTH, ControllerCapability.GET_VOLUME_HEALTH);
        rpc(Rpc.CONTROLLER_LIST_VOLUME_HEALTH, ControllerCapability.LIST_VOLUME_HEALTH);
        field(
                Rpc.CONTROLLER_PUBLISH_VOLUME,
                "readonly",
                ControllerCapability.PUBLISH_READONLY,
                ControllerPublishVolumeRequest.class,
                ControllerPublishVolumeRequest::readonly);
        field(
                Rpc.CREATE_VOLUME,
                "mutableParameters",
                ControllerCapability.MODIFY_VOLUME,
                CreateVolumeRequest.class,
                request -> !request.mutableParameters().isEmpty());
        source(ControllerCapability.CREATE_DELETE_SNAPSHOT, VolumeContentSource.SnapshotSource.class);
        source(ControllerCapability.CLONE_VOLUME, VolumeContentSource.VolumeSource.class);
    }

    private static void source(WireEnum capability, Class<? extends VolumeContentSource> kind) {
        field(
                Rpc.CREATE_VOLUME,
                "volumeContentSource",
                capability,
                CreateVolumeRequest.class,
                request ->
                        request.volumeContentSource().filter(kind::isInstance).isPresent());
    }

    private static void node() {
        rpc(Rpc.NODE_STAGE_VOLUME, NodeCapability.STAGE_UNSTAGE_VOLUME);
        rpc(Rpc.NODE_UNSTAGE_VOLUME, NodeCapability.STAGE_UNSTAGE_VOLUME);
        rpc(Rpc.NODE_GET_VOLUME_STATS, NodeCapability.GET_VOLUME_STATS);
        rpc(Rpc.NODE_EXPAND_VOLUME, NodeCapability.EXPAND_VOLUME);
        rpc(Rpc.NODE_GET_VOLUME_HEALTH, NodeCapability.GET_VOLUME_HEALTH);
        rpc(Rpc.NODE_GET_STORAGE_HEALTH, NodeCapability.GET_STORAGE_HEALTH);
        Predicate<NodePublishVolumeRequest> staged =
                request -> request.stagingTargetPath().isPresent();
        staging(Rpc.NODE_PUBLISH_VOLUME, NodePublishVolumeRequest.class, staged);
        add(checked(
                new CapabilityRow(
                        Rpc.NODE_PUBLISH_VOLUME, "stagingTargetPath", ALWAYS_WITH, NodeCapability.STAGE_UNSTAGE_VOLUME),
                NodePublishVolumeRequest.class,
                staged));
        staging(
                Rpc.NODE_GET_VOLUME_STATS,
                NodeGetVolumeStatsRequest.class,
                request -> request.stagingTargetPath().isPresent());
        staging(
                Rpc.NODE_EXPAND_VOLUME,
                NodeExpandVolumeRequest.class,
                request -> request.stagingTargetPath().isPresent());
        staging(
                Rpc.NODE_GET_VOLUME_HEALTH,
                NodeGetVolumeHealthRequest.class,
                request -> request.stagingTargetPath().isPresent());
        WireEnum attaches = ControllerCapability.PUBLISH_UNPUBLISH_VOLUME;
        field(
                Rpc.NODE_STAGE_VOLUME,
                "publishContext",
                attaches,
                NodeStageVolumeRequest.class,
                request -> !request.publishContext().isEmpty());
        field(
                Rpc.NODE_PUBLISH_VOLUME,
                "publishContext",
                attaches,
                NodePublishVolumeRequest.class,
                request -> !request.publishContext().isEmpty());
    }

    private static <M extends CsiRequest> void staging(Rpc rpc, Class<M> type, Predicate<M> set) {
        field(rpc, "stagingTargetPath", NodeCapability.STAGE_UNSTAGE_VOLUME, type, set);
    }

    private static void rpc(Rpc rpc, WireEnum capability) {
        add(new Checked(new CapabilityRow(rpc, "", ONLY_WITH, capability), request -> true));
    }

    private static <M extends CsiRequest> void field(
            Rpc rpc, String field, WireEnum capability, Class<M> type, Predicate<M> set) {
        add(checked(new CapabilityRow(rpc, field, ONLY_WITH, capability), type, set));
    }

    static <M extends CsiRequest> Checked checked(CapabilityRow row, Class<M> type, Predicate<M> set) {
        return new Checked(row, request -> set.test(type.cast(request)));
    }

    private static void add(Checked checked) {
        ROWS.computeIfAbsent(checked.row().rpc(), rpc -> new ArrayList<>()).add(checked);
    }

    /** Returns all rules, ordered by RPC. */
    public static List<CapabilityRow> rows() {
        return ROWS.values().stream().flatMap(List::stream).map(Checked::row).toList();
    }

    /**
     * Returns whether a plugin is known to lack a capability that each call of an RPC needs, so that the call must not
     * be sent to it (R42).
     *
     * @param known the plugin's capabilities; unknown ones do not count as missing
     */
    public static boolean lacks(Rpc rpc, Capabilities known) {
        for (Checked checked : ROWS.getOrDefault(rpc, List.of())) {
            if (needed(checked.row()) && known.lacks(checked.row().capability())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether a plugin has reported all capabilities that each call of an RPC needs (R42).
     *
     * @param known the plugin's capabilities; unknown ones count as missing
     */
    public static boolean offers(Rpc rpc, Capabilities known) {
        for (Checked checked : ROWS.getOrDefault(rpc, List.of())) {
            if (needed(checked.row()) && !known.has(checked.row().capability())) {
                return false;
            }
        }
        return true;
    }

    private static boolean needed(CapabilityRow row) {
        return row.field().isEmpty() && row.need() == ONLY_WITH;
    }

    /**
     * Returns the problems of a request: fields that need a capability that the plugin is known to lack, and missing
     * fields that a capability requires.
     *
     * @param known the plugin's capabilities; unknown ones cause no problem
     * @param plugin the plugin's name for messages
     * @return one problem for each broken rule; empty if the request may be sent
     * @throws ClassCastException if the request does not belong to the given RPC
     */
    public static List<Problem> problems(Rpc rpc, CsiRequest request, Capabilities known, String plugin) {
        List<Problem> problems = List.of();
        for (Checked checked : ROWS.getOrDefault(rpc, List.of())) {
            if (checked.brokenBy(request, known)) {
                problems = problems.isEmpty() ? new ArrayList<>() : problems;
                problems.add(problem(checked.row(), plugin));
            }
        }
        return problems;
    }

    /**
     * Returns the problems of each call of an RPC, whatever its request: capabilities that the plugin is known to lack.
     *
     * @param known the plugin's capabilities; unknown ones cause no problem
     * @param plugin the plugin's name for messages
     * @return one problem for each broken rule; empty if the RPC may be called
     */
    public static List<Problem> problems(Rpc rpc, Capabilities known, String plugin) {
        return ROWS.getOrDefault(rpc, List.of()).stream()
                .map(Checked::row)
                .filter(row -> needed(row) && known.lacks(row.capability()))
                .map(row -> problem(row, plugin))
                .toList();
    }

    private static Problem problem(CapabilityRow row, String plugin) {
        String what = row.field().isEmpty() ? row.rpc().csiName() : row.field();
        if (row.need() == ALWAYS_WITH) {
            return new Problem(
                    what, "is missing, and plugin " + plugin + " has the " + row.capabilityName() + " (R88)", "set it");
        }
        return new Problem(
                what,
                "needs the " + row.capabilityName() + ", which plugin " + plugin + " has not announced (R42)",
                row.field().isEmpty()
                        ? "do not call it; if the plugin has it by now, read its capabilities again"
                        : "leave it out; if the plugin has it by now, read its capabilities again");
    }
}
