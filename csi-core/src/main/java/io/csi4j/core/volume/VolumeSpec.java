package io.csi4j.core.volume;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
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
 * The specification of a volume, as the user declares it. A field that is not set counts as empty. Immutable;
 * {@code toString} leaves out secrets, contexts and mount flags.
 */
public final class VolumeSpec {
    private final PluginId pluginId;
    private final String name;
    private final @Nullable ExternalVolumeId externalVolumeId;
    private final List<RequestedCapability> requestedCapabilities;
    private final MountOptions mountOptions;
    private final Secrets secrets;
    private final Map<String, String> parameters;
    private final Map<String, String> mutableParameters;
    private final VolumeContext volumeContext;
    private final @Nullable CapacityRange capacityRange;
    private final @Nullable VolumeContentSource contentSource;
    private final @Nullable SnapshotKey sourceSnapshot;
    private final @Nullable TopologyRequirement accessibilityRequirements;
    private final @Nullable FencingPolicy fencingPolicy;
    private final SortedSet<Namespace> sharedWith;
    /** True if the specification has been checked and has no problem. */
    private boolean sound;

    private VolumeSpec(Builder builder) {
        this.pluginId = builder.pluginId;
        this.name = builder.name;
        this.externalVolumeId = builder.externalVolumeId;
        this.requestedCapabilities = builder.requestedCapabilities;
        this.mountOptions = builder.mountOptions;
        this.secrets = builder.secrets;
        this.parameters = builder.parameters;
        this.mutableParameters = builder.mutableParameters;
        this.volumeContext = builder.volumeContext;
        this.capacityRange = builder.capacityRange;
        this.contentSource = builder.contentSource;
        this.sourceSnapshot = builder.sourceSnapshot;
        this.accessibilityRequirements = builder.accessibilityRequirements;
        this.fencingPolicy = builder.fencingPolicy;
        this.sharedWith = builder.sharedWith;
    }

    private static Map<String, String> ordered(Map<String, String> entries) {
        // The copied map keeps the order in which its entries were inserted, so that retries send requests with
        // identical bytes (R29).
        return entries.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    /** Returns a builder for a volume of a plugin. */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder(pluginId);
        builder.name = name;
        builder.externalVolumeId = externalVolumeId;
        builder.requestedCapabilities = requestedCapabilities;
        builder.mountOptions = mountOptions;
        builder.secrets = secrets;
        builder.parameters = parameters;
        builder.mutableParameters = mutableParameters;
        builder.volumeContext = volumeContext;
        builder.capacityRange = capacityRange;
        builder.contentSource = contentSource;
        builder.sourceSnapshot = sourceSnapshot;
        builder.accessibilityRequirements = accessibilityRequirements;
        builder.fencingPolicy = fencingPolicy;
        builder.sharedWith = sharedWith;
        return builder;
    }

    /**
     * Replaces the values of this specification by equal objects that other specifications already use, to save memory.
     *
     * @param sharing returns the shared object for a value
     * @return an equal specification
     */
    public VolumeSpec sharing(Sharing sharing) {
        Builder builder = new Builder(sharing.one(pluginId));
        builder.name = name;
        builder.externalVolumeId = externalVolumeId;
        builder.requestedCapabilities = sharing.one(requestedCapabilities);
        builder.mountOptions = sharing.one(mountOptions);
        builder.secrets = sharing.one(secrets);
        builder.parameters = sharing.one(parameters);
        builder.mutableParameters = sharing.one(mutableParameters);
        builder.volumeContext = sharing.one(volumeContext);
        builder.capacityRange = capacityRange == null ? null : sharing.one(capacityRange);
        builder.contentSource = contentSource == null ? null : sharing.one(contentSource);
        builder.sourceSnapshot = sourceSnapshot;
        builder.accessibilityRequirements =
                accessibilityRequirements == null ? null : sharing.one(accessibilityRequirements);
        builder.fencingPolicy = fencingPolicy == null ? null : sharing.one(fencingPolicy);
        builder.sharedWith = sharing.one(sharedWith);
        VolumeSpec shared = builder.restore();
        shared.sound = sound;
        return shared;
    }

    /** Returns all problems of the specification (R16-R25), in a fixed order. */
    public List<Problem> problems() {
        return sound ? List.of() : SpecCheck.problems(this);
    }

    public PluginId pluginId() {
        return pluginId;
    }

    /**
     * Returns the name that CreateVolume sends (R51). The plugin creates one volume for each name. If it is empty, the
     * name is derived from the volume's key.
     */
    public String name() {
        return name;
    }

    /**
     * Returns the storage provider's id of an existing volume; empty if it is not declared. Without it, calls use the
     * volume id, or the id that CreateVolume returned.
     */
    public Optional<ExternalVolumeId> externalVolumeId() {
        return Optional.ofNullable(externalVolumeId);
    }

    /** Returns the capabilities with which the volume has to be usable (R52); at least one. */
    public List<RequestedCapability> requestedCapabilities() {
        return requestedCapabilities;
    }

    /** Returns the requested capabilities as fields of requests to a controller, with the mount options, but without the group. */
    public List<VolumeCapability> volumeCapabilities() {
        return requestedCapabilities.stream()
                .map(capability -> capability.toVolumeCapability(mountOptions.withoutGroup()))
                .toList();
    }

    /** Returns the mount options, which the options of a claim override. */
    public MountOptions mountOptions() {
        return mountOptions;
    }

    /** Returns the secrets for calls about the volume (R35). They are never shown in a text. */
    public Secrets secrets() {
        return secrets;
    }

    /** Returns the parameters for CreateVolume, which only the plugin interprets. */
    public Map<String, String> parameters() {
        return parameters;
    }

    /** Returns the parameters that may be changed after the creation (R54, R74), which only the plugin interprets. */
    public Map<String, String> mutableParameters() {
        return mutableParameters;
    }

    /**
     * Returns the volume context that the caller declared for an existing volume; calls for the volume send it (R57).
     * It never appears in a message or a log.
     */
    public VolumeContext volumeContext() {
        return volumeContext;
    }

    /** Returns the requested size; empty if not given. */
    public Optional<CapacityRange> capacityRange() {
        return Optional.ofNullable(capacityRange);
    }

    /** Returns the source of a created volume's content; empty if there is none. */
    public Optional<VolumeContentSource> contentSource() {
        return Optional.ofNullable(contentSource);
    }

    /**
     * Returns the snapshot of the state whose content the created volume gets; empty if there is none. The row of the
     * volume has the storage provider's id of that snapshot as its {@link #contentSource()}.
     */
    public Optional<SnapshotKey> sourceSnapshot() {
        return Optional.ofNullable(sourceSnapshot);
    }

    /** Returns the topologies from which the volume has to be accessible (R53); empty if not given. */
    public Optional<TopologyRequirement> accessibilityRequirements() {
        return Optional.ofNullable(accessibilityRequirements);
    }

    /**
     * Returns the declared policy for nodes that are down; empty if not declared. Then {@code
     * LifecycleOptions.fencingPolicy} counts.
     */
    public Optional<FencingPolicy> declaredFencingPolicy() {
        return Optional.ofNullable(fencingPolicy);
    }

    /**
     * Returns the other namespaces whose allocations may claim the volume. If a later specification leaves out a
     * namespace, its allocations keep their claims until they release them, and cannot take new ones.
     *
     * @return the namespaces in their order, unmodifiable; empty if only the volume's own namespace may use it
     */
    public SortedSet<Namespace> sharedWith() {
        return sharedWith;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeSpec that
                && pluginId.equals(that.pluginId)
                && name.equals(that.name)
                && Objects.equals(externalVolumeId, that.externalVolumeId)
                && requestedCapabilities.equals(that.requestedCapabilities)
                && mountOptions.equals(that.mountOptions)
                && secrets.equals(that.secrets)
                && parameters.equals(that.parameters)
                && mutableParameters.equals(that.mutableParameters)
                && volumeContext.equals(that.volumeContext)
                && Objects.equals(capacityRange, that.capacityRange)
                && Objects.equals(contentSource, that.contentSource)
                && Objects.equals(sourceSnapshot, that.sourceSnapshot)
                && Objects.equals(accessibilityRequirements, that.accessibilityRequirements)
                && Objects.equals(fencingPolicy, that.fencingPolicy)
                && sharedWith.equals(that.sharedWith);
    }

    @Override
    public int hashCode() {
        return Objects.hash(pluginId, name, externalVolumeId, requestedCapabilities, capacityRange);
    }

    @Override
    public String toString() {
        return "VolumeSpec[pluginId=" + pluginId + ", name=" + Text.printable(name) + ", externalVolumeId="
                + externalVolumeId
                + ", requestedCapabilities=" + requestedCapabilities + ", mountOptions=" + mountOptions + ", secrets="
                + secrets + ", parameters=" + parameters.size() + " not shown, mutableParameters="
                + mutableParameters.size() + " not shown, volumeContext=" + volumeContext + ", capacityRange="
                + capacityRange + ", contentSource=" + contentSource + ", sourceSnapshot=" + sourceSnapshot
                + ", accessibilityRequirements="
                + accessibilityRequirements + ", fencingPolicy=" + declaredFencingPolicy() + ", sharedWith="
                + sharedWith + "]";
    }

    /** Builds {@link VolumeSpec}s. Not thread-safe. */
    public static final class Builder {
        private final PluginId pluginId;
        private String name = "";
        private @Nullable ExternalVolumeId externalVolumeId;
        private List<RequestedCapability> requestedCapabilities = List.of();
        private MountOptions mountOptions = MountOptions.none();
        private Secrets secrets = Secrets.empty();
        private Map<String, String> parameters = Map.of();
        private Map<String, String> mutableParameters = Map.of();
        private VolumeContext volumeContext = VolumeContext.empty();
        private @Nullable CapacityRange capacityRange;
        private @Nullable VolumeContentSource contentSource;
        private @Nullable SnapshotKey sourceSnapshot;
        private @Nullable TopologyRequirement accessibilityRequirements;
        private @Nullable FencingPolicy fencingPolicy;
        private SortedSet<Namespace> sharedWith = Collections.emptySortedSet();

        private Builder(PluginId pluginId) {
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        /**
         * Sets the name that CreateVolume sends (R51). The plugin creates one volume for each name, so a name of one's
         * own brings back the volume that the provider has under it, with its data. Leave the name out to have a new
         * volume: then each creation has its own name.
         */
        public Builder name(String name) {
            this.name = Text.checked("VolumeSpec: name", name);
            return this;
        }

        /** Sets the storage provider's id of an existing volume; null if not given. */
        public Builder externalVolumeId(@Nullable ExternalVolumeId externalVolumeId) {
            this.externalVolumeId = externalVolumeId;
            return this;
        }

        /** Sets the capabilities with which the volume has to be usable (R52); at least one. */
        public Builder requestedCapabilities(List<RequestedCapability> requestedCapabilities) {
            this.requestedCapabilities = List.copyOf(requestedCapabilities);
            return this;
        }

        /** Sets the mount options, which the options of a claim override. */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /** Sets the secrets for calls about the volume (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /** Sets the parameters for CreateVolume, which only the plugin interprets. */
        public Builder parameters(Map<String, String> parameters) {
            this.parameters = ordered(Text.checked("VolumeSpec: parameters", parameters));
            return this;
        }

        /** Sets the parameters that may be changed after the creation (R54, R74), which only the plugin interprets. */
        public Builder mutableParameters(Map<String, String> mutableParameters) {
            this.mutableParameters = ordered(Text.checked("VolumeSpec: mutableParameters", mutableParameters));
            return this;
        }

        /** Sets the volume context of a volume that exists already; calls for the volume send it (R57). */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /** Sets the requested size; null if not given. */
        public Builder capacityRange(@Nullable CapacityRange capacityRange) {
            this.capacityRange = capacityRange;
            return this;
        }

        /** Sets the source of a created volume's content; null if there is none. */
        public Builder contentSource(@Nullable VolumeContentSource contentSource) {
            this.contentSource = contentSource;
            return this;
        }

        /**
         * Sets the snapshot of the state whose content a created volume gets; null, the default, if there is none. The
         * snapshot has to be ready, and is not deleted before the volume is made.
         */
        public Builder sourceSnapshot(@Nullable SnapshotKey sourceSnapshot) {
            this.sourceSnapshot = sourceSnapshot;
            return this;
        }

        /** Sets the topologies from which the volume has to be accessible (R53); null if not given. */
        public Builder accessibilityRequirements(@Nullable TopologyRequirement accessibilityRequirements) {
            this.accessibilityRequirements = accessibilityRequirements;
            return this;
        }

        /** Sets the policy for nodes that are down; null if not declared. */
        public Builder fencingPolicy(@Nullable FencingPolicy fencingPolicy) {
            this.fencingPolicy = fencingPolicy;
            return this;
        }

        /** Sets the other namespaces whose allocations may claim the volume. Default: none. */
        public Builder sharedWith(Collection<Namespace> sharedWith) {
            this.sharedWith = Collections.unmodifiableSortedSet(new TreeSet<>(sharedWith));
            return this;
        }

        /**
         * Builds and checks the specification.
         *
         * @throws CsiRequestException if it breaks a rule of CSI; the message lists all problems
         */
        public VolumeSpec build() {
            VolumeSpec spec = restore();
            List<Problem> problems = spec.problems();
            if (!problems.isEmpty()) {
                throw new CsiRequestException("VolumeSpec", problems);
            }
            spec.sound = true;
            return spec;
        }

        /**
         * Builds the specification without checks. Use it to read a stored specification that was accepted earlier. A
         * registration checks the specification again.
         */
        public VolumeSpec restore() {
            return new VolumeSpec(this);
        }
    }
}
