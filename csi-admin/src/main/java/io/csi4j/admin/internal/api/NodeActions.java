package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.api.Failures.Failure;
import io.csi4j.admin.internal.api.NodeStatements.Answer;
import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.cluster.StorageLoss;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.core.lifecycle.NodeOverride;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.lifecycle.StorageLossPreview;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The reports about nodes, and the statements of an operator in place of what nodes and providers would say. */
public final class NodeActions {
    private static final String PATH = "/v1/nodes/{node}";
    private static final String NEEDS = "MANAGEMENT";
    private static final Parameter WHY = Parameter.body("reason", Parameter.Type.TEXT, "The cause, for operators.");
    private static final Parameter PREVIEW = Parameter.body(
            "preview",
            Parameter.Type.TEXT,
            "The preview of a dry run: the request is refused if its effect is another one now.");

    /** The answer to the report that a node was removed. */
    private record Removed(NodeId node, boolean known) {}

    private static final Shape<Removed> REMOVED = Shape.<Removed>of(
                    "NodeRemoval", "The answer to the report that a node was removed.")
            .flag("stored", "Whether the report is stored; false if the state does not have the node.", Removed::known)
            .text(
                    "note",
                    "The node that the state does not have, so that nothing was changed; absent if it has the node.",
                    removed -> removed.known()
                            ? Optional.empty()
                            : Optional.of("node " + removed.node() + " is not known: nothing was changed (csi node list"
                                    + " has the nodes)"))
            .optional()
            .build();

    /** The answer to the report that the storage of a node is gone. */
    private record Lost(boolean stored, StorageLossPreview preview) {}

    private static final Shape<Map.Entry<VolumeKey, String>> KEPT = Shape.<Map.Entry<VolumeKey, String>>of(
                    "KeptVolume", "A volume in a place whose storage is gone, whose row stays.")
            .text("namespace", "The namespace.", kept -> kept.getKey().namespace())
            .text("volume", "The volume.", kept -> kept.getKey().volumeId())
            .text("reason", "Why its row stays.", Map.Entry::getValue)
            .build();

    private static final Shape<VolumeKey> ENDED = Shape.<VolumeKey>of(
                    "LostVolume", "A volume that ends because the storage of its only node is gone.")
            .text("namespace", "The namespace.", VolumeKey::namespace)
            .text("volume", "The volume.", VolumeKey::volumeId)
            .build();

    private static final Shape<Lost> LOST = Shape.<Lost>of(
                    "StorageLoss", "The answer to the report that the storage of a node is gone.")
            .flag("stored", "Whether the report is stored; false for a preview.", Lost::stored)
            .objects(
                    "ended",
                    "The volumes whose rows are removed.",
                    ENDED,
                    lost -> lost.preview().ending())
            .objects(
                    "kept",
                    "The other volumes in the place.",
                    KEPT,
                    lost -> lost.preview().kept().entrySet())
            .build();

    private NodeActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                ready(),
                disconnected(),
                down(),
                fenced(),
                gone(),
                storageLost(),
                override(),
                overrideClaim(),
                overrideAttachment(),
                forgetUnmount());
    }

    private static Endpoint ready() {
        return Endpoint.post("node ready", PATH + "/ready", "Report that a node answers")
                .description("The node may be new.")
                .with(ActionFields.NODE)
                .needs(NEEDS)
                .action(call -> call.operations().cluster().nodeReady(ActionFields.node(call.values())));
    }

    private static Endpoint disconnected() {
        return Endpoint.post("node disconnected", PATH + "/disconnected", "Report that a node has lost its connection")
                .description("Its workloads may continue.")
                .with(ActionFields.NODE, WHY)
                .needs(NEEDS)
                .action(call ->
                        call.operations().cluster().nodeDisconnected(ActionFields.node(call.values()), why(call)));
    }

    private static Endpoint down() {
        return Endpoint.post("node down", PATH + "/down", "Report that a node is down")
                .description("No proof that its workloads have stopped: the fencing policy of each volume decides when"
                        + " claims on the node are released.")
                .with(ActionFields.NODE, WHY)
                .needs(NEEDS)
                .action(call -> call.operations().cluster().nodeDown(ActionFields.node(call.values()), why(call)));
    }

    private static Endpoint fenced() {
        return Endpoint.post("node fenced", PATH + "/fenced", "Report that a node was fenced")
                .description("No workload on the node can reach storage any more. Its allocations end, and its volumes"
                        + " go to other nodes: if the report is wrong, data may be lost.")
                .with(ActionFields.NODE, WHY)
                .needs(NEEDS)
                .destroys()
                .action(call -> call.operations().cluster().nodeFenced(ActionFields.node(call.values()), why(call)));
    }

    private static Endpoint gone() {
        return Endpoint.post("node gone", PATH + "/gone", "Report that a node was removed permanently")
                .description("Its allocations end, and its volumes go to other nodes: if the report is wrong, data may"
                        + " be lost.")
                .with(ActionFields.NODE, WHY)
                .needs(NEEDS)
                .destroys()
                .action(REMOVED, call -> {
                    NodeId node = ActionFields.node(call.values());
                    return Steps.then(
                            isKnown(call, node),
                            known -> Futures.map(
                                    call.operations().cluster().nodeGone(node, why(call)),
                                    done -> new Removed(node, known)));
                });
    }

    private static Endpoint storageLost() {
        return Endpoint.post("node storage-lost", PATH + "/storage-lost", "Report that the storage of a node is gone")
                .description(
                        "For example its local disks. The rows of volumes that only this node could reach are removed,"
                                + " without a call to the plugin, if they are being deleted or belong to an allocation; others only if"
                                + " the request names them. The node has to be FENCED, GONE or unknown.")
                .with(
                        ActionFields.NODE,
                        Parameter.body("plugin", Parameter.Type.TEXT, "The plugin whose volumes were there.")
                                .needed(),
                        Parameter.body(
                                        "segments",
                                        Parameter.Type.MAP,
                                        "The topology that the plugin had reported for the node.")
                                .needed(),
                        Parameter.body(
                                "namespace",
                                Parameter.Type.TEXT,
                                "The namespace of the volumes that end although they outlive their workload."),
                        Parameter.body(
                                "volumes",
                                Parameter.Type.TEXTS,
                                "The volumes of the namespace that end although they outlive their workload."),
                        ActionFields.REASON,
                        ActionFields.DRY_RUN)
                .needs(NEEDS)
                .destroys()
                .action(LOST, call -> {
                    StorageLoss loss = loss(call.values());
                    String reason = ActionFields.reason(call.values());
                    Cluster cluster = call.operations().cluster();
                    boolean stored = !call.values().flag("dryRun");
                    return Steps.then(
                            cluster.previewStorageLoss(loss),
                            preview -> stored
                                    ? Futures.map(
                                            cluster.nodeStorageLost(loss, reason), done -> new Lost(true, preview))
                                    : CompletableFuture.completedFuture(new Lost(false, preview)));
                });
    }

    private static StorageLoss loss(Values values) {
        Topology place = ActionFields.valid("segments", () -> Topology.of(values.map("segments")));
        List<VolumeId> volumes = values.parsedTexts("volumes", VolumeId::of);
        Optional<Namespace> namespace = values.maybe("namespace", Namespace::of);
        if (!volumes.isEmpty() && namespace.isEmpty()) {
            throw new BadRequestException("namespace", "is not given", "give the namespace of the volumes");
        }
        StorageLoss loss = ActionFields.valid(
                "segments", () -> StorageLoss.of(ActionFields.node(values), ActionFields.plugin(values), place));
        return namespace
                .map(of -> loss.naming(
                        volumes.stream().map(id -> new VolumeKey(of, id)).toList()))
                .orElse(loss);
    }

    private static CompletableFuture<Boolean> isKnown(Call call, NodeId node) {
        return Futures.map(
                call.operations()
                        .operator()
                        .nodes(NodeQuery.builder()
                                .idPrefix(node.value())
                                .limit(1)
                                .build()),
                page -> page.items().stream().anyMatch(view -> view.node().id().equals(node)));
    }

    private static String why(Call call) {
        return call.values().textOrEmpty("reason");
    }

    private static Endpoint override() {
        return Endpoint.post("node override", PATH + "/override", "State what a node would say")
                .description("The engine believes the statement: if it is wrong, a volume may be used on two nodes, and"
                        + " data may be lost.")
                .with(
                        ActionFields.NODE,
                        Parameter.body("statement", NodeStatement.class, "The statement.")
                                .needed(),
                        ActionFields.REASON,
                        PREVIEW,
                        ActionFields.DRY_RUN)
                .needs(NEEDS)
                .destroys()
                .continues("The claims and attachments whose statement was stored before stay overridden.")
                .action(NodeStatements.SHAPE, call -> {
                    NodeId node = ActionFields.node(call.values());
                    NodeStatement statement = call.values().choice("statement", NodeStatement.class);
                    String reason = ActionFields.reason(call.values());
                    return Steps.then(
                            preview(call, node, statement),
                            effect -> stored(
                                    call,
                                    effect,
                                    () -> call.operations().operator().overrideNode(effect, reason)));
                });
    }

    private static CompletableFuture<NodeOverride> preview(Call call, NodeId node, NodeStatement statement) {
        return call.operations().operator().previewNode(node, statement);
    }

    /** Stores a statement, unless the request is a preview, or has the preview of another effect. */
    private static CompletableFuture<Answer> stored(
            Call call, NodeOverride effect, Supplier<CompletableFuture<Void>> statement) {
        if (call.values().flag("dryRun")) {
            return CompletableFuture.completedFuture(new Answer(false, Optional.of(effect)));
        }
        Optional<String> seen = call.values().maybe("preview", text -> text);
        if (seen.isPresent() && !seen.get().equals(NodeStatements.digest(effect))) {
            throw new FailureException(
                    Failure.of(
                            "preview-outdated",
                            409,
                            "the statement about node " + effect.nodeId()
                                    + " has another effect now than in the preview; look at it again with --dry-run (dryRun in HTTP)"));
        }
        return Futures.map(statement.get(), done -> new Answer(true, Optional.of(effect)));
    }

    /** Stores a statement about one volume, whose effect is read only for a preview. */
    private static CompletableFuture<Answer> stored(
            Call call, Supplier<CompletableFuture<NodeOverride>> effect, Supplier<CompletableFuture<Void>> statement) {
        return call.values().flag("dryRun") || call.values().has("preview")
                ? Steps.then(effect.get(), found -> stored(call, found, statement))
                : Futures.map(statement.get(), done -> new Answer(true, Optional.empty()));
    }

    private static Endpoint overrideClaim() {
        return Endpoint.post(
                        "claim override",
                        VolumeActions.PATH + "/claims/{allocation}/override",
                        "State that a volume is not mounted for an allocation any more")
                .description("The engine continues the release without proof from the node: if the statement is wrong,"
                        + " a volume may be used on two nodes, and data may be lost.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        ActionFields.ALLOCATION,
                        ActionFields.REASON,
                        PREVIEW,
                        ActionFields.DRY_RUN)
                .needs(NEEDS + "; a preview also VOLUME_READ in the namespace of the volume")
                .destroys()
                .action(NodeStatements.SHAPE, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    AllocationId allocation = ActionFields.allocation(call.values());
                    String reason = ActionFields.reason(call.values());
                    return stored(
                            call,
                            () -> effect(
                                    call,
                                    key,
                                    view -> view.volume()
                                            .claims()
                                            .get(allocation)
                                            .map(Claim::nodeId),
                                    NodeStatement.UNMOUNTED,
                                    claim -> claim.allocationId().equals(allocation),
                                    attachment -> false),
                            () -> call.operations().operator().overrideClaim(key, allocation, reason));
                });
    }

    private static Endpoint overrideAttachment() {
        return Endpoint.post(
                        "attachment override",
                        VolumeActions.PATH + "/attachments/{node}/override",
                        "State that a volume is detached from a node")
                .description("The engine continues without a confirmation of the provider: if the statement is wrong, a"
                        + " volume may be used on two nodes, and data may be lost.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        ActionFields.NODE,
                        ActionFields.REASON,
                        PREVIEW,
                        ActionFields.DRY_RUN)
                .needs(NEEDS + "; a preview also VOLUME_READ in the namespace of the volume")
                .destroys()
                .action(NodeStatements.SHAPE, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    NodeId node = ActionFields.node(call.values());
                    String reason = ActionFields.reason(call.values());
                    return stored(
                            call,
                            () -> effect(
                                    call,
                                    key,
                                    view -> Optional.of(node),
                                    NodeStatement.DETACHED,
                                    claim -> false,
                                    attachment -> true),
                            () -> call.operations().operator().overrideAttachment(key, node, reason));
                });
    }

    /** Returns the part of a statement about a node that concerns one volume. */
    private static CompletableFuture<NodeOverride> effect(
            Call call,
            VolumeKey key,
            Function<VolumeView, Optional<NodeId>> node,
            NodeStatement statement,
            Predicate<NodeOverride.ClaimOnNode> claims,
            Predicate<NodeOverride.AttachmentToNode> attachments) {
        return Steps.then(call.operations().claims().status(key), status -> {
            NodeId found = status.flatMap(known -> node.apply(known.view()))
                    .orElseThrow(() -> new FailureException(
                            Failure.of("not-found", 404, "volume " + key + " has no such claim or attachment")));
            return Futures.map(
                    preview(call, found, statement),
                    all -> new NodeOverride(
                            found,
                            statement,
                            all.index(),
                            all.claims().stream()
                                    .filter(claim -> claim.volume().equals(key))
                                    .filter(claims)
                                    .toList(),
                            all.attachments().stream()
                                    .filter(attachment -> attachment.volume().equals(key))
                                    .filter(attachments)
                                    .toList(),
                            List.of()));
        });
    }

    private static Endpoint forgetUnmount() {
        return Endpoint.post(
                        "node forget-unmount",
                        PATH + "/volumes/{namespace}/{volume}/{allocation}/forget-unmount",
                        "Order a node to finish an unmount without its plugin")
                .description("For a plugin that was removed or refuses each unmount. The node obeys only if nothing of"
                        + " the volume is mounted there. The plugin may keep resources of its own.")
                .with(
                        ActionFields.NODE,
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        ActionFields.ALLOCATION,
                        ActionFields.REASON)
                .needs(NEEDS)
                .destroys()
                .continues("An order that the node has got is carried out.")
                .action(call -> call.operations()
                        .operator()
                        .forgetUnmount(
                                ActionFields.volume(call.values()),
                                ActionFields.node(call.values()),
                                ActionFields.allocation(call.values()),
                                ActionFields.reason(call.values())));
    }
}
