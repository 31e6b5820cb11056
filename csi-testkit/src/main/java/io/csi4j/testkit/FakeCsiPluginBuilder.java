package io.csi4j.testkit;

import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.call.CallRecorder;
import io.csi4j.testkit.internal.node.FakeInlineVolumes;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.rule.TopologyRules;
import io.csi4j.testkit.internal.service.CallHook;
import io.csi4j.testkit.internal.service.PluginConfig;
import io.csi4j.testkit.internal.storage.StoredSegments;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Builds {@link FakeCsiPlugin}s. Not thread-safe. */
public final class FakeCsiPluginBuilder {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?");

    private String name = "fake.csi4j.io";
    private String vendorVersion = "1.0.0";
    private String nodeId = "node-1";
    private final Map<String, Map<String, String>> knownNodes = new TreeMap<>();
    private long attachLimit;
    private @Nullable Long capacityBytes;
    private final Map<Map<String, String>, Long> segmentCapacities = new LinkedHashMap<>();
    private final List<SegmentCapacity> exactCapacities = new ArrayList<>();
    private long sizeUnit = 1;
    private @Nullable Set<String> inlineAttributes;
    private long inlineLimit;
    private boolean inlineEphemeral;
    private @Nullable Map<String, String> topology;
    private Map<String, String> defaultTopology = Map.of("topology.csi4j.io/zone", "zone-1");
    private Set<FakeCapability> capabilities = FakeCapability.defaults();
    private @Nullable Path stateDir;
    private @Nullable FakeStorage storage;
    private int maxPageSize;
    private Set<String> mutableParameters = Set.of("iops", "throughput", "tier");
    private boolean controller = true;
    private boolean node = true;
    private CallHook hook = CallHook.NONE;
    private int recordedCalls = 10_000;
    private @Nullable Runnable crash;

    FakeCsiPluginBuilder() {}

    /**
     * Sets the name of the plugin. Default: {@code fake.csi4j.io}.
     *
     * @param newName at most 63 letters, digits, '-' and '.', alphanumeric at both ends (R19)
     */
    public FakeCsiPluginBuilder name(String newName) {
        name = newName;
        return this;
    }

    /**
     * Sets the version in GetPluginInfo. Default: {@code 1.0.0}.
     *
     * @param version not empty, at most 128 bytes
     */
    public FakeCsiPluginBuilder vendorVersion(String version) {
        vendorVersion = version;
        return this;
    }

    /**
     * Sets the id of the plugin's node. Default: {@code node-1}.
     *
     * @param id not empty, at most 256 bytes (R17)
     */
    public FakeCsiPluginBuilder nodeId(String id) {
        nodeId = id;
        return this;
    }

    /**
     * Adds a further node to the storage, with the same topology as this plugin's node.
     *
     * @param id not empty, at most 256 bytes (R17)
     */
    public FakeCsiPluginBuilder knownNode(String id) {
        knownNodes.put(id, Map.of());
        return this;
    }

    /**
     * Adds a further node to the storage.
     *
     * @param id not empty, at most 256 bytes (R17)
     * @param segments the topology of the node
     */
    public FakeCsiPluginBuilder knownNode(String id, Map<String, String> segments) {
        knownNodes.put(id, Map.copyOf(segments));
        return this;
    }

    /**
     * Sets the greatest number of volumes that the controller publishes to a node at one time. Default: no limit.
     *
     * @param volumes zero for no limit
     */
    public FakeCsiPluginBuilder attachLimit(long volumes) {
        attachLimit = volumes;
        return this;
    }

    /**
     * Sets the capacity of the plugin's own storage.
     *
     * @param bytes greater than zero
     */
    public FakeCsiPluginBuilder capacity(long bytes) {
        capacityBytes = bytes;
        return this;
    }

    /**
     * Sets the capacity of a topology segment, unless the storage has one for it already, for example from an earlier plugin with the same state directory.
     * {@link FakeStorage#setCapacity(SegmentCapacity)} changes it later.
     *
     * @param segment topology keys and values, in the form of {@link #topology}
     * @param bytes zero or more
     */
    public FakeCsiPluginBuilder capacity(Map<String, String> segment, long bytes) {
        segmentCapacities.put(Map.copyOf(segment), bytes);
        return this;
    }

    /**
     * Sets the capacity of a topology segment with limits for the size of a volume, or only for volumes with certain parameters, unless the storage has one for
     * the same segment and parameters already. It counts before one of {@link #capacity(Map, long)}.
     */
    public FakeCsiPluginBuilder capacity(SegmentCapacity capacity) {
        exactCapacities.add(capacity);
        return this;
    }

    /**
     * Sets the unit of sizes: the plugin rounds each required size up to a multiple of it, as storages do that allocate in blocks. Default: 1.
     *
     * @param bytes greater than zero
     */
    public FakeCsiPluginBuilder sizeUnit(long bytes) {
        sizeUnit = bytes;
        return this;
    }

    /**
     * Sets the topology of the node. Default: {@code topology.csi4j.io/zone=zone-1}.
     *
     * @param segments the value of each topology key; the keys have the form that CSI demands (R24). Must be empty if
     *     the plugin does not have VOLUME_ACCESSIBILITY_CONSTRAINTS, and must not be empty if it has
     */
    public FakeCsiPluginBuilder topology(Map<String, String> segments) {
        topology = Map.copyOf(segments);
        return this;
    }

    /**
     * Sets the topology of the node if the plugin has VOLUME_ACCESSIBILITY_CONSTRAINTS; {@link #topology} has precedence.
     *
     * @param segments not empty, as for {@link #topology}
     */
    public FakeCsiPluginBuilder defaultTopology(Map<String, String> segments) {
        defaultTopology = Map.copyOf(segments);
        return this;
    }

    /**
     * Sets the capabilities of the plugin. Default: {@link FakeCapability#defaults}.
     *
     * @param all the capabilities to turn on
     */
    public FakeCsiPluginBuilder capabilities(Collection<FakeCapability> all) {
        capabilities = EnumSet.noneOf(FakeCapability.class);
        capabilities.addAll(all);
        return this;
    }

    /**
     * Turns capabilities on.
     *
     * @param more the capabilities; the plugin must also have the capabilities that these require
     */
    public FakeCsiPluginBuilder with(FakeCapability... more) {
        capabilities.addAll(List.of(more));
        return this;
    }

    /** Turns capabilities off, and also the capabilities that require them. */
    public FakeCsiPluginBuilder without(FakeCapability... fewer) {
        for (FakeCapability capability : fewer) {
            capabilities = FakeCapability.without(capabilities, capability);
        }
        return this;
    }

    /**
     * Leaves out the controller services, for a plugin whose controller and nodes run separately (R13): this instance is one of its node plugins. It
     * still reports the capabilities of the plugin as a whole (R38).
     */
    public FakeCsiPluginBuilder nodeOnly() {
        controller = false;
        node = true;
        return this;
    }

    /** Leaves out the node service, for a plugin whose controller and nodes run separately (R13): this instance is its controller. */
    public FakeCsiPluginBuilder controllerOnly() {
        controller = true;
        node = false;
        return this;
    }

    /**
     * Makes the plugin one for inline volumes: NodePublishVolume makes a volume with the attributes in its volume context, and NodeUnpublishVolume removes it.
     * There is no controller and no staging. With a state directory, the volume has a file {@code attributes} with a line {@code key=value} for
     * each attribute. {@link FakeStorage#inlineVolumeIds} returns the volumes of a node.
     *
     * <p>Turns off the capabilities that are not in {@link FakeCapability#inline}; call {@link #capabilities} before this method.
     *
     * @param attributes the keys of attributes that the plugin knows; others are refused with INVALID_ARGUMENT, except those with the prefix
     *     {@code csi.storage.k8s.io/}, with which schedulers describe the workload
     */
    public FakeCsiPluginBuilder inlineVolumes(Collection<String> attributes) {
        inlineAttributes = Set.copyOf(attributes);
        capabilities.retainAll(FakeCapability.inline());
        return this;
    }

    /**
     * Sets the largest number of inline volumes on the node; one more is refused with RESOURCE_EXHAUSTED. Default: no limit.
     *
     * @param volumes zero for no limit
     */
    public FakeCsiPluginBuilder inlineLimit(long volumes) {
        inlineLimit = volumes;
        return this;
    }

    /**
     * Sets whether the plugin refuses to publish an inline volume whose volume context lacks {@code
     * csi.storage.k8s.io/ephemeral: "true"}, as plugins do that also create volumes. Default: false.
     */
    public FakeCsiPluginBuilder inlineEphemeral(boolean required) {
        inlineEphemeral = required;
        return this;
    }

    /**
     * Makes the plugin a small real storage provider: volumes are directories and images below this directory,
     * publishing makes real mounts, and the whole storage survives if the plugin's process is killed. Other processes
     * may use the same directory.
     *
     * @param directory created if missing
     */
    public FakeCsiPluginBuilder stateDir(Path directory) {
        stateDir = directory;
        return this;
    }

    /** Sets a storage that this plugin shares with other plugins. Default: the plugin has its own storage in memory. */
    public FakeCsiPluginBuilder storage(FakeStorage shared) {
        storage = shared;
        return this;
    }

    /**
     * Limits the rows in one page of a list, even if the caller requests more. Default: no limit.
     *
     * @param rows zero for no limit
     */
    public FakeCsiPluginBuilder maxPageSize(int rows) {
        maxPageSize = rows;
        return this;
    }

    /** Sets the keys of the mutable parameters. Default: {@code iops}, {@code throughput} and {@code tier}. */
    public FakeCsiPluginBuilder mutableParameters(Collection<String> keys) {
        mutableParameters = Set.copyOf(keys);
        return this;
    }

    /**
     * Sets the number of calls that the history keeps; older ones are dropped. Default: 10,000.
     *
     * @param calls zero for no history
     */
    public FakeCsiPluginBuilder recordedCalls(int calls) {
        recordedCalls = calls;
        return this;
    }

    /**
     * Sets the action of a crash fault. A program whose only purpose is the plugin can end its process in this action.
     *
     * @param act runs when a fault crashes the plugin; may end the process. Default: the plugin cuts its connections
     *     and stops serving
     */
    public FakeCsiPluginBuilder onCrash(Runnable act) {
        crash = act;
        return this;
    }

    FakeCsiPluginBuilder hook(CallHook callHook) {
        hook = callHook;
        return this;
    }

    /**
     * Builds the plugin. It serves no calls before it is started.
     *
     * @return a plugin; the caller closes it
     * @throws IllegalArgumentException with all options that are wrong or contradict each other
     * @throws java.io.UncheckedIOException when the state directory cannot be used
     */
    public FakeCsiPlugin build() {
        List<String> wrong = new ArrayList<>(FakeCapability.contradictions(capabilities));
        require(
                wrong,
                NAME.matcher(name).matches(),
                "name '" + name + "' must have at most 63 letters, digits, '-' and"
                        + " '.', alphanumeric at both ends (R19)");
        require(wrong, fits(vendorVersion, 128), "vendorVersion must have 1 to 128 bytes (R16, R37)");
        require(wrong, fits(nodeId, 256), "nodeId must have 1 to 256 bytes (R17)");
        knownNodes.keySet().forEach(id -> require(wrong, fits(id, 256), "knownNode must have 1 to 256 bytes (R17)"));
        require(wrong, attachLimit >= 0, "attachLimit must not be negative; zero means no limit (R93)");
        require(wrong, recordedCalls >= 0, "recordedCalls must not be negative; zero means no history");
        require(wrong, maxPageSize >= 0, "maxPageSize must not be negative; zero means no limit");
        require(wrong, capacityBytes == null || capacityBytes > 0, "capacity must be greater than zero");
        requireInline(wrong);
        require(wrong, sizeUnit > 0, "sizeUnit must be greater than zero");
        List<SegmentCapacity> segmentList = segmentCapacities(wrong);
        require(
                wrong,
                storage == null || (stateDir == null && capacityBytes == null),
                "storage excludes stateDir and capacity, which describe a storage of the plugin's own: set one or the"
                        + " other");
        boolean constrained = capabilities.contains(FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);
        Map<String, String> segments = segments(constrained, wrong);
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", wrong));
        }
        FakeStorage used = storage != null ? storage : ownStorage();
        knownNodes.forEach((id, topology) -> used.addNode(id, topology.isEmpty() ? segments : topology));
        segmentList.forEach(one -> new StoredSegments(used.backend()).putIfAbsent(one.toRecord()));
        PluginConfig config = new PluginConfig(
                name,
                vendorVersion,
                nodeId,
                segments,
                attachLimit,
                capabilities,
                maxPageSize,
                mutableParameters,
                sizeUnit,
                inlineAttributes == null
                        ? null
                        : new FakeInlineVolumes.Rules(inlineAttributes, inlineLimit, inlineEphemeral));
        CallRecorder recorder = new CallRecorder(used.backend().clock(), recordedCalls);
        return new FakeCsiPlugin(
                config, used, new FakeCsiPlugin.Parts(controller, node, hook, recorder, Optional.ofNullable(crash)));
    }

    private void requireInline(List<String> wrong) {
        require(wrong, inlineLimit >= 0, "inlineLimit must not be negative; zero means no limit");
        if (inlineAttributes == null) {
            require(wrong, inlineLimit == 0, "inlineLimit needs inlineVolumes: set both, or leave inlineLimit out");
            require(wrong, !inlineEphemeral, "inlineEphemeral needs inlineVolumes: set both, or leave it out");
            return;
        }
        Set<FakeCapability> more = EnumSet.noneOf(FakeCapability.class);
        more.addAll(capabilities);
        more.removeAll(FakeCapability.inline());
        require(wrong, more.isEmpty(), "inlineVolumes excludes " + more + ": disable them, or leave inlineVolumes out");
        require(wrong, node, "inlineVolumes needs the node service: leave controllerOnly out");
    }

    private List<SegmentCapacity> segmentCapacities(List<String> wrong) {
        List<SegmentCapacity> all = new ArrayList<>(exactCapacities);
        segmentCapacities.forEach((segment, bytes) -> {
            try {
                all.add(SegmentCapacity.of(segment, bytes));
            } catch (IllegalArgumentException e) {
                wrong.add("capacity of " + segment + ": " + e.getMessage());
            }
        });
        return all;
    }

    private Map<String, String> segments(boolean constrained, List<String> wrong) {
        if (!constrained) {
            require(
                    wrong,
                    topology == null || topology.isEmpty(),
                    "topology needs VOLUME_ACCESSIBILITY_CONSTRAINTS, which is off: enable it or leave topology out");
            return Map.of();
        }
        Map<String, String> segments = topology == null ? defaultTopology : topology;
        List<Map<String, String>> all = new ArrayList<>(knownNodes.values());
        all.removeIf(Map::isEmpty);
        all.add(segments);
        Problems problems = new Problems();
        all.forEach(one -> TopologyRules.check(one, "topology", problems));
        try {
            problems.refuseIfAny();
        } catch (CallRefusal e) {
            wrong.add(String.valueOf(e.getMessage()));
        }
        return segments;
    }

    private FakeStorage ownStorage() {
        long bytes = capacityBytes == null ? FakeStorage.DEFAULT_CAPACITY : capacityBytes;
        return stateDir == null ? FakeStorage.inMemory(bytes) : FakeStorage.inDirectory(stateDir, bytes);
    }

    private static boolean fits(String text, int bytes) {
        return !text.isEmpty() && text.getBytes(StandardCharsets.UTF_8).length <= bytes;
    }

    private static void require(List<String> wrong, boolean fine, String sentence) {
        if (!fine) {
            wrong.add(sentence);
        }
    }
}
