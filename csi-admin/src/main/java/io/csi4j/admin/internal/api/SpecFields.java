package io.csi4j.admin.internal.api;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/** The specification of a volume as fields of a body. They have the names of {@link VolumeSpec}. */
final class SpecFields {
    private static final String STORED_SECRETS = "storedSecrets";

    /** The names of the policies for nodes that are down. */
    private enum Fencing {
        WAIT_FOR_CONFIRMATION,
        AFTER_GRACE,
        ON_FENCE
    }

    private SpecFields() {}

    /**
     * Returns the fields.
     *
     * @param own further fields of an action, after those that it needs
     */
    static Parameter[] all(Parameter... own) {
        return all(
                Parameter.body("plugin", Parameter.Type.TEXT, "The plugin of the volume.")
                        .needed(),
                capabilities("The ways in which the volume has to be usable.").needed(),
                own);
    }

    private static Parameter[] all(Parameter plugin, Parameter capabilities, Parameter... own) {
        List<Parameter> all =
                new ArrayList<>(List.of(ActionFields.NAMESPACE, ActionFields.VOLUME, plugin, capabilities));
        all.addAll(Arrays.asList(own));
        all.addAll(List.of(
                ActionFields.capacityRange("The size."),
                ActionFields.accessibilityRequirements(),
                ActionFields.mountOptions("The mount options, which the options of a claim override."),
                Parameter.body(
                        "parameters", Parameter.Type.MAP, "Parameters that only the plugin interprets; not shown."),
                Parameter.body(
                        "mutableParameters",
                        Parameter.Type.MAP,
                        "Parameters that may be changed later, and only the plugin interprets; not shown."),
                fencing(),
                Parameter.body(
                        "sharedWith",
                        Parameter.Type.TEXTS,
                        "The other namespaces whose allocations may claim the volume."),
                Parameter.body(
                        STORED_SECRETS,
                        Parameter.Type.MAP,
                        "Secrets that are stored with the volume for later calls; not shown."),
                ActionFields.SECRETS));
        return all.toArray(Parameter[]::new);
    }

    /** Returns the fields of a volume that is made from a class or from a whole specification. */
    static Parameter[] allOrClass(Parameter... own) {
        List<Parameter> all = new ArrayList<>(List.of(CLASS));
        all.addAll(Arrays.asList(own));
        return all(
                Parameter.body("plugin", Parameter.Type.TEXT, "The plugin of the volume; needed without a class."),
                capabilities("The ways in which the volume has to be usable; needed without a class. With a class, some"
                        + " of those of the class, or all of them if not given."),
                all.toArray(Parameter[]::new));
    }

    /** The class of a volume. */
    static final Parameter CLASS = Parameter.body(
            "class",
            Parameter.Type.TEXT,
            "The class from which the volume is made. Then only capacityRange, requestedCapabilities and secrets may be"
                    + " given besides.");

    private static final Set<String> WITH_CLASS = Set.of(
            "namespace", "volume", "class", "requestedCapabilities", "capacityRange", "secrets", "dryRun", "wait");

    /**
     * Returns the fields that a request has besides a class and that the class has.
     *
     * @param fields the parameters of the action
     */
    static List<Problem> besideClass(Values values, List<Parameter> fields) {
        return fields.stream()
                .map(Parameter::name)
                .filter(field -> values.has(field) && !WITH_CLASS.contains(field))
                .map(field -> new Problem(field, "is given with a class, which has it", "leave out " + field))
                .toList();
    }

    /** Returns the template that a request has; empty if it names no class. */
    static Optional<VolumeTemplate> template(Values values) {
        Optional<VolumeClassName> name = values.maybe("class", VolumeClassName::of);
        if (name.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(VolumeTemplate.builder(name.get())
                .requestedCapabilities(capabilities(values))
                .capacityRange(ActionFields.capacityRange(values).orElse(null))
                .build());
    }

    static Parameter capabilities(String description) {
        return Parameter.body(
                "requestedCapabilities",
                Parameter.Type.OBJECTS,
                description,
                List.of(ActionFields.accessMode(), ActionFields.attachmentMode()));
    }

    static List<RequestedCapability> capabilities(Values values) {
        return values.objects("requestedCapabilities").stream()
                .map(ActionFields::capability)
                .toList();
    }

    static Parameter fencing() {
        return Parameter.body(
                "fencingPolicy",
                Parameter.Type.OBJECT,
                "The policy for nodes that are down; that of the host if it is not given.",
                List.of(
                        Parameter.body("policy", Fencing.class, "The policy.").needed(),
                        Parameter.body(
                                "grace",
                                Parameter.Type.SECONDS,
                                "The time of AFTER_GRACE within which a node that is cut off stops its"
                                        + " workloads.")));
    }

    static Optional<FencingPolicy> fencing(Values values) {
        return values.object("fencingPolicy").map(SpecFields::fencingPolicy);
    }

    /** The fields of a volume that the provider creates. */
    static final Parameter NAME = Parameter.body(
            "name",
            Parameter.Type.TEXT,
            "The name at the provider, to get the volume that the provider has by this name; a new volume if it is"
                    + " not given.");

    static final Parameter CONTENT_SOURCE = Parameter.body(
            "contentSource",
            Parameter.Type.OBJECT,
            "The source of the content: one of the two.",
            List.of(
                    Parameter.body("snapshotId", Parameter.Type.TEXT, "The provider's id of a snapshot."),
                    Parameter.body("volumeId", Parameter.Type.TEXT, "The provider's id of another volume.")));

    /** The fields of a volume that the provider has. */
    static final Parameter EXTERNAL_VOLUME_ID = Parameter.body(
            "externalVolumeId", Parameter.Type.TEXT, "The provider's id of the volume; its own id if it is not given.");

    static final Parameter VOLUME_CONTEXT = Parameter.body(
            "volumeContext", Parameter.Type.MAP, "The context that calls for the volume need; not shown.");

    /** Returns the specification that a request has. */
    static VolumeSpec spec(Values values) {
        return spec(values, contentSource(values));
    }

    /**
     * Returns the specification that a request has, with another source of the content.
     *
     * @throws CsiRequestException if it breaks a rule of CSI, with all problems
     */
    static VolumeSpec spec(Values values, Optional<VolumeContentSource> source) {
        PluginId plugin = ActionFields.plugin(values);
        VolumeSpec.Builder spec = VolumeSpec.builder(plugin)
                .requestedCapabilities(capabilities(values))
                .mountOptions(ActionFields.mountOptions(values))
                .secrets(ActionFields.valid(STORED_SECRETS, () -> Secrets.of(values.map(STORED_SECRETS))))
                .volumeContext(ActionFields.valid("volumeContext", () -> VolumeContext.of(values.map("volumeContext"))))
                .externalVolumeId(
                        values.maybe("externalVolumeId", ExternalVolumeId::of).orElse(null))
                .capacityRange(ActionFields.capacityRange(values).orElse(null))
                .contentSource(source.orElse(null))
                .accessibilityRequirements(
                        ActionFields.accessibilityRequirements(values).orElse(null))
                .fencingPolicy(fencing(values).orElse(null))
                .sharedWith(values.parsedTexts("sharedWith", Namespace::of));
        ActionFields.valid("name", () -> spec.name(values.textOrEmpty("name")));
        ActionFields.valid("parameters", () -> spec.parameters(values.map("parameters")));
        ActionFields.valid("mutableParameters", () -> spec.mutableParameters(values.map("mutableParameters")));
        try {
            return spec.build();
        } catch (CsiRequestException e) {
            throw named(e);
        }
    }

    /** Returns a failure whose problems have the names of the fields in requests. */
    static RuntimeException named(Throwable failure) {
        return new FailureException(Failures.of(failure).withFields(SpecFields::named));
    }

    private static String named(String field) {
        int end = 0;
        while (end < field.length() && Character.isLetter(field.charAt(end))) {
            end++;
        }
        return switch (field.substring(0, end)) {
            case "className" -> "class" + field.substring(end);
            case "pluginId" -> "plugin" + field.substring(end);
            case "id" -> "volume" + field.substring(end);
            case "secrets" -> STORED_SECRETS + field.substring(end);
            default -> field;
        };
    }

    /** Returns a volume that an action has changed; a failure has the names of the fields in requests. */
    static CompletableFuture<VolumeActions.Changed> changed(CompletableFuture<Volume> volume) {
        return Futures.map(
                volume,
                VolumeActions.Changed::of,
                failure -> failure instanceof CancellationException ? failure : named(failure));
    }

    private static Optional<VolumeContentSource> contentSource(Values values) {
        return values.object("contentSource").map(source -> {
            if (source.has("snapshotId") == source.has("volumeId")) {
                throw new BadRequestException(
                        "contentSource", "names not exactly one source", "give snapshotId or volumeId");
            }
            return source.has("snapshotId")
                    ? VolumeContentSource.snapshot(source.parsed("snapshotId", SnapshotId::of))
                    : VolumeContentSource.volume(source.parsed("volumeId", ExternalVolumeId::of));
        });
    }

    private static FencingPolicy fencingPolicy(Values values) {
        Optional<Duration> grace = values.duration("grace");
        Fencing policy = values.choice("policy", Fencing.class);
        if (grace.isPresent() != (policy == Fencing.AFTER_GRACE)) {
            throw new BadRequestException(
                    "fencingPolicy.grace",
                    grace.isPresent() ? "belongs to AFTER_GRACE only" : "is missing",
                    grace.isPresent() ? "leave it out" : "give the time of AFTER_GRACE in seconds");
        }
        return switch (policy) {
            case WAIT_FOR_CONFIRMATION -> FencingPolicy.waitForConfirmation();
            case AFTER_GRACE ->
                ActionFields.valid("fencingPolicy.grace", () -> FencingPolicy.afterGrace(grace.orElseThrow()));
            case ON_FENCE -> FencingPolicy.onFence();
        };
    }
}
