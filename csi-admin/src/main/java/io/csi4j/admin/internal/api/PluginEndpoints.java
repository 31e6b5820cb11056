package io.csi4j.admin.internal.api;

import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The reads of plugins and of their storage providers. */
public final class PluginEndpoints {
    private static final String PLUGIN = "/v1/plugins/{plugin}";
    private static final String ASKS = "Asks the plugin, so it does not wait for changes.";

    private PluginEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), status(), storage(), capacity(), external(), abnormal(), orphans());
    }

    private static Endpoint list() {
        return Endpoint.get("plugin list", "/v1/plugins", "List plugins")
                .with(
                        Filters.text("prefix", "Only plugins whose id begins so."),
                        Filters.flag("schedulable", "Only plugins whose volumes can, or cannot, be claimed now."),
                        Filters.flag("controller", "Only plugins with, or without, a healthy controller."))
                .needs("PLUGIN_LIST")
                .waitsFor(call -> StateScope.of(Table.PLUGINS))
                .pages(
                        PluginShapes.SUMMARY,
                        (call, after, limit) -> call.operations()
                                .operator()
                                .plugins(query(call)
                                        .after(after.map(PluginId::of).orElse(null))
                                        .limit(limit)
                                        .build())
                                .thenApply(page -> Page.of(page, PluginId::value)));
    }

    private static PluginQuery.Builder query(Call call) {
        return PluginQuery.builder()
                .idPrefix(call.values().textOrEmpty("prefix"))
                .schedulable(call.values().maybeFlag("schedulable").orElse(null))
                .controller(call.values().maybeFlag("controller").orElse(null));
    }

    private static Endpoint status() {
        return Endpoint.get("plugin status", PLUGIN, "Show a plugin with its instances and deployments")
                .with(Filters.PLUGIN)
                .needs("PLUGIN_READ; the allocations of a namespace need VOLUME_READ in it")
                .waitsFor(call -> StateScope.plugin(Filters.plugin(call)))
                .one(
                        PluginShapes.STATUS,
                        call -> call.operations().operator().plugin(Filters.plugin(call)),
                        report -> report.allocations().stream()
                                .map(allocation -> StateScope.allocation(allocation.id()))
                                .toList());
    }

    private static Endpoint storage() {
        return Endpoint.get(
                        "plugin storage-health",
                        PLUGIN + "/storage-health/{node}",
                        "Ask a plugin on a node for the health of its storage")
                .description(ASKS)
                .with(Filters.PLUGIN, Parameter.path("node", "The node whose instance is asked."))
                .needs("PLUGIN_READ")
                .one(
                        PluginShapes.STORAGE,
                        call -> call.operations()
                                .operator()
                                .storageHealth(
                                        Filters.plugin(call), call.values().parsed("node", NodeId::of))
                                .thenApply(Optional::of));
    }

    private static Endpoint capacity() {
        return Endpoint.get("plugin capacity", PLUGIN + "/capacity", "Ask a storage provider for its free capacity")
                .description(ASKS)
                .with(
                        Filters.PLUGIN,
                        Parameter.query("accessMode", VolumeAccessMode.class, "The access mode of the new volumes."),
                        Filters.flag("block", "Whether the new volumes are block devices; otherwise file systems."),
                        Parameter.query(
                                "parameter",
                                Parameter.Type.TEXTS,
                                "A parameter of the new volumes, as name=value; may be repeated."),
                        Parameter.query(
                                "topology",
                                Parameter.Type.TEXTS,
                                "A segment of their place, as key=value; may be repeated."))
                .needs("PLUGIN_READ")
                .one(
                        PluginShapes.CAPACITY,
                        call -> call.operations()
                                .volumes()
                                .capacity(Filters.plugin(call), capacity(call))
                                .thenApply(Optional::of));
    }

    private static GetCapacityRequest capacity(Call call) {
        GetCapacityRequest.Builder request = GetCapacityRequest.builder().parameters(Filters.pairs(call, "parameter"));
        call.values()
                .maybeChoice("accessMode", VolumeAccessMode.class)
                .map(mode -> call.values().flag("block") ? VolumeCapability.block(mode) : VolumeCapability.mount(mode))
                .ifPresent(capability -> request.volumeCapabilities(List.of(capability)));
        Map<String, String> segments = Filters.pairs(call, "topology");
        if (!segments.isEmpty()) {
            request.accessibleTopology(Topology.of(segments));
        }
        return request.build();
    }

    private static Endpoint external() {
        return Endpoint.get("volume external", PLUGIN + "/volumes", "List the volumes that a storage provider has")
                .description(
                        "With or without a row in the state. The pages are not one snapshot: a volume may be missing or"
                                + " appear twice. " + ASKS)
                .with(Filters.PLUGIN)
                .needs("PLUGIN_READ, and VOLUME_READ in the namespace of each volume; other volumes need MANAGEMENT")
                .pages(
                        PluginShapes.EXTERNAL,
                        (call, after, limit) -> call.operations()
                                .volumes()
                                .listExternal(Filters.plugin(call), limit, after.orElse(""))
                                .thenApply(PluginEndpoints::page));
    }

    private static Endpoint abnormal() {
        return Endpoint.get(
                        "volume abnormal",
                        PLUGIN + "/abnormal-volumes",
                        "List the volumes that a storage provider reports as abnormal")
                .description("With or without a row in the state. " + ASKS)
                .with(Filters.PLUGIN)
                .needs("PLUGIN_READ, and VOLUME_READ in the namespace of each volume; other volumes need MANAGEMENT")
                .pages(
                        PluginShapes.ABNORMAL,
                        (call, after, limit) -> call.operations()
                                .volumes()
                                .listAbnormal(Filters.plugin(call), limit, after.orElse(""))
                                .thenApply(PluginEndpoints::page));
    }

    /** Returns a page of a storage provider. */
    static <T> Page<T> page(ExternalPage<T> page) {
        return new Page<>(page.entries(), Optional.of(page.nextToken()).filter(token -> !token.isEmpty()));
    }

    private static Endpoint orphans() {
        return Endpoint.get(
                        "orphan list", PLUGIN + "/orphans", "Search a storage provider for volumes without an owner")
                .description(
                        "Lists all volumes of the storage provider, and lists them again if it finds an orphan; with"
                                + " many volumes this takes minutes. Only the leader searches. The search ends with the request.")
                .with(Filters.PLUGIN)
                .needs("MANAGEMENT")
                .one(
                        PluginShapes.ORPHANS,
                        call -> Futures.map(
                                call.operations().operator().orphanedVolumes(Filters.plugin(call)), Optional::of));
    }
}
