package io.csi4j.core.volume;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.internal.text.Text;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A named template of volumes: plugin, parameters, limits and policies. A volume that is made from a class copies the
 * values of the class, so a later change of the class changes no volume. Immutable; {@code toString} leaves out secrets,
 * parameters and mount flags.
 */
public final class VolumeClass {
    /** The prefix of keys that csi4j itself fills in requests to plugins; users cannot give such keys. */
    public static final String RESERVED_PREFIX = CsiLimits.RESERVED_PREFIX;

    /** The key that tells a plugin that a volume is inline; its value is {@code true}. */
    private static final String EPHEMERAL = RESERVED_PREFIX + "ephemeral";

    /** The most topologies that a class can allow. */
    public static final int MOST_TOPOLOGIES = 256;

    private final VolumeClassName name;
    private final PluginId pluginId;
    private final Map<String, String> parameters;
    private final Map<String, String> mutableParameters;
    private final List<RequestedCapability> requestedCapabilities;
    private final MountOptions mountOptions;
    private final @Nullable CapacityRange defaultCapacity;
    private final long leastBytes;
    private final long greatestBytes;
    private final List<Topology> allowedTopologies;
    private final VolumeBinding binding;
    private final ReclaimPolicy reclaim;
    private final @Nullable FencingPolicy fencingPolicy;
    private final Secrets secrets;
    private final SortedSet<Namespace> namespaces;
    private final CapacityCheck capacityCheck;
    private final VolumeKind kind;
    private final SortedSet<String> attributeKeys;
    private final boolean ephemeral;
    private final boolean useByTemplate;
    private final long createIndex;
    private final long modifyIndex;

    private VolumeClass(Builder builder, long createIndex, long modifyIndex) {
        this.name = builder.name;
        this.pluginId = builder.pluginId;
        this.parameters = builder.parameters;
        this.mutableParameters = builder.mutableParameters;
        this.requestedCapabilities = builder.requestedCapabilities;
        this.mountOptions = builder.mountOptions;
        this.defaultCapacity = builder.defaultCapacity;
        this.leastBytes = builder.leastBytes;
        this.greatestBytes = builder.greatestBytes;
        this.allowedTopologies = builder.allowedTopologies;
        this.binding = builder.binding;
        this.reclaim = builder.reclaim;
        this.fencingPolicy = builder.fencingPolicy;
        this.secrets = builder.secrets;
        this.namespaces = builder.namespaces;
        this.capacityCheck = builder.capacityCheck;
        this.kind = builder.kind;
        this.attributeKeys = builder.attributeKeys;
        this.ephemeral = builder.ephemeral;
        this.useByTemplate = builder.useByTemplate;
        this.createIndex = createIndex;
        this.modifyIndex = modifyIndex;
    }

    /** Returns a builder for a class of a plugin, which need not be known yet. */
    public static Builder builder(VolumeClassName name, PluginId pluginId) {
        return new Builder(name, pluginId);
    }

    /** Returns a builder that begins with the values of this object, without its indexes. */
    public Builder toBuilder() {
        Builder builder = new Builder(name, pluginId);
        builder.parameters = parameters;
        builder.mutableParameters = mutableParameters;
        builder.requestedCapabilities = requestedCapabilities;
        builder.mountOptions = mountOptions;
        builder.defaultCapacity = defaultCapacity;
        builder.leastBytes = leastBytes;
        builder.greatestBytes = greatestBytes;
        builder.allowedTopologies = allowedTopologies;
        builder.binding = binding;
        builder.reclaim = reclaim;
        builder.fencingPolicy = fencingPolicy;
        builder.secrets = secrets;
        builder.namespaces = namespaces;
        builder.capacityCheck = capacityCheck;
        builder.kind = kind;
        builder.attributeKeys = attributeKeys;
        builder.ephemeral = ephemeral;
        builder.useByTemplate = useByTemplate;
        return builder;
    }

    /** Returns the class as the state stores it, with these indexes. */
    public VolumeClass stored(long createIndex, long modifyIndex) {
        return new VolumeClass(toBuilder(), createIndex, modifyIndex);
    }

    /** Returns whether another class has the same values; the indexes may differ. */
    public boolean sameValues(VolumeClass other) {
        return equals(other.stored(createIndex, modifyIndex));
    }

    /** Returns all problems of the class, in the order of its fields. */
    public List<Problem> problems() {
        return ClassCheck.problems(this);
    }

    /** Returns all problems of a template with the limits of this class. */
    public List<Problem> problems(VolumeTemplate template) {
        return TemplateCheck.problems(this, template);
    }

    /**
     * Returns the specification of a volume that is made from this class: the values of the class, with the size and the
     * capabilities of the template.
     */
    public VolumeSpec spec(VolumeTemplate template) {
        List<RequestedCapability> capabilities =
                template.requestedCapabilities().isEmpty() ? requestedCapabilities : template.requestedCapabilities();
        if (kind == VolumeKind.INLINE) {
            return inlineSpec(template, capabilities);
        }
        boolean mounted = capabilities.stream().anyMatch(one -> one.attachmentMode() == AttachmentMode.MOUNT);
        VolumeSpec.Builder spec = VolumeSpec.builder(pluginId)
                .parameters(parameters)
                .mutableParameters(mutableParameters)
                .requestedCapabilities(capabilities)
                .mountOptions(mounted ? mountOptions : MountOptions.none())
                .fencingPolicy(fencingPolicy)
                .secrets(secrets)
                .capacityRange(template.capacityRange().or(this::capacity).orElse(null))
                .contentSource(template.contentSource().orElse(null))
                .sourceSnapshot(template.sourceSnapshot().orElse(null));
        if (!allowedTopologies.isEmpty()) {
            spec.accessibilityRequirements(new TopologyRequirement(allowedTopologies, List.of()));
        }
        return spec.restore();
    }

    /** Returns the specification of an inline volume. Its context is what NodePublishVolume gets. */
    private VolumeSpec inlineSpec(VolumeTemplate template, List<RequestedCapability> capabilities) {
        Map<String, String> context = new LinkedHashMap<>(parameters);
        context.putAll(template.attributes());
        if (ephemeral) {
            context.put(EPHEMERAL, "true");
        }
        return VolumeSpec.builder(pluginId)
                .parameters(template.attributes())
                .volumeContext(VolumeContext.of(context))
                .requestedCapabilities(capabilities)
                .mountOptions(mountOptions)
                .fencingPolicy(fencingPolicy)
                .secrets(secrets)
                .restore();
    }

    /** Returns the size of a volume without a requested size: the default, or else the limits. */
    private Optional<CapacityRange> capacity() {
        boolean limited = leastBytes > 0 || greatestBytes > 0;
        return defaultCapacity()
                .or(() -> limited ? Optional.of(new CapacityRange(leastBytes, greatestBytes)) : Optional.empty());
    }

    public VolumeClassName name() {
        return name;
    }

    public PluginId pluginId() {
        return pluginId;
    }

    /**
     * Returns the parameters for CreateVolume, which only the plugin interprets. For the kind INLINE they are attributes of
     * each volume, which no template can change.
     */
    public Map<String, String> parameters() {
        return parameters;
    }

    /** Returns the parameters that may be changed after the creation (R54, R74), which only the plugin interprets. */
    public Map<String, String> mutableParameters() {
        return mutableParameters;
    }

    /** Returns the capabilities with which volumes of the class are usable (R52); at least one. */
    public List<RequestedCapability> requestedCapabilities() {
        return requestedCapabilities;
    }

    /** Returns the mount options of volumes of the class, which the options of a claim override. */
    public MountOptions mountOptions() {
        return mountOptions;
    }

    /**
     * Returns the size of a volume that is made without a size; empty if the class has none. Then the limits are sent, and
     * the plugin decides between them (R55).
     */
    public Optional<CapacityRange> defaultCapacity() {
        return Optional.ofNullable(defaultCapacity);
    }

    /** Returns the least size that can be requested, in bytes; 0 for no limit. */
    public long leastBytes() {
        return leastBytes;
    }

    /** Returns the greatest size that can be requested, in bytes; 0 for no limit. */
    public long greatestBytes() {
        return greatestBytes;
    }

    /** Returns the topologies in which volumes of the class may be made (R53); empty for all. */
    public List<Topology> allowedTopologies() {
        return allowedTopologies;
    }

    /** Returns who chooses the place of a volume that is created without a claim. */
    public VolumeBinding binding() {
        return binding;
    }

    /** Returns the policy for volumes of the class whose workload ends. */
    public ReclaimPolicy reclaim() {
        return reclaim;
    }

    /**
     * Returns the policy of volumes of the class for nodes that are down; empty if not declared. Then {@code
     * LifecycleOptions.fencingPolicy} counts.
     */
    public Optional<FencingPolicy> declaredFencingPolicy() {
        return Optional.ofNullable(fencingPolicy);
    }

    /** Returns the secrets of volumes of the class (R35), which each volume copies. They are never shown in a text. */
    public Secrets secrets() {
        return secrets;
    }

    /**
     * Returns the namespaces that may use the class.
     *
     * @return the namespaces in their order, unmodifiable; empty if all namespaces may use it
     */
    public SortedSet<Namespace> namespaces() {
        return namespaces;
    }

    /** Returns how volumes of the class come into being; CREATED by default. */
    public VolumeKind kind() {
        return kind;
    }

    /**
     * Returns the keys of attributes that a template may give, if the kind is INLINE.
     *
     * @return the keys in their order, unmodifiable; empty if a template may give none
     */
    public SortedSet<String> attributeKeys() {
        return attributeKeys;
    }

    /**
     * Returns whether an inline volume of the class is published with {@code csi.storage.k8s.io/ephemeral: "true"} in its
     * volume context. A plugin that also creates volumes needs it to tell both kinds apart.
     */
    public boolean ephemeral() {
        return ephemeral;
    }

    /**
     * Returns whether claims may make volumes of the class. A caller who may only use volumes, and not create them, makes
     * volumes of such a class by its claims.
     */
    public boolean useByTemplate() {
        return useByTemplate;
    }

    /** Returns whether volumes of a namespace may be made from the class. */
    public boolean usableIn(Namespace namespace) {
        return namespaces.isEmpty() || namespaces.contains(namespace);
    }

    /** Returns what the free capacity that the plugin reports means for placements. */
    public CapacityCheck capacityCheck() {
        return capacityCheck;
    }

    /** Returns whether the free capacity that the plugin reports counts: not for the kind INLINE, and not if the check is OFF. */
    public boolean checksCapacity() {
        return kind == VolumeKind.CREATED && capacityCheck != CapacityCheck.OFF;
    }

    /**
     * Returns the index of the command that added the class to the state; 0 if the class is not from the state. It is the
     * incarnation of the class: a class that was removed and put again under its name has another one.
     */
    public long createIndex() {
        return createIndex;
    }

    /** Returns the index of the last command that changed the class; 0 if the class is not from the state. */
    public long modifyIndex() {
        return modifyIndex;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeClass that
                && name.equals(that.name)
                && pluginId.equals(that.pluginId)
                && parameters.equals(that.parameters)
                && mutableParameters.equals(that.mutableParameters)
                && requestedCapabilities.equals(that.requestedCapabilities)
                && mountOptions.equals(that.mountOptions)
                && Objects.equals(defaultCapacity, that.defaultCapacity)
                && leastBytes == that.leastBytes
                && greatestBytes == that.greatestBytes
                && allowedTopologies.equals(that.allowedTopologies)
                && binding == that.binding
                && reclaim == that.reclaim
                && Objects.equals(fencingPolicy, that.fencingPolicy)
                && secrets.equals(that.secrets)
                && namespaces.equals(that.namespaces)
                && capacityCheck == that.capacityCheck
                && kind == that.kind
                && attributeKeys.equals(that.attributeKeys)
                && ephemeral == that.ephemeral
                && useByTemplate == that.useByTemplate
                && createIndex == that.createIndex
                && modifyIndex == that.modifyIndex;
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, pluginId, createIndex, modifyIndex);
    }

    @Override
    public String toString() {
        return "VolumeClass[name=" + name + ", pluginId=" + pluginId + ", parameters=" + parameters.size()
                + " not shown, mutableParameters=" + mutableParameters.size() + " not shown, requestedCapabilities="
                + requestedCapabilities + ", mountOptions=" + mountOptions + ", defaultCapacity=" + defaultCapacity
                + ", leastBytes=" + leastBytes + ", greatestBytes=" + greatestBytes + ", allowedTopologies="
                + allowedTopologies + ", binding=" + binding + ", reclaim=" + reclaim + ", fencingPolicy="
                + declaredFencingPolicy() + ", secrets=" + secrets + ", namespaces=" + namespaces + ", capacityCheck="
                + capacityCheck + ", kind=" + kind + ", attributeKeys=" + attributeKeys + ", ephemeral=" + ephemeral
                + ", useByTemplate=" + useByTemplate + ", createIndex="
                + createIndex + ", modifyIndex=" + modifyIndex + "]";
    }

    /** Builds {@link VolumeClass}es. Not thread-safe. */
    public static final class Builder {
        private final VolumeClassName name;
        private final PluginId pluginId;
        private Map<String, String> parameters = Map.of();
        private Map<String, String> mutableParameters = Map.of();
        private List<RequestedCapability> requestedCapabilities = List.of();
        private MountOptions mountOptions = MountOptions.none();
        private @Nullable CapacityRange defaultCapacity;
        private long leastBytes;
        private long greatestBytes;
        private List<Topology> allowedTopologies = List.of();
        private VolumeBinding binding = VolumeBinding.AT_CREATION;
        private ReclaimPolicy reclaim = ReclaimPolicy.DELETE;
        private @Nullable FencingPolicy fencingPolicy;
        private Secrets secrets = Secrets.empty();
        private SortedSet<Namespace> namespaces = Collections.emptySortedSet();
        private CapacityCheck capacityCheck = CapacityCheck.ADVISE;
        private VolumeKind kind = VolumeKind.CREATED;
        private SortedSet<String> attributeKeys = Collections.emptySortedSet();
        private boolean ephemeral;
        private boolean useByTemplate = true;

        private Builder(VolumeClassName name, PluginId pluginId) {
            this.name = Objects.requireNonNull(name, "name");
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        private static Map<String, String> ordered(Map<String, String> entries) {
            // Keeps the order of the entries, so that all requests for a volume have identical bytes (R29).
            return entries.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }

        /** Sets the parameters for CreateVolume. No key may begin with {@link VolumeClass#RESERVED_PREFIX}. */
        public Builder parameters(Map<String, String> parameters) {
            this.parameters = ordered(Text.checked("VolumeClass: parameters", parameters));
            return this;
        }

        /** Sets the parameters that may be changed after the creation. No key may begin with {@link VolumeClass#RESERVED_PREFIX}. */
        public Builder mutableParameters(Map<String, String> mutableParameters) {
            this.mutableParameters = ordered(Text.checked("VolumeClass: mutableParameters", mutableParameters));
            return this;
        }

        /** Sets the capabilities with which volumes of the class are usable (R52); at least one. */
        public Builder requestedCapabilities(List<RequestedCapability> requestedCapabilities) {
            this.requestedCapabilities = List.copyOf(requestedCapabilities);
            return this;
        }

        /** Sets the mount options of volumes of the class. Default: none. */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /** Sets the size of volumes that are made without a size; null for none. */
        public Builder defaultCapacity(@Nullable CapacityRange defaultCapacity) {
            this.defaultCapacity = defaultCapacity;
            return this;
        }

        /** Sets the least size that can be requested, in bytes; 0, the default, for no limit. */
        public Builder leastBytes(long leastBytes) {
            this.leastBytes = leastBytes;
            return this;
        }

        /** Sets the greatest size that can be requested, in bytes; 0, the default, for no limit. */
        public Builder greatestBytes(long greatestBytes) {
            this.greatestBytes = greatestBytes;
            return this;
        }

        /** Sets the topologies in which volumes of the class may be made. Default: all. */
        public Builder allowedTopologies(List<Topology> allowedTopologies) {
            this.allowedTopologies = List.copyOf(allowedTopologies);
            return this;
        }

        /** Sets who chooses the place of a volume that is created without a claim. Default: AT_CREATION. */
        public Builder binding(VolumeBinding binding) {
            this.binding = Objects.requireNonNull(binding, "binding");
            return this;
        }

        /** Sets the policy for volumes whose workload ends. Default: DELETE. */
        public Builder reclaim(ReclaimPolicy reclaim) {
            this.reclaim = Objects.requireNonNull(reclaim, "reclaim");
            return this;
        }

        /** Sets the policy for nodes that are down; null if not declared. */
        public Builder fencingPolicy(@Nullable FencingPolicy fencingPolicy) {
            this.fencingPolicy = fencingPolicy;
            return this;
        }

        /** Sets the secrets, which each volume of the class copies (R35). Default: none. */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets the namespaces that may use the class. Default: all. */
        public Builder namespaces(Collection<Namespace> namespaces) {
            this.namespaces = Collections.unmodifiableSortedSet(new TreeSet<>(namespaces));
            return this;
        }

        /** Sets whether claims may make volumes of the class. Default: true. */
        public Builder useByTemplate(boolean useByTemplate) {
            this.useByTemplate = useByTemplate;
            return this;
        }

        /** Sets what the free capacity that the plugin reports means for placements. Default: ADVISE. */
        public Builder capacityCheck(CapacityCheck capacityCheck) {
            this.capacityCheck = Objects.requireNonNull(capacityCheck, "capacityCheck");
            return this;
        }

        /** Sets how volumes of the class come into being. Default: CREATED. */
        public Builder kind(VolumeKind kind) {
            this.kind = Objects.requireNonNull(kind, "kind");
            return this;
        }

        /** Sets the keys of attributes that a template may give; only for the kind INLINE. Default: none. */
        public Builder attributeKeys(Collection<String> attributeKeys) {
            attributeKeys.forEach(key -> Text.checked("VolumeClass: attributeKeys", key));
            this.attributeKeys = Collections.unmodifiableSortedSet(new TreeSet<>(attributeKeys));
            return this;
        }

        /** Sets whether calls say to the plugin that a volume is inline; only for the kind INLINE. Default: false. */
        public Builder ephemeral(boolean ephemeral) {
            this.ephemeral = ephemeral;
            return this;
        }

        /**
         * Builds and checks the class.
         *
         * @throws CsiRequestException if a field has a problem; the message lists all problems
         */
        public VolumeClass build() {
            VolumeClass built = restore();
            List<Problem> problems = built.problems();
            if (!problems.isEmpty()) {
                throw new CsiRequestException("volume class " + name, problems);
            }
            return built;
        }

        /** Builds the class without checks. A command that stores it checks it again. */
        public VolumeClass restore() {
            return new VolumeClass(this, 0, 0);
        }
    }
}
