package io.csi4j.admin.internal.api;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The reads of volumes. */
public final class VolumeEndpoints {
    private static final String VOLUME = "/v1/volumes/{namespace}/{volume}";
    private static final String IN_MEMORY =
            "A request with an index waits for the state. The waiting claims, the health and"
                    + " the reports of nodes change without an index.";

    private VolumeEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), status(), health(), stats());
    }

    private static Endpoint list() {
        return Endpoint.get("volume list", "/v1/volumes", "List volumes")
                .description("No plugin and no node is asked. " + IN_MEMORY)
                .with(
                        Filters.text("namespace", "Only volumes of this namespace."),
                        Filters.text("plugin", "Only volumes of this plugin."),
                        Filters.text(
                                "node",
                                "Only volumes with a claim or an attachment on this node, or made for a claim there."),
                        Filters.text("prefix", "Only volumes whose id begins so."),
                        Filters.text("class", "Only volumes that were made from a class of this name."),
                        Filters.text("workload", "Only volumes that belong to a workload of this name."),
                        Filters.flag("retained", "Only volumes that were retained when their workload ended."),
                        Parameter.query("phase", VolumePhase.class, "Only volumes in this phase."))
                .atLeader("the waiting claims and the health of volumes", "waiting", "health", "problems")
                .needs("VOLUME_LIST in the namespace of each volume; with a node or a workload VOLUME_READ")
                .waitsForAny(VolumeEndpoints::scopes)
                .pages(
                        VolumeShapes.SUMMARY,
                        (call, after, limit) -> call.operations()
                                .volumes()
                                .list(query(call)
                                        .after(after.map(VolumeKey::parse).orElse(null))
                                        .limit(limit)
                                        .build())
                                .thenApply(page -> Page.of(page, VolumeKey::toString)));
    }

    private static VolumeQuery.Builder query(Call call) {
        Values values = call.values();
        return VolumeQuery.builder()
                .namespace(values.maybe("namespace", Namespace::of).orElse(null))
                .pluginId(values.maybe("plugin", PluginId::of).orElse(null))
                .nodeId(values.maybe("node", NodeId::of).orElse(null))
                .className(values.maybe("class", VolumeClassName::of).orElse(null))
                .workload(values.maybe("workload", WorkloadName::of).orElse(null))
                .retained(values.flag("retained"))
                .phase(values.maybeChoice("phase", VolumePhase.class).orElse(null))
                .idPrefix(values.textOrEmpty("prefix"));
    }

    /** The rows of the volumes, and their plugins, whose provider and health the list shows. */
    private static List<StateScope> scopes(Call call) {
        Optional<PluginId> plugin = call.values().maybe("plugin", PluginId::of);
        StateScope plugins = plugin.map(StateScope::plugin).orElse(StateScope.of(Table.PLUGINS));
        StateScope volumes = call.values()
                .maybe("namespace", Namespace::of)
                .map(namespace -> StateScope.volumes(namespace, call.values().textOrEmpty("prefix")))
                .or(() -> plugin.map(StateScope::volumesOf))
                .orElse(StateScope.of(Table.VOLUMES));
        return List.of(volumes, plugins);
    }

    private static Endpoint status() {
        return Endpoint.get("volume status", VOLUME, "Show a volume with its claims, attachments and remaining work")
                .description(IN_MEMORY)
                .with(Filters.NAMESPACE, Filters.VOLUME)
                .atLeader(
                        "the waiting claims, the reports of nodes and the plugin's words",
                        "remaining.done",
                        "remaining.nodes",
                        "waiting",
                        "onNodes",
                        "failures")
                .needs("VOLUME_READ in the namespace")
                .waitsFor(call -> StateScope.volume(Filters.volume(call)))
                .one(
                        VolumeShapes.STATUS,
                        call -> call.operations().claims().status(Filters.volume(call)),
                        VolumeEndpoints::around);
    }

    /** Returns the rows besides that of the volume from which its status follows. */
    private static List<StateScope> around(VolumeStatus status) {
        VolumeView view = status.view();
        List<StateScope> around = new ArrayList<>();
        around.add(StateScope.plugin(view.volume().pluginId()));
        // The remaining work depends on the nodes of the claims, of the attachments and of the plugin's controllers.
        around.add(StateScope.of(Table.NODES));
        for (VolumeView.ClaimView claim : view.claims()) {
            around.add(StateScope.allocation(claim.claim().allocationId()));
        }
        return around;
    }

    private static Endpoint health() {
        return Endpoint.get("volume health", VOLUME + "/health", "Ask the plugin for the health of a volume")
                .description("Asks the controller, or the node of an allocation. Does not wait for changes.")
                .with(
                        Filters.NAMESPACE,
                        Filters.VOLUME,
                        Filters.text("allocation", "Asks the node of this allocation, which uses the volume."))
                .needs("VOLUME_READ in the namespace")
                .one(
                        VolumeShapes.HEALTH,
                        call -> call.values()
                                .maybe("allocation", AllocationId::of)
                                .map(id -> call.operations().volumes().health(Filters.volume(call), id))
                                .orElseGet(() -> call.operations().volumes().health(Filters.volume(call)))
                                .thenApply(Optional::of));
    }

    private static Endpoint stats() {
        return Endpoint.get("volume stats", VOLUME + "/stats", "Ask a node for the usage of a volume")
                .description("Does not wait for changes.")
                .with(
                        Filters.NAMESPACE,
                        Filters.VOLUME,
                        Filters.text("allocation", "The allocation on whose node the volume is mounted.")
                                .needed())
                .needs("VOLUME_READ in the namespace")
                .one(
                        VolumeShapes.STATS,
                        call -> call.operations()
                                .volumes()
                                .stats(Filters.volume(call), call.values().parsed("allocation", AllocationId::of))
                                .thenApply(Optional::of));
    }
}
