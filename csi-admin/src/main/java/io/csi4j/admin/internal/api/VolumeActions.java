package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.CallFailure;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.ManagedVolumes;
import io.csi4j.core.lifecycle.VolumeClassView;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The actions that change volumes. */
public final class VolumeActions {
    /** The path of a volume. */
    static final String PATH = "/v1/volumes/{namespace}/{volume}";

    private static final String STORED =
            "The leader continues a request that was stored: it repeats the calls until the plugin has confirmed or"
                    + " refused it. ";
    private static final String WRITE = "PLUGIN_READ; VOLUME_WRITE in the namespace of the volume";

    /**
     * A volume that an action has changed or would change.
     *
     * @param stored the volume as it is stored now; empty for a check only
     */
    record Changed(VolumeKey key, VolumeSpec spec, Optional<Volume> stored) {
        static Changed of(Volume volume) {
            return new Changed(volume.key(), volume.spec(), Optional.of(volume));
        }

        static Changed checked(VolumeKey key, VolumeSpec spec) {
            return new Changed(key, spec, Optional.empty());
        }
    }

    /** The volume that an action has changed. */
    static final Shape<Changed> CHANGED =
            changed("ChangedVolume", "A volume after an action.").build();

    private static Shape.Builder<Changed> changed(String name, String description) {
        return Shape.<Changed>of(name, description)
                .text(
                        "namespace",
                        "The namespace.",
                        volume -> volume.key().namespace().value())
                .column()
                .text(
                        "volume",
                        "The id in its namespace.",
                        volume -> volume.key().volumeId().value())
                .column()
                .text(
                        "plugin",
                        "The plugin.",
                        volume -> volume.spec().pluginId().value())
                .column()
                .text(
                        "class",
                        "The class from which it was made.",
                        volume -> volume.stored().flatMap(Volume::classOrigin).map(ClassOrigin::name))
                .optional()
                .choice(
                        "phase",
                        "The phase of its life; absent after a check.",
                        VolumePhase.class,
                        volume -> volume.stored().map(Volume::phase))
                .optional()
                .column()
                .choice(
                        "origin",
                        "Whether it was created, registered, or is made where it is published.",
                        VolumeOrigin.class,
                        volume -> volume.stored().map(Volume::origin))
                .optional()
                .text(
                        "externalVolumeId",
                        "The provider's id of the volume.",
                        volume -> volume.stored()
                                .flatMap(Volume::externalVolumeId)
                                .or(() -> volume.spec().externalVolumeId())
                                .map(id -> id.value()))
                .optional()
                .column("EXTERNAL ID")
                .number(
                        "capacityBytes",
                        "The size in bytes; 0 if it is not known.",
                        volume -> volume.stored().map(stored -> stored.facts().capacityBytes()))
                .optional()
                .column("SIZE")
                .number(
                        "modifyIndex",
                        "The index of the last change of the volume.",
                        volume -> volume.stored()
                                .map(stored -> OptionalLong.of(stored.modifyIndex()))
                                .orElse(OptionalLong.empty()))
                .optional();
    }

    private static final Shape<ExpandResult.NodePart> NODE_PART = Shape.<ExpandResult.NodePart>of(
                    "NodeExpansion", "The expansion on the node of a claim.")
            .text(
                    "allocation",
                    "The allocation of the claim.",
                    part -> part.allocationId().value())
            .text("node", "The node.", part -> part.nodeId().value())
            .number(
                    "capacityBytes",
                    "The size on the node in bytes; 0 if not reported.",
                    ExpandResult.NodePart::capacityBytes)
            .text("error", "The reason why the node has not expanded the volume.", ExpandResult.NodePart::error)
            .optional()
            .build();

    /** An expanded volume, with the results of the nodes. */
    record Expanded(Changed volume, List<ExpandResult.NodePart> nodes) {}

    private static final Shape<Expanded> EXPANDED = Shape.<Expanded>of("ExpandedVolume", "A volume after an expansion.")
            .object("volume", "The volume with its new size.", CHANGED, Expanded::volume)
            .objects("nodes", "The results of the nodes that had to expand the volume.", NODE_PART, Expanded::nodes)
            .build();

    /**
     * The result of a detachment, with what the plugin said.
     *
     * @param work the node's own work on the volume that is not finished
     * @param failures the last failures of the calls for the node
     */
    private record Detached(DetachReport report, List<String> work, List<CallFailure> failures) {}

    private static final Shape<Detached> DETACHED = Shape.<Detached>of("DetachReport", "The result of a detachment.")
            .text(
                    "namespace",
                    "The namespace.",
                    detached -> detached.report().volume().namespace().value())
            .text(
                    "volume",
                    "The id in its namespace.",
                    detached -> detached.report().volume().volumeId().value())
            .column()
            .text("node", "The node.", detached -> detached.report().nodeId().value())
            .column()
            .flag(
                    "detached",
                    "Whether the volume is completely detached from the node.",
                    detached -> detached.report().detached())
            .column()
            .texts(
                    "freed",
                    "The allocations whose claims were removed.",
                    detached -> values(detached.report().freed()))
            .texts(
                    "held",
                    "The allocations that have not ended, whose claims stay.",
                    detached -> detached.report().held().stream()
                            .map(claim -> claim.allocationId().value())
                            .toList())
            .objects(
                    "releasing",
                    "The claims whose release has not ended.",
                    ReleasedClaims.ON_NODE,
                    detached -> detached.report().releasing())
            .text(
                    "attachment",
                    "The state of the attachment that is left.",
                    detached -> detached.report().attachment().map(attachment -> attachment.state()))
            .optional()
            .texts(
                    "waits",
                    "The reasons why the detachment is not done yet.",
                    detached -> detached.report().waits().stream()
                            .map(wait -> wait.reason())
                            .toList())
            .text(
                    "notAsked",
                    "The reason why the provider could not be asked.",
                    detached -> detached.report().notAsked())
            .optional()
            .texts(
                    "nodes",
                    "The node's own work on the volume that is not finished, with the reason, if the caller may read the"
                            + " volume.",
                    Detached::work)
            .objects(
                    "failures",
                    "The last failures of the calls for the node in the plugin's words, if the caller may read the volume.",
                    VolumeShapes.FAILURE,
                    Detached::failures)
            .build();

    private static List<String> values(List<AllocationId> ids) {
        return ids.stream().map(AllocationId::value).toList();
    }

    private static final Parameter[] CREATE =
            SpecFields.allOrClass(SpecFields.NAME, SpecFields.CONTENT_SOURCE, ActionFields.DRY_RUN);

    private VolumeActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(
                create(), restore(), register(), deregister(), delete(), expand(), modify(), detach(), recheck());
    }

    private static Endpoint create() {
        return Endpoint.put("volume create", PATH, "Create a volume at the provider")
                .description("Give a class, or a plugin with the capabilities and all else that the volume needs. A"
                        + " further request with equal fields answers with the existing volume; one with another"
                        + " field changes nothing and names the field.")
                .with(CREATE)
                .needs(WRITE + "; a name needs MANAGEMENT, a content source VOLUME_READ of its volume, or MANAGEMENT"
                        + " if that is not registered")
                .continues(STORED + "volume withdraw-creation gives the creation up, and volume delete deletes it.")
                .action(
                        CHANGED,
                        call -> SpecFields.template(call.values())
                                .map(template -> create(call, template))
                                .orElseGet(() -> create(call, SpecFields.spec(call.values()))));
    }

    private static CompletableFuture<Changed> create(Call call, VolumeTemplate template) {
        VolumeKey key = ActionFields.volume(call.values());
        List<Problem> beside = SpecFields.besideClass(call.values(), List.of(CREATE));
        if (!beside.isEmpty()) {
            return refused(call, key, template, beside);
        }
        if (call.values().flag("dryRun")) {
            return Futures.map(
                    call.operations().classes().get(key.namespace(), template.className()),
                    view -> checked(key, template, view),
                    failure -> failure instanceof CancellationException ? failure : SpecFields.named(failure));
        }
        call.server().needLeader();
        return SpecFields.changed(ActionFields.withSecrets(call).volumes().create(key, template));
    }

    /** Refuses a request that has fields of its class, with all other problems, so far as the caller may read the class. */
    private static CompletableFuture<Changed> refused(
            Call call, VolumeKey key, VolumeTemplate template, List<Problem> beside) {
        CompletableFuture<List<Problem>> others = Futures.recovered(
                Futures.map(
                        call.operations().classes().get(key.namespace(), template.className()),
                        view -> limits(view).problems(template)),
                failure -> failure instanceof CsiRequestException unknown
                        ? Optional.of(unknown.problems())
                        : failure instanceof CancellationException ? Optional.empty() : Optional.of(List.of()));
        return Futures.map(others, more -> {
            List<Problem> all = new ArrayList<>(beside);
            all.addAll(more);
            throw SpecFields.named(new CsiRequestException("volume " + key, all));
        });
    }

    private static VolumeClass limits(VolumeClassView view) {
        return VolumeClass.builder(view.name(), view.pluginId())
                .requestedCapabilities(view.requestedCapabilities())
                .leastBytes(view.leastBytes())
                .greatestBytes(view.greatestBytes())
                .kind(view.kind())
                .attributeKeys(view.attributeKeys())
                .ephemeral(view.ephemeral())
                .restore();
    }

    /** Checks a template with the limits of its class, whose parameters and secrets are not shown. */
    private static Changed checked(VolumeKey key, VolumeTemplate template, VolumeClassView view) {
        VolumeClass limits = limits(view);
        List<Problem> problems = limits.problems(template);
        if (!problems.isEmpty()) {
            throw new CsiRequestException("volume " + key, problems);
        }
        return Changed.checked(key, limits.spec(template));
    }

    private static CompletableFuture<Changed> create(Call call, VolumeSpec spec) {
        VolumeKey key = ActionFields.volume(call.values());
        if (call.values().flag("dryRun")) {
            return CompletableFuture.completedFuture(Changed.checked(key, spec));
        }
        // The leader alone has the plugin's words if it refuses, and gives the plugin the secrets of the request.
        call.server().needLeader();
        return SpecFields.changed(ActionFields.withSecrets(call).volumes().create(key, spec));
    }

    private static Endpoint restore() {
        return Endpoint.post("volume restore", PATH + "/restore", "Create a volume from a snapshot")
                .description("The same as volume create with the snapshot as the source of the content.")
                .with(SpecFields.all(
                        Parameter.body("snapshotId", Parameter.Type.TEXT, "The provider's id of the snapshot.")
                                .needed(),
                        SpecFields.NAME,
                        ActionFields.DRY_RUN))
                .needs(WRITE
                        + "; VOLUME_READ in the namespace of the volume of the snapshot, or MANAGEMENT if it is not"
                        + " registered")
                .continues(STORED + "volume withdraw-creation gives the creation up, and volume delete deletes it.")
                .action(
                        CHANGED,
                        call -> create(
                                call,
                                SpecFields.spec(
                                        call.values(),
                                        Optional.of(VolumeContentSource.snapshot(
                                                call.values().parsed("snapshotId", SnapshotId::of))))));
    }

    private static Endpoint register() {
        return Endpoint.put("volume register", PATH + "/registration", "Register a volume that the provider has")
                .description("Of a registered volume, it changes the declaration: the request replaces the whole"
                        + " declaration. A healthy plugin has to confirm the volume and its capabilities first.")
                .with(SpecFields.all(SpecFields.EXTERNAL_VOLUME_ID, SpecFields.VOLUME_CONTEXT, ActionFields.DRY_RUN))
                .needs(WRITE + "; a new volume and another volume context need MANAGEMENT")
                .action(CHANGED, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    VolumeSpec spec = SpecFields.spec(call.values());
                    return call.values().flag("dryRun")
                            ? CompletableFuture.completedFuture(Changed.checked(key, spec))
                            : SpecFields.changed(
                                    ActionFields.withSecrets(call).volumes().register(key, spec));
                });
    }

    private static Endpoint deregister() {
        return Endpoint.delete("volume deregister", PATH + "/registration", "Remove a volume from the state")
                .description("The volume stays at the provider. Refused while the volume has a claim or an attachment,"
                        + " and while it is being created or deleted.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME)
                .needs("VOLUME_WRITE in the namespace of the volume")
                .destroys()
                .action(call -> call.operations().volumes().deregister(ActionFields.volume(call.values())));
    }

    private static Endpoint delete() {
        return Endpoint.delete("volume delete", PATH, "Delete a volume at the provider and in the state")
                .description(
                        "The data is lost. Refused while the volume is in use, and if it is retained and the request"
                                + " does not say 'evenRetained'.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        Filters.flag(
                                "evenRetained",
                                "Also if the volume was retained when its workload ended: the kept data is lost."),
                        ActionFields.SECRETS)
                .needs(WRITE)
                .destroys()
                .continues(STORED + "volume withdraw-deletion ends the deletion.")
                .action(call -> {
                    ManagedVolumes volumes = ActionFields.withSecrets(call).volumes();
                    VolumeKey key = ActionFields.volume(call.values());
                    return call.values().flag("evenRetained") ? volumes.deleteRetained(key) : volumes.delete(key);
                });
    }

    private static Endpoint expand() {
        return Endpoint.post("volume expand", PATH + "/expand", "Expand a volume")
                .description("The operation ends when the nodes of all claims have expanded the volume, too.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        ActionFields.range().get(0).needed(),
                        ActionFields.range().get(1),
                        ActionFields.SECRETS)
                .needs(WRITE)
                .continues(STORED + "volume withdraw-expansion ends the expansion.")
                .action(
                        EXPANDED,
                        call -> Steps.then(
                                ActionFields.withSecrets(call)
                                        .volumes()
                                        .expand(
                                                ActionFields.volume(call.values()),
                                                ActionFields.range(call.values(), "requiredBytes")),
                                grown -> Futures.map(
                                        grown.nodes(), nodes -> new Expanded(Changed.of(grown.volume()), nodes))));
    }

    private static Endpoint modify() {
        return Endpoint.post("volume modify", PATH + "/modify", "Change parameters of a volume in place")
                .description("All other parameters keep their values.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        Parameter.body(
                                        "mutableParameters",
                                        Parameter.Type.MAP,
                                        "The parameters to change, which only the plugin interprets; not shown.")
                                .needed(),
                        ActionFields.SECRETS)
                .needs(WRITE)
                .continues(STORED)
                .action(
                        CHANGED,
                        call -> Futures.map(
                                ActionFields.withSecrets(call)
                                        .volumes()
                                        .modify(
                                                ActionFields.volume(call.values()),
                                                call.values().map("mutableParameters")),
                                Changed::of));
    }

    private static Endpoint detach() {
        return Endpoint.post("volume detach", PATH + "/attachments/{node}/detach", "Detach a volume from a node")
                .description("Tries all remaining steps now, and reports the result. Claims of allocations that have"
                        + " not ended stay.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME, ActionFields.NODE)
                .needs("PLUGIN_READ; VOLUME_MOUNT in the namespace of the volume")
                .continues(STORED)
                .action(DETACHED, call -> {
                    call.server().needLeader();
                    return Steps.then(
                            call.operations()
                                    .operator()
                                    .detach(ActionFields.volume(call.values()), ActionFields.node(call.values())),
                            report -> detached(call, report));
                });
    }

    /** Adds the plugin's words, which the state does not have, to a detachment that is not done. */
    private static CompletableFuture<Detached> detached(Call call, DetachReport report) {
        if (report.detached()) {
            return CompletableFuture.completedFuture(new Detached(report, List.of(), List.of()));
        }
        return Futures.recovered(
                Futures.map(
                        call.operations().claims().status(report.volume()),
                        status -> new Detached(
                                report,
                                status.map(VolumeStatus::unfinishedOnNodes).orElse(List.of()).stream()
                                        .filter(work -> work.nodeId().equals(report.nodeId()))
                                        .map(VolumeShapes::work)
                                        .toList(),
                                status.map(VolumeStatus::failures).orElse(List.of()).stream()
                                        .filter(failure -> failure.nodeId().equals(Optional.of(report.nodeId())))
                                        .toList())),
                denied -> Optional.of(new Detached(report, List.of(), List.of())));
    }

    private static Endpoint recheck() {
        return Endpoint.post(
                        "volume recheck",
                        PATH + "/recheck",
                        "Plan the remaining work of a volume again; ask for a lost one")
                .description("Calls that have failed are repeated at once.")
                .with(ActionFields.NAMESPACE, ActionFields.VOLUME)
                .needs("VOLUME_WRITE in the namespace of the volume")
                .action(call -> {
                    // The leader alone knows until when its failed calls wait.
                    call.server().needLeader();
                    return call.operations().operator().recheck(ActionFields.volume(call.values()));
                });
    }
}
