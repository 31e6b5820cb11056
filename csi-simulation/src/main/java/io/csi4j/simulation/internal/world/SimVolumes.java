package io.csi4j.simulation.internal.world;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginProfileCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The volumes that the host declares. The seed chooses their access modes. */
public final class SimVolumes {
    public static final String UNATTACHED = "local";
    private static final String INLINE = "inline";
    public static final String NAMESPACE = "default";
    public static final PluginId ATTACHING = PluginId.of("attaching");
    public static final PluginId LOCAL = PluginId.of("local");

    private static final Duration GRACE = Duration.ofSeconds(60);

    /** The access modes of one volume; only one of them is in use at a time. */
    private static final List<List<VolumeAccessMode>> MODES = List.of(
            List.of(VolumeAccessMode.SINGLE_NODE_WRITER),
            List.of(VolumeAccessMode.SINGLE_NODE_WRITER, VolumeAccessMode.MULTI_NODE_READER_ONLY),
            List.of(VolumeAccessMode.MULTI_NODE_MULTI_WRITER),
            List.of(VolumeAccessMode.MULTI_NODE_SINGLE_WRITER),
            List.of(VolumeAccessMode.SINGLE_NODE_MULTI_WRITER),
            List.of(VolumeAccessMode.SINGLE_NODE_MULTI_WRITER, VolumeAccessMode.SINGLE_NODE_READER_ONLY),
            List.of(VolumeAccessMode.SINGLE_NODE_SINGLE_WRITER),
            List.of(VolumeAccessMode.MULTI_NODE_READER_ONLY));

    private final SimWorld world;
    private static final String GROUP = "3000";
    private static final String OTHER_GROUP = "3001";
    private static final long OWNER = 7;
    private static final SecurityLabel LABEL = new SecurityLabel("system_u:object_r:container_file_t:s0:c1,c2");
    private static final SecurityLabel OTHER_LABEL = new SecurityLabel("system_u:object_r:container_file_t:s0:c3,c4");

    private final SplittableRandom random;
    private boolean groups;
    private boolean labels;
    private final Map<PluginId, PluginProfile.Builder> profiles = new LinkedHashMap<>();
    private final Map<VolumeKey, VolumeSpec> declared = new LinkedHashMap<>();
    /** Volumes that are created during the run and can be claimed. */
    private final List<VolumeKey> created = new ArrayList<>();

    public SimVolumes(SimWorld world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    public void begin(SimConfig options) {
        List<List<VolumeAccessMode>> modes = new ArrayList<>(MODES);
        shuffle(modes, random);
        for (int i = 0; i < options.volumes(); i++) {
            boolean local = i % 5 == 4;
            VolumeKey key = VolumeKey.of(NAMESPACE, (local ? UNATTACHED : "v") + i);
            ExternalVolumeId id = world.addVolume(key);
            Optional<TopologyRequirement> requirement =
                    local ? Optional.empty() : world.topology().requirement();
            world.topology().put(id, requirement);
            VolumeSpec known = spec(local ? LOCAL : ATTACHING, modes.get(i % modes.size()), i)
                    .externalVolumeId(id)
                    .accessibilityRequirements(requirement.orElse(null))
                    .build();
            declared.put(key, known);
            world.applyFromHost(new VolumeCommand.RegisterVolume(
                    key,
                    known,
                    VolumeOrigin.REGISTERED,
                    ProviderFacts.none(),
                    world.clocks().report()));
        }
    }

    private VolumeSpec.Builder spec(PluginId plugin, List<VolumeAccessMode> modes, int number) {
        FencingPolicy policy = switch (number % 3) {
            case 0 -> FencingPolicy.waitForConfirmation();
            case 1 -> FencingPolicy.afterGrace(GRACE);
            default -> FencingPolicy.onFence();
        };
        List<RequestedCapability> capabilities =
                modes.stream().flatMap(this::capabilities).toList();
        boolean mounted = capabilities.stream().anyMatch(one -> one.attachmentMode() == AttachmentMode.MOUNT);
        return VolumeSpec.builder(plugin)
                .requestedCapabilities(capabilities)
                .mountOptions(mounted ? MountOptions.of("ext4", "noatime") : MountOptions.none())
                .fencingPolicy(policy);
    }

    /** Returns a capability for a mount, a capability for a block device, or both capabilities. */
    private Stream<RequestedCapability> capabilities(VolumeAccessMode mode) {
        RequestedCapability mount = RequestedCapability.mount(mode);
        if (!world.traits().blocks()) {
            return Stream.of(mount);
        }
        RequestedCapability block = RequestedCapability.block(mode);
        return switch (random.nextInt(3)) {
            case 0 -> Stream.of(mount);
            case 1 -> Stream.of(block);
            default -> Stream.of(mount, block);
        };
    }

    /** The specification of a volume that the provider has to create. */
    public VolumeSpec specToCreate(VolumeKey key, int number) {
        created.add(key);
        return spec(ATTACHING, MODES.get(number % MODES.size()), number)
                .accessibilityRequirements(world.topology().requirement().orElse(null))
                .build();
    }

    /** Whether the volume's plugin has a controller that attaches and expands it. */
    public static boolean attaches(VolumeKey key) {
        return !key.volumeId().value().startsWith(UNATTACHED) && !isInline(key);
    }

    /** Whether the plugin makes the content of the volume where it is published. */
    public static boolean isInline(VolumeKey key) {
        return key.volumeId().value().startsWith(INLINE);
    }

    /** The name of the inline volumes of a plugin, and of their class. */
    public static String inlineOf(PluginId plugin) {
        return INLINE + "-" + plugin;
    }

    /** The plugin of a volume. */
    public static PluginId pluginOf(VolumeKey key) {
        return attaches(key) || key.volumeId().value().startsWith(inlineOf(ATTACHING)) ? ATTACHING : LOCAL;
    }

    public List<VolumeKey> declared() {
        return List.copyOf(declared.keySet());
    }

    public boolean isDeclared(VolumeKey key) {
        return declared.containsKey(key);
    }

    public VolumeSpec spec(VolumeKey key) {
        return Objects.requireNonNull(declared.get(key), "the volume is not declared");
    }

    public static <T> void shuffle(List<T> list, SplittableRandom random) {
        for (int i = list.size() - 1; i > 0; i--) {
            Collections.swap(list, i, random.nextInt(i + 1));
        }
    }

    /** A volume for a workload, mostly a declared one. */
    public VolumeKey pick() {
        List<VolumeKey> existing = created.stream()
                .filter(key -> find(key)
                        .filter(volume -> volume.phase() != VolumePhase.CREATING)
                        .isPresent())
                .toList();
        if (!existing.isEmpty() && random.nextInt(5) == 0) {
            return existing.get(random.nextInt(existing.size()));
        }
        List<VolumeKey> keys = declared();
        return keys.get(random.nextInt(keys.size()));
    }

    /** The volumes that can be claimed now. */
    public List<Volume> available() {
        return Stream.concat(declared.keySet().stream(), created.stream())
                .map(this::find)
                .flatMap(Optional::stream)
                .filter(volume -> volume.phase() != VolumePhase.CREATING)
                .toList();
    }

    public Optional<Volume> find(VolumeKey key) {
        return world.store().snapshot().volume(key);
    }

    /**
     * A workload's requests for the volume, one for each mount. Some workloads mount it twice; then the mounts differ if
     * the access mode allows two targets (R89), and are equal otherwise.
     */
    public List<ClaimRequest> mounts(VolumeKey key) {
        ClaimRequest first = request(key);
        return random.nextInt(5) > 0 ? List.of(first) : List.of(first, second(first));
    }

    private ClaimRequest second(ClaimRequest first) {
        RequestedCapability capability = first.capability();
        if (capability.accessMode().onePath()) {
            return first;
        }
        boolean reader = capability.accessMode().readerOnly() || random.nextBoolean();
        boolean flags = capability.attachmentMode() == AttachmentMode.MOUNT && random.nextBoolean();
        return new ClaimRequest(
                first.volume(),
                reader ? ClaimMode.READ : ClaimMode.WRITE,
                capability,
                new MountOptions(
                        "",
                        flags ? MountFlags.of("noexec") : MountFlags.empty(),
                        reader ? "" : first.mountOptions().volumeMountGroup(),
                        reader
                                ? OwnershipOptions.defaults()
                                : first.mountOptions().ownership(),
                        first.mountOptions().securityLabel()));
    }

    private ClaimRequest request(VolumeKey key) {
        List<RequestedCapability> offered = isDeclared(key)
                ? spec(key).requestedCapabilities()
                : find(key).orElseThrow().spec().requestedCapabilities();
        RequestedCapability capability = offered.get(random.nextInt(offered.size()));
        boolean reader = capability.accessMode().readerOnly() || random.nextInt(3) == 0;
        boolean grouped = groups && !reader && capability.attachmentMode() == AttachmentMode.MOUNT;
        MountOptions mountOptions = grouped ? grouped(key) : MountOptions.none();
        return new ClaimRequest(
                key,
                reader ? ClaimMode.READ : ClaimMode.WRITE,
                capability,
                labels && capability.attachmentMode() == AttachmentMode.MOUNT ? labelled(mountOptions) : mountOptions);
    }

    /** Chooses the label of the files; some workloads name none. */
    private MountOptions labelled(MountOptions mountOptions) {
        return switch (random.nextInt(4)) {
            case 0 -> mountOptions;
            case 1 -> mountOptions.withLabel(OTHER_LABEL);
            default -> mountOptions.withLabel(LABEL);
        };
    }

    /** Lets workloads name labels for the files of mounts. A plugin mounts with a label, or leaves it to the host. */
    public void nameLabels(SplittableRandom choices) {
        labels = true;
        profile(ATTACHING).securityLabel(choices.nextInt(4) > 0);
        profile(LOCAL).securityLabel(choices.nextBoolean());
    }

    /**
     * Chooses the group of the files, which of them are changed, and the owner of the root directory. Requests for some
     * volumes change the root directory alone; they say that the files below are right, so no other request asks for all
     * files of these.
     */
    private MountOptions grouped(VolumeKey key) {
        GroupChangePolicy policy = key.hashCode() % 4 == 0
                ? GroupChangePolicy.ROOT_ONLY
                : random.nextInt(3) == 0 ? GroupChangePolicy.ALWAYS : GroupChangePolicy.ON_ROOT_MISMATCH;
        OptionalLong owner = random.nextInt(4) == 0 ? OptionalLong.of(OWNER) : OptionalLong.empty();
        String group = random.nextInt(3) == 0 ? OTHER_GROUP : GROUP;
        return new MountOptions("", MountFlags.empty(), group, new OwnershipOptions(policy, owner));
    }

    /**
     * Lets each workload that writes to a mounted volume name a group for its files, and a plugin be informed about
     * workloads.
     */
    public void nameGroups() {
        groups = true;
        profile(LOCAL).workloadInfo(true);
    }

    /** Lets the plugins be called again for mounted volumes; at least one of them gets tokens of the workloads. */
    public void publishAgain(SplittableRandom choices) {
        boolean one = choices.nextInt(3) > 0;
        renew(ATTACHING, one, choices);
        renew(LOCAL, !one || choices.nextBoolean(), choices);
    }

    private void renew(PluginId plugin, boolean withTokens, SplittableRandom choices) {
        if (withTokens) {
            profile(plugin)
                    .republishInterval(RepublishOptions.USUAL)
                    .tokenAudiences(choices.nextBoolean() ? List.of("") : List.of("storage", "vault"))
                    .tokenDelivery(
                            choices.nextBoolean()
                                    ? RepublishOptions.Delivery.SECRETS
                                    : RepublishOptions.Delivery.VOLUME_CONTEXT);
        } else {
            profile(plugin).republishInterval(RepublishOptions.SHORTEST.plusSeconds(choices.nextInt(60)));
        }
    }

    private PluginProfile.Builder profile(PluginId plugin) {
        return profiles.computeIfAbsent(plugin, PluginProfile::builder);
    }

    /** Stores the profiles of the plugins. */
    public void putProfiles() {
        profiles.values().stream()
                .map(PluginProfile.Builder::build)
                .filter(profile -> profile.problems().isEmpty())
                .forEach(profile -> world.applyFromHost(new PluginProfileCommand.PutPluginProfile(
                        profile, 0, world.clocks().report())));
    }
}
