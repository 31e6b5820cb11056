package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeClassQuery;
import io.csi4j.core.lifecycle.VolumeClassView;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The classes from which volumes are made. */
public final class ClassEndpoints {
    private static final String MANAGEMENT = "MANAGEMENT";
    private static final String PATH = "/v1/classes/{class}";
    private static final String NEEDS = "VOLUME_WRITE in the namespace; without a namespace MANAGEMENT";
    private static final String STORED_SECRETS = "storedSecrets";

    private static final Parameter CLASS = Parameter.path("class", "The name of the class.");
    private static final Parameter NAMESPACE = Filters.text("namespace", "Only classes that this namespace may use.");

    private static final Shape<VolumeClassView> SHAPE = Shape.<VolumeClassView>of(
                    "VolumeClass", "A class of volumes, without its secrets, parameters and mount flags.")
            .text("class", "The name.", view -> view.name().value())
            .column()
            .text(
                    "plugin",
                    "The plugin of its volumes.",
                    view -> view.pluginId().value())
            .column()
            .choice("binding", "When the place of a volume is chosen.", VolumeBinding.class, VolumeClassView::binding)
            .column()
            .choice(
                    "reclaim",
                    "Whether a volume is deleted when its owner ends.",
                    ReclaimPolicy.class,
                    VolumeClassView::reclaim)
            .column()
            .objects(
                    "access",
                    "The uses that its volumes allow.",
                    Shapes.CAPABILITY,
                    VolumeClassView::requestedCapabilities)
            .text("fsType", "The declared type of the file system; may be empty.", VolumeClassView::fsType)
            .maybe(
                    "defaultCapacity",
                    "The size of a volume that is made without a size.",
                    Shapes.RANGE,
                    VolumeClassView::defaultCapacity)
            .number(
                    "leastBytes",
                    "The least size that can be requested, in bytes; 0 for no limit.",
                    VolumeClassView::leastBytes)
            .column("LEAST")
            .number(
                    "greatestBytes",
                    "The greatest size that can be requested, in bytes; 0 for no limit.",
                    VolumeClassView::greatestBytes)
            .column("GREATEST")
            .objects(
                    "allowedTopologies",
                    "The places in which its volumes may be made; none if all.",
                    Shapes.TOPOLOGY,
                    VolumeClassView::allowedTopologies)
            .choice(
                    "fencingPolicy",
                    "When claims on a node that does not answer end; absent if the class declares nothing.",
                    VolumeShapes.Fencing.class,
                    view -> view.fencingPolicy().map(VolumeShapes.Fencing::of))
            .optional()
            .seconds(
                    "fencingGrace",
                    "The grace of AFTER_GRACE.",
                    view -> view.fencingPolicy().flatMap(VolumeShapes.Fencing::grace))
            .optional()
            .texts(
                    "namespaces",
                    "The namespaces that may use it, so far as the caller may see them; none if all may use it.",
                    VolumeClassView::namespaces)
            .column()
            .choice(
                    "capacityCheck",
                    "What the free capacity that the plugin reports means: nothing (OFF), an order of nodes (ADVISE), or that"
                            + " nodes without room get no volume (REQUIRED).",
                    CapacityCheck.class,
                    VolumeClassView::capacityCheck)
            .choice("kind", "How its volumes come into being.", VolumeKind.class, VolumeClassView::kind)
            .column()
            .texts(
                    "attributeKeys",
                    "The attributes that templates may give for inline volumes.",
                    VolumeClassView::attributeKeys)
            .flag("ephemeral", "Whether NodePublishVolume says that the volume is inline.", VolumeClassView::ephemeral)
            .flag("useByTemplate", "Whether claims may make its volumes.", VolumeClassView::useByTemplate)
            .number("parameters", "The number of parameters, which are not shown.", VolumeClassView::parameters)
            .number(
                    "mutableParameters",
                    "The number of mutable parameters, which are not shown.",
                    VolumeClassView::mutableParameters)
            .number("mountFlags", "The number of mount flags, which are not shown.", VolumeClassView::mountFlags)
            .number("secrets", "The number of stored secrets, which are not shown.", VolumeClassView::secrets)
            .number(
                    "createIndex",
                    "The index of the command that added it: its incarnation, which volumes made from it keep.",
                    VolumeClassView::createIndex)
            .number("modifyIndex", "The index of the last command that changed it.", VolumeClassView::modifyIndex)
            .build();

    private static final Shape<PlaceCapacity> CAPACITY = Shape.<PlaceCapacity>of(
                    "PlaceCapacity",
                    "The free capacity for volumes of a class in one topology, as the leader knows it. An absent value is not"
                            + " known.")
            .map(
                    "topology",
                    "The value for each key of the topology; empty if the plugin has no topologies.",
                    place -> place.topology().map(Topology::segments).orElse(Map.of()))
            .column()
            .number(
                    "availableBytes",
                    "The free capacity that the plugin reported last, in bytes.",
                    place -> optional(place.availableBytes()))
            .optional()
            .column("AVAILABLE")
            .number(
                    "maximumVolumeSize",
                    "The largest volume by its last answer, in bytes.",
                    place -> optional(place.maximumVolumeSize()))
            .optional()
            .column("LARGEST")
            .number(
                    "minimumVolumeSize",
                    "The smallest volume by its last answer, in bytes.",
                    place -> optional(place.minimumVolumeSize()))
            .optional()
            .seconds("age", "The time since the question that it answered last.", PlaceCapacity::age)
            .optional()
            .column()
            .flag(
                    "recent",
                    "Whether the answer is younger than two intervals, so that it counts for REQUIRED.",
                    PlaceCapacity::recent)
            .column()
            .number(
                    "madeBytes",
                    "The size of the volumes that were made here since, in bytes.",
                    PlaceCapacity::madeBytes)
            .column("MADE")
            .number(
                    "refusedBytes",
                    "The least size for which the plugin had no room here since its last answer, in bytes.",
                    place -> optional(place.refusedBytes()))
            .optional()
            .column("REFUSED")
            .text("failure", "Why the plugin gave no answer to the last question.", PlaceCapacity::failure)
            .optional()
            .column()
            .build();

    private ClassEndpoints() {}

    private static Optional<Long> optional(OptionalLong number) {
        return number.isPresent() ? Optional.of(number.getAsLong()) : Optional.empty();
    }

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), status(), capacity(), put(), remove());
    }

    private static Endpoint list() {
        return Endpoint.get("class list", "/v1/classes", "List the classes of volumes")
                .with(NAMESPACE, Filters.text("prefix", "Only classes whose name begins so."))
                .needs(NEEDS)
                .waitsFor(call -> StateScope.of(StateScope.Table.VOLUME_CLASSES))
                .pages(
                        SHAPE,
                        (call, after, limit) -> Futures.map(
                                call.operations()
                                        .classes()
                                        .list(new VolumeClassQuery(
                                                call.values().maybe("namespace", Namespace::of),
                                                call.values().textOrEmpty("prefix"),
                                                after.map(VolumeClassName::of),
                                                limit)),
                                page -> Page.of(page, VolumeClassName::value)));
    }

    private static Endpoint status() {
        return Endpoint.get("class status", PATH, "Show a class of volumes")
                .with(CLASS, NAMESPACE)
                .needs(NEEDS)
                .one(SHAPE, call -> {
                    VolumeClassName name = name(call.values());
                    Optional<Namespace> user = call.values().maybe("namespace", Namespace::of);
                    return Failures.read(
                            user.map(namespace -> call.operations().classes().get(namespace, name))
                                    .orElseGet(() -> call.operations().classes().get(name)),
                            "no volume class "
                                    + user.map(namespace -> "that namespace " + namespace + " may use ")
                                            .orElse("")
                                    + "has the name " + name + "; csi class list has all");
                });
    }

    private static Endpoint capacity() {
        return Endpoint.get("class capacity", PATH + "/capacity", "List the known capacity for volumes of a class")
                .description("One entry for each topology that the leader asks the plugin about. Of a class with many"
                        + " topologies these are the ones that placements needed a short time ago.")
                .with(CLASS)
                .needs(MANAGEMENT)
                .atLeader("the free capacities", "availableBytes")
                .pages(
                        CAPACITY,
                        (call, after, limit) -> Futures.map(
                                call.operations().classes().capacity(name(call.values()), after, limit),
                                page -> Page.of(page, text -> text)));
    }

    private static Endpoint put() {
        return Endpoint.put("class put", PATH, "Add a class of volumes, or replace its values")
                .description("The request replaces all values of the class. Volumes that were made from it stay as they"
                        + " are. The plugin need not be known yet.")
                .with(
                        CLASS,
                        Parameter.body("plugin", Parameter.Type.TEXT, "The plugin of its volumes.")
                                .needed(),
                        SpecFields.capabilities("The ways in which its volumes have to be usable.")
                                .needed(),
                        Parameter.body(
                                "defaultCapacity",
                                Parameter.Type.OBJECT,
                                "The size of a volume that is made without a size.",
                                ActionFields.range()),
                        Parameter.body(
                                "leastBytes", Parameter.Type.BYTES, "The least size; 0 or not given for no limit."),
                        Parameter.body(
                                "greatestBytes",
                                Parameter.Type.BYTES,
                                "The greatest size; 0 or not given for no limit."),
                        Parameter.body(
                                "allowedTopologies",
                                Parameter.Type.OBJECTS,
                                "The topologies in which its volumes may be made; all if not given.",
                                ActionFields.segments()),
                        Parameter.body(
                                "binding",
                                VolumeBinding.class,
                                "Who chooses the place of a volume that is created without a claim: the engine, which spreads"
                                        + " them (AT_CREATION), or the provider (AT_PLACEMENT); AT_CREATION if not given."),
                        Parameter.body(
                                "reclaim",
                                ReclaimPolicy.class,
                                "Whether a volume is deleted when its owner ends; DELETE if not given."),
                        ActionFields.mountOptions("The mount options, which the options of a claim override."),
                        Parameter.body(
                                "parameters",
                                Parameter.Type.MAP,
                                "Parameters that only the plugin interprets; not shown."),
                        Parameter.body(
                                "mutableParameters",
                                Parameter.Type.MAP,
                                "Parameters that may be changed later, and only the plugin interprets; not shown."),
                        Parameter.body(
                                "kind",
                                VolumeKind.class,
                                "How its volumes come into being; CREATED if not given. The plugin makes the content of INLINE"
                                        + " ones where they are published; their parameters are attributes that no template"
                                        + " can change."),
                        Parameter.body(
                                "attributeKeys",
                                Parameter.Type.TEXTS,
                                "The attributes that templates may give for inline volumes; none if not given."),
                        Parameter.body(
                                "ephemeral",
                                Parameter.Type.FLAG,
                                "Whether inline volumes are published with csi.storage.k8s.io/ephemeral, as a plugin needs it"
                                        + " that creates volumes, too."),
                        Parameter.body(
                                "useByTemplate",
                                Parameter.Type.FLAG,
                                "Whether claims may make its volumes, for callers who may use volumes and not create them;"
                                        + " true if not given."),
                        SpecFields.fencing(),
                        Parameter.body(
                                "namespaces",
                                Parameter.Type.TEXTS,
                                "The namespaces that may use the class; all if not given."),
                        Parameter.body(
                                "capacityCheck",
                                CapacityCheck.class,
                                "What the free capacity that the plugin reports means for the placement of volumes that claims"
                                        + " make; ADVISE if not given."),
                        Parameter.body(
                                STORED_SECRETS,
                                Parameter.Type.MAP,
                                "Secrets that are stored with the class, and with each volume that is made from it; not"
                                        + " shown."),
                        Parameter.body(
                                "ifModifyIndex",
                                Parameter.Type.NUMBER,
                                "Refuses the request unless this is the modifyIndex of the class."),
                        ActionFields.DRY_RUN)
                .needs(MANAGEMENT)
                .action(call -> {
                    VolumeClass row = row(call.values());
                    long index = call.values().number("ifModifyIndex").orElse(0);
                    if (index < 0) {
                        throw new BadRequestException(
                                "ifModifyIndex", "is " + index, "use the modifyIndex of the class");
                    }
                    return call.values().flag("dryRun")
                            ? Futures.map(
                                    call.operations()
                                            .classes()
                                            .list(new VolumeClassQuery(
                                                    Optional.empty(),
                                                    "",
                                                    Optional.empty(),
                                                    1)), // It needs MANAGEMENT, too.
                                    allowed -> null)
                            : named(Steps.then(
                                    unchanged(call, row.name(), index),
                                    same -> call.operations().classes().put(row, index)));
                });
    }

    /**
     * Fails if a class was changed since an index. The state itself accepts equal values in spite of another index, for a
     * program that repeats a request without an answer; here the key of the request serves for that.
     *
     * @param index the index; 0 for no check
     */
    private static CompletableFuture<Void> unchanged(Call call, VolumeClassName name, long index) {
        return index == 0
                ? CompletableFuture.completedFuture(null)
                : Futures.map(
                        call.operations()
                                .classes()
                                .list(new VolumeClassQuery(Optional.empty(), name.value(), Optional.empty(), 1)),
                        page -> {
                            page.items().stream()
                                    .filter(view -> view.name().equals(name) && view.modifyIndex() != index)
                                    .findFirst()
                                    .ifPresent(view -> {
                                        throw new RejectedException(
                                                new Rejection.VolumeClassChanged(name, index, view.modifyIndex()));
                                    });
                            return null;
                        });
    }

    private static VolumeClass row(Values values) {
        VolumeClass.Builder row = VolumeClass.builder(name(values), ActionFields.plugin(values))
                .requestedCapabilities(SpecFields.capabilities(values))
                .defaultCapacity(values.object("defaultCapacity")
                        .map(range -> ActionFields.range(range, "defaultCapacity"))
                        .orElse(null))
                .leastBytes(values.number("leastBytes").orElse(0))
                .greatestBytes(values.number("greatestBytes").orElse(0))
                .allowedTopologies(topologies(values))
                .binding(values.maybeChoice("binding", VolumeBinding.class).orElse(VolumeBinding.AT_CREATION))
                .reclaim(values.maybeChoice("reclaim", ReclaimPolicy.class).orElse(ReclaimPolicy.DELETE))
                .mountOptions(ActionFields.mountOptions(values))
                .fencingPolicy(SpecFields.fencing(values).orElse(null))
                .secrets(ActionFields.valid(STORED_SECRETS, () -> Secrets.of(values.map(STORED_SECRETS))))
                .namespaces(values.parsedTexts("namespaces", Namespace::of))
                .capacityCheck(
                        values.maybeChoice("capacityCheck", CapacityCheck.class).orElse(CapacityCheck.ADVISE))
                .kind(values.maybeChoice("kind", VolumeKind.class).orElse(VolumeKind.CREATED))
                .ephemeral(values.flag("ephemeral"))
                .useByTemplate(values.maybeFlag("useByTemplate").orElse(true));
        ActionFields.valid("attributeKeys", () -> row.attributeKeys(values.texts("attributeKeys")));
        ActionFields.valid("parameters", () -> row.parameters(values.map("parameters")));
        ActionFields.valid("mutableParameters", () -> row.mutableParameters(values.map("mutableParameters")));
        try {
            return row.build();
        } catch (CsiRequestException e) {
            throw SpecFields.named(e);
        }
    }

    private static List<Topology> topologies(Values values) {
        return ActionFields.topologies(values, "allowedTopologies");
    }

    private static VolumeClassName name(Values values) {
        return values.parsed("class", VolumeClassName::of);
    }

    private static Endpoint remove() {
        return Endpoint.delete("class remove", PATH, "Remove a class of volumes")
                .description("Volumes that were made from it stay as they are, with its values and secrets.")
                .with(CLASS)
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> named(call.operations().classes().remove(name(call.values()))));
    }

    /** Returns a result whose failure has the names of the fields in requests. */
    private static <T> CompletableFuture<T> named(CompletableFuture<T> result) {
        return Futures.map(
                result,
                done -> done,
                failure -> failure instanceof CancellationException ? failure : SpecFields.named(failure));
    }
}
