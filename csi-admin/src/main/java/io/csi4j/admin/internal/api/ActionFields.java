package io.csi4j.admin.internal.api;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallerOperations;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The parameters that several actions have, each with the method that reads it. */
final class ActionFields {
    static final Parameter NAMESPACE = Parameter.path("namespace", "The namespace of the volume.");
    static final Parameter VOLUME = Parameter.path("volume", "The id of the volume in its namespace.");
    static final Parameter NODE = Parameter.path("node", "The node.");
    static final Parameter ALLOCATION = Parameter.path("allocation", "The allocation.");
    static final Parameter PLUGIN = Parameter.path("plugin", "The plugin.");
    static final Parameter REASON = Parameter.body(
                    "reason", Parameter.Type.TEXT, "Your evidence. It is kept with your name.")
            .needed();
    static final Parameter SECRETS = Parameter.body(
            "secrets",
            Parameter.Type.MAP,
            "Secrets for the calls of this request, in place of those of the host. They are neither stored nor shown."
                    + " Calls that are repeated after the operation has ended use the secrets of the host.");
    static final Parameter DRY_RUN =
            Parameter.query("dryRun", Parameter.Type.FLAG, "Shows the effect of the request, and changes nothing.");

    private static final List<String> ACCESS_MODES = Arrays.stream(VolumeAccessMode.values())
            .filter(mode -> mode != VolumeAccessMode.UNKNOWN)
            .map(Enum::name)
            .toList();

    private ActionFields() {}

    static Parameter accessMode() {
        return new Parameter(
                "accessMode",
                Parameter.In.BODY,
                Parameter.Type.CHOICE,
                "The nodes and allocations that may use the volume together.",
                true,
                ACCESS_MODES,
                List.of());
    }

    static Parameter attachmentMode() {
        return Parameter.body(
                "attachmentMode", AttachmentMode.class, "A block device or a mounted file system; MOUNT if not given.");
    }

    static RequestedCapability capability(Values values) {
        return new RequestedCapability(
                values.choice("accessMode", VolumeAccessMode.class),
                values.maybeChoice("attachmentMode", AttachmentMode.class).orElse(AttachmentMode.MOUNT));
    }

    static Parameter mountOptions(String description) {
        return Parameter.body(
                "mountOptions",
                Parameter.Type.OBJECT,
                description,
                List.of(
                        Parameter.body("fsType", Parameter.Type.TEXT, "The file system, for example ext4."),
                        Parameter.body(
                                "mountFlags", Parameter.Type.TEXTS, "One option each, for example noatime; not shown."),
                        Parameter.body("volumeMountGroup", Parameter.Type.TEXT, "The group that shall own the files."),
                        Parameter.body(
                                "groupChangePolicy",
                                GroupChangePolicy.class,
                                "Which files the node gives to the group, if the plugin cannot; ON_ROOT_MISMATCH if not"
                                        + " given."),
                        Parameter.body(
                                "rootOwner",
                                Parameter.Type.NUMBER,
                                "The id of the user who shall own the root directory, if the node sets the group."),
                        Parameter.body(
                                "strictOwnership",
                                Parameter.Type.FLAG,
                                "Refuses a mount whose root directory does not have the group that the plugin should have set."),
                        Parameter.body(
                                "securityLabel",
                                Parameter.Type.TEXT,
                                "The label of the mounted files, if the profile of the plugin has securityLabel; for claims"
                                        + " only.")));
    }

    static MountOptions mountOptions(Values values) {
        return values.object("mountOptions")
                .map(options -> new MountOptions(
                        options.textOrEmpty("fsType"),
                        MountFlags.of(options.texts("mountFlags")),
                        options.textOrEmpty("volumeMountGroup"),
                        ownership(options),
                        options.maybe("securityLabel", SecurityLabel::new)))
                .orElse(MountOptions.none());
    }

    private static OwnershipOptions ownership(Values options) {
        GroupChangePolicy policy = options.maybeChoice("groupChangePolicy", GroupChangePolicy.class)
                .orElse(GroupChangePolicy.ON_ROOT_MISMATCH);
        return valid(
                "mountOptions.rootOwner",
                () -> new OwnershipOptions(policy, options.number("rootOwner"), options.flag("strictOwnership")));
    }

    static Parameter capacityRange(String description) {
        return Parameter.body("capacityRange", Parameter.Type.OBJECT, description, range());
    }

    /** Returns the two bounds of a size. */
    static List<Parameter> range() {
        return List.of(
                Parameter.body("requiredBytes", Parameter.Type.BYTES, "The smallest permitted size in bytes."),
                Parameter.body(
                        "limitBytes",
                        Parameter.Type.BYTES,
                        "The largest permitted size in bytes; without a limit if 0."));
    }

    static CapacityRange range(Values values, String field) {
        return valid(
                field,
                () -> new CapacityRange(
                        values.number("requiredBytes").orElse(0),
                        values.number("limitBytes").orElse(0)));
    }

    static Optional<CapacityRange> capacityRange(Values values) {
        return values.object("capacityRange").map(range -> range(range, "capacityRange"));
    }

    /** Returns the fields of a topology. */
    static List<Parameter> segments() {
        return List.of(Parameter.body("segments", Parameter.Type.MAP, "The value of each key, for example of a zone.")
                .needed());
    }

    static Parameter accessibilityRequirements() {
        List<Parameter> segments = segments();
        return Parameter.body(
                "accessibilityRequirements",
                Parameter.Type.OBJECT,
                "The topologies from which it has to be accessible.",
                List.of(
                        Parameter.body("requisite", Parameter.Type.OBJECTS, "At least one of these.", segments),
                        Parameter.body("preferred", Parameter.Type.OBJECTS, "The best first.", segments)));
    }

    static Optional<TopologyRequirement> accessibilityRequirements(Values values) {
        return values.object("accessibilityRequirements")
                .map(given -> new TopologyRequirement(topologies(given, "requisite"), topologies(given, "preferred")));
    }

    static List<Topology> topologies(Values values, String name) {
        return values.objects(name).stream()
                .map(topology -> valid(topology.name(), () -> Topology.of(topology.map("segments"))))
                .toList();
    }

    /** Makes a value whose class checks it, so that its problem names the field. */
    static <V> V valid(String field, Supplier<V> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(field, "is not valid: " + e.getMessage(), "correct " + field);
        }
    }

    static VolumeKey volume(Values values) {
        return new VolumeKey(values.parsed("namespace", Namespace::of), values.parsed("volume", VolumeId::of));
    }

    static NodeId node(Values values) {
        return values.parsed("node", NodeId::of);
    }

    static AllocationId allocation(Values values) {
        return values.parsed("allocation", AllocationId::of);
    }

    static PluginId plugin(Values values) {
        return values.parsed("plugin", PluginId::of);
    }

    static String reason(Values values) {
        String reason = values.text("reason");
        if (reason.isBlank()) {
            throw new BadRequestException("reason", "is empty", "give your evidence; it is kept with your name");
        }
        return reason;
    }

    /** Returns the operations of the caller, with the secrets of the request. */
    static CallerOperations withSecrets(Call call) {
        Map<String, String> secrets = call.values().map("secrets");
        return secrets.isEmpty()
                ? call.operations()
                : call.operations().withSecrets(valid("secrets", () -> Secrets.of(secrets)));
    }
}
