package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallQuery;
import io.csi4j.core.lifecycle.FailedCall;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The reads of the engine's own work: its calls, and what operators have made it give up. */
public final class EngineEndpoints {
    private static final Shape<PluginCall> CALL = Shape.<PluginCall>of("Call", "A call that has not ended.")
            .choice("rpc", "The RPC.", Rpc.class, PluginCall::rpc)
            .column()
            .text("plugin", "The plugin.", PluginCall::pluginId)
            .column()
            .text("node", "The node of the called instance; absent while the call waits.", PluginCall::nodeId)
            .optional()
            .column()
            .text(
                    "namespace",
                    "The namespace of the volume, if the caller may read it.",
                    call -> call.volume().map(VolumeKey::namespace))
            .optional()
            .column()
            .text(
                    "volume",
                    "The volume, if the call has one that the caller may read.",
                    call -> call.volume().map(VolumeKey::volumeId))
            .optional()
            .column()
            .number("attempt", "The number of the attempt, from 1.", PluginCall::attempt)
            .column()
            .flag(
                    "inFlight",
                    "Whether the request was sent; otherwise the call waits for a permit.",
                    PluginCall::inFlight)
            .column("SENT")
            .time("since", "The time when the engine wanted to make the call.", PluginCall::since)
            .column()
            .time("sentAt", "The time when the request was sent.", PluginCall::sentAt)
            .optional()
            .build();

    private static final Shape<FailedCall> FAILED = Shape.<FailedCall>of(
                    "FailedCall", "A call that has failed and has not succeeded since.")
            .choice("rpc", "The RPC.", Rpc.class, failed -> failed.failure().rpc())
            .column()
            .text("plugin", "The plugin.", FailedCall::pluginId)
            .column()
            .text(
                    "node",
                    "The node that the call is about; absent if it is about the volume itself.",
                    failed -> failed.failure().nodeId())
            .optional()
            .column()
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    failed -> failed.volume().namespace().value())
            .column()
            .text("volume", "The volume.", failed -> failed.volume().volumeId().value())
            .column()
            .number(
                    "failures",
                    "The failures since it last succeeded.",
                    failed -> failed.failure().failures())
            .column()
            .time(
                    "since",
                    "The time of the first of them.",
                    failed -> failed.failure().since())
            .time("at", "The time of the last one.", failed -> failed.failure().at())
            .column("LAST")
            .time(
                    "nextAttempt",
                    "The time of the next attempt; absent if none is planned, or one is under way.",
                    FailedCall::nextAttempt)
            .optional()
            .column("NEXT")
            .text("code", "The status code.", failed -> failed.failure().code().name())
            .column()
            .text("text", "The plugin's words.", failed -> failed.failure().text())
            .column("ERROR")
            .build();

    private static final Shape<Claim> CLAIM = Shapes.claim(
                    Shape.<Claim>of("LeftoverClaim", "A claim whose node may still have a forgotten volume mounted.")
                            .text("allocation", "The allocation.", Claim::allocationId)
                            .column(),
                    claim -> claim)
            .build();

    /** A forgotten volume. */
    static final Shape<Leftover> LEFTOVER = Shape.<Leftover>of(
                    "Leftover", "What a forgotten volume may have left on nodes.")
            .text("plugin", "The plugin.", Leftover::pluginId)
            .column()
            .text("externalVolumeId", "The storage provider's id of the volume.", Leftover::externalVolumeId)
            .column()
            .object("formerVolume", "The key by which the nodes know it.", Shapes.KEY, Leftover::formerVolume)
            .column("VOLUME")
            .objects("claims", "The claims whose nodes may have it mounted.", CLAIM, Leftover::claims)
            .objects("attachments", "The attachments that may be there.", Shapes.ATTACHMENT, Leftover::attachments)
            .object("forgotten", "The statement by which it was forgotten.", Shapes.STATEMENT, Leftover::forgotten)
            .number("createIndex", "The index of the command that forgot it.", Leftover::createIndex)
            .build();

    /** A withdrawn creation. */
    static final Shape<WithdrawnCreation> WITHDRAWN = Shape.<WithdrawnCreation>of(
                    "WithdrawnCreation", "A creation that was given up, and may have made a volume.")
            .text("plugin", "The plugin.", WithdrawnCreation::pluginId)
            .column()
            .text("name", "The name in CreateVolume.", WithdrawnCreation::name)
            .column()
            .object("volume", "The key of the volume that was to be created.", Shapes.KEY, WithdrawnCreation::volume)
            .column()
            .text(
                    "externalVolumeId",
                    "The volume, if a later answer has shown it.",
                    WithdrawnCreation::externalVolumeId)
            .optional()
            .column()
            .choice("forecast", "What the last answers said.", CreationForecast.class, WithdrawnCreation::forecast)
            .column()
            .object(
                    "withdrawn",
                    "The statement by which it was given up.",
                    Shapes.STATEMENT,
                    WithdrawnCreation::withdrawn)
            .number("createIndex", "The index of the command that stored the intent.", WithdrawnCreation::createIndex)
            .number(
                    "lastCall",
                    "The index of the command that recorded the last call; 0 if the volume was being deleted.",
                    WithdrawnCreation::lastCall)
            .build();

    private EngineEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                Endpoint.get("call list", "/v1/calls", "List the calls to plugins that have not ended, oldest first")
                        .description(
                                "The calls of the leader: those in flight, and those that wait for a permit. Another server"
                                        + " answers that it does not lead. The calls that a node makes for its own agent"
                                        + " are in node status. They are not in the state, so this list does not wait"
                                        + " for changes.")
                        .with(
                                Filters.text("namespace", "Only calls for volumes of this namespace."),
                                Filters.text("plugin", "Only calls to this plugin."),
                                Filters.text("node", "Only calls that were sent to an instance on this node."),
                                Filters.text("prefix", "Only calls for volumes whose id begins so."),
                                Parameter.query("rpc", Rpc.class, "Only calls of this kind."),
                                Filters.flag(
                                        "failing", "Only calls whose earlier attempts failed, or only first attempts."))
                        .needs("PLUGIN_READ; the volume of a call needs VOLUME_READ in its namespace")
                        .note(call -> call.values()
                                .maybe("node", NodeId::of)
                                .map(node ->
                                        "the mounts and unmounts that the node does for its own agent are in csi node"
                                                + " status " + node)
                                .or(() -> Optional.of("calls that wait for their next attempt are in csi call failed")
                                        .filter(text -> call.values().flag("failing"))))
                        .pages(CALL, (call, after, limit) -> {
                            call.server().needLeader();
                            return call.operations()
                                    .operator()
                                    .calls(query(call)
                                            .after(after.map(Long::valueOf).orElse(null))
                                            .limit(limit)
                                            .build())
                                    .thenApply(page -> Page.of(page, position -> Long.toString(position)));
                        }),
                Endpoint.get(
                                "call failed",
                                "/v1/failed-calls",
                                "List the calls to plugins that have failed and have not succeeded since")
                        .description(
                                "The leader tries them again, unless the plugin has refused them; between two attempts they"
                                        + " are not in call list. Another server answers that it does not lead. They are"
                                        + " not in the state, so this list does not wait for changes.")
                        .with(
                                Filters.text("namespace", "Only calls for volumes of this namespace."),
                                Filters.text("plugin", "Only calls to this plugin."),
                                Filters.text("node", "Only calls that are about this node."),
                                Filters.text("prefix", "Only calls for volumes whose id begins so."),
                                Parameter.query("rpc", Rpc.class, "Only calls of this kind."))
                        .needs("PLUGIN_READ; VOLUME_READ in the namespace of each volume")
                        .pages(FAILED, (call, after, limit) -> {
                            call.server().needLeader();
                            CallQuery query = query(call).build();
                            return part(
                                    call.operations()
                                            .operator()
                                            .failedCalls()
                                            .thenApply(all -> all.stream()
                                                    .filter(failed -> query.matches(asCall(failed)))
                                                    .toList()),
                                    EngineEndpoints::position,
                                    after,
                                    limit);
                        }),
                Endpoint.get("leftover list", "/v1/leftovers", "List what forgotten volumes may have left on nodes")
                        .description("Does not wait for changes.")
                        .needs("MANAGEMENT")
                        .pages(
                                LEFTOVER,
                                (call, after, limit) -> part(
                                        call.operations().operator().leftovers(),
                                        leftover -> key(
                                                leftover.pluginId(),
                                                leftover.externalVolumeId().value()),
                                        after,
                                        limit)),
                Endpoint.get(
                                "withdrawn-creation list",
                                "/v1/withdrawn-creations",
                                "List the withdrawn creations that may have made a volume")
                        .description("Does not wait for changes.")
                        .needs("MANAGEMENT")
                        .pages(
                                WITHDRAWN,
                                (call, after, limit) -> part(
                                        call.operations().operator().withdrawnCreations(),
                                        creation -> key(creation.pluginId(), creation.name()),
                                        after,
                                        limit)));
    }

    private static CallQuery.Builder query(Call call) {
        Values values = call.values();
        return CallQuery.builder()
                .namespace(values.maybe("namespace", Namespace::of).orElse(null))
                .pluginId(values.maybe("plugin", PluginId::of).orElse(null))
                .nodeId(values.maybe("node", NodeId::of).orElse(null))
                .rpc(values.maybeChoice("rpc", Rpc.class).orElse(null))
                .failing(values.maybeFlag("failing").orElse(null))
                .idPrefix(values.textOrEmpty("prefix"));
    }

    /** Returns a failed call as one that waits, for the conditions of a query. */
    private static PluginCall asCall(FailedCall failed) {
        return new PluginCall(
                failed.failure().rpc(),
                failed.pluginId(),
                failed.failure().nodeId(),
                Optional.of(failed.volume()),
                failed.failure().failures() + 1,
                failed.failure().since(),
                Optional.empty());
    }

    private static String position(FailedCall failed) {
        return failed.volume() + "\0" + failed.failure().rpc() + "\0"
                + failed.failure().nodeId().map(NodeId::value).orElse("");
    }

    private static String key(PluginId plugin, String name) {
        return plugin.value() + '\0' + name;
    }

    /** Returns a part of a list. The position is a key, because entries that are removed meanwhile move the others. */
    static <T> CompletableFuture<Page<T>> part(
            CompletableFuture<List<T>> list, Function<T, String> key, Optional<String> after, int limit) {
        return list.thenApply(all -> {
            List<T> rest = all.stream()
                    .filter(item -> after.map(last -> key.apply(item).compareTo(last) > 0)
                            .orElse(true))
                    .sorted(Comparator.comparing(key))
                    .toList();
            List<T> items = rest.subList(0, Math.min(limit, rest.size()));
            return new Page<>(
                    items, rest.size() > limit ? Optional.of(key.apply(items.get(limit - 1))) : Optional.empty());
        });
    }
}
