package io.csi4j.core.volume;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.Text;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
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
 * What the host declares about a volume. A part that is not given and a part that is empty are the
 * same. Immutable; shows nothing sensitive.
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
    private final @Nullable TopologyRequirement accessibilityRequirements;
    private final @Nullable FencingPolicy fencingPolicy;
    private final SortedSet<Namespace> sharedWith;
    /** Whether it was checked and nothing was wrong; a builder checks before it hands the object to anybody. */
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
        this.accessibilityRequirements = builder.accessibilityRequirements;
        this.fencingPolicy = builder.fencingPolicy;
        this.sharedWith = builder.sharedWith;
    }

    private static Map<String, String> ordered(Map<String, String> entries) {
        // Insertion order is kept: repeats of a request are then identical to the byte (R29).
        return entries.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    /**
     * A builder of what is declared about a volume of a plugin.
     *
     * @param pluginId the plugin
     * @return a new builder
     */
    public static Builder builder(PluginId pluginId) {
        return new Builder(pluginId);
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
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
        builder.accessibilityRequirements = accessibilityRequirements;
        builder.fencingPolicy = fencingPolicy;
        builder.sharedWith = sharedWith;
        return builder;
    }

    /**
     * This declaration, with every part that others may have as well replaced by the one object for all.
     *
     * @param sharing gives that object
     * @return an equal declaration
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
        builder.accessibilityRequirements =
                accessibilityRequirements == null ? null : sharing.one(accessibilityRequirements);
        builder.fencingPolicy = fencingPolicy == null ? null : sharing.one(fencingPolicy);
        builder.sharedWith = sharing.one(sharedWith);
        VolumeSpec shared = builder.restore();
        shared.sound = sound;
        return shared;
    }

    /**
     * All that is wrong with the declaration (R16-R25), in a fixed order.
     *
     * @return empty: nothing is
     */
    public List<Problem> problems() {
        return sound ? List.of() : SpecCheck.problems(this);
    }

    /**
     * The plugin.
     *
     * @return its id
     */
    public PluginId pluginId() {
        return pluginId;
    }

    /**
     * The name to show and, for a volume that is created, the key of idempotency (R51).
     *
     * @return empty: the volume id serves
     */
    public String name() {
        return name;
    }

    /**
     * The provider's id of a volume that exists there already.
     *
     * @return empty: the remote id is the volume id, or comes from CreateVolume
     */
    public Optional<ExternalVolumeId> externalVolumeId() {
        return Optional.ofNullable(externalVolumeId);
    }

    /**
     * Every use the volume must support (R52).
     *
     * @return at least one
     */
    public List<RequestedCapability> requestedCapabilities() {
        return requestedCapabilities;
    }

    /**
     * How to mount it; an allocation's request goes on top (S23).
     *
     * @return possibly empty
     */
    public MountOptions mountOptions() {
        return mountOptions;
    }

    /**
     * What authenticates calls about the volume (R35).
     *
     * @return possibly empty, never shown
     */
    public Secrets secrets() {
        return secrets;
    }

    /**
     * Opaque parameters for its creation (S1).
     *
     * @return possibly empty, unmodifiable
     */
    public Map<String, String> parameters() {
        return parameters;
    }

    /**
     * Opaque parameters that may change later (R54, R74).
     *
     * @return possibly empty, unmodifiable
     */
    public Map<String, String> mutableParameters() {
        return mutableParameters;
    }

    /**
     * What the provider wants to be told in later calls, for a volume that exists there already (R57).
     *
     * @return possibly empty, never shown
     */
    public VolumeContext volumeContext() {
        return volumeContext;
    }

    /**
     * How large it has to be.
     *
     * @return empty: not given
     */
    public Optional<CapacityRange> capacityRange() {
        return Optional.ofNullable(capacityRange);
    }

    /**
     * What a created volume is filled with.
     *
     * @return empty: nothing
     */
    public Optional<VolumeContentSource> contentSource() {
        return Optional.ofNullable(contentSource);
    }

    /**
     * From where it has to be accessible (R53).
     *
     * @return empty: not given
     */
    public Optional<TopologyRequirement> accessibilityRequirements() {
        return Optional.ofNullable(accessibilityRequirements);
    }

    /**
     * What claims wait for when their node is down, if it was declared.
     *
     * @return empty: not declared
     */
    public Optional<FencingPolicy> declaredFencingPolicy() {
        return Optional.ofNullable(fencingPolicy);
    }

    /**
     * What claims wait for when their node is down (N2).
     *
     * @return what was declared, or {@link FencingPolicy#waitForConfirmation()}
     */
    public FencingPolicy fencingPolicy() {
        return fencingPolicy == null ? FencingPolicy.waitForConfirmation() : fencingPolicy;
    }

    /**
     * The other namespaces whose allocations may claim the volume. A declaration without them ends the sharing: claims
     * that there are stay until they are released, and no further one is taken.
     *
     * @return in order, unmodifiable; empty: only allocations of the volume's own namespace may
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
        return "VolumeSpec[pluginId=" + pluginId + ", name=" + Text.shown(name) + ", externalVolumeId="
                + externalVolumeId
                + ", requestedCapabilities=" + requestedCapabilities + ", mountOptions=" + mountOptions + ", secrets="
                + secrets + ", parameters=" + parameters.size() + " not shown, mutableParameters="
                + mutableParameters.size() + " not shown, volumeContext=" + volumeContext + ", capacityRange="
                + capacityRange + ", contentSource=" + contentSource + ", accessibilityRequirements="
                + accessibilityRequirements + ", fencingPolicy=" + fencingPolicy() + ", sharedWith="
                + sharedWith + "]";
    }

    /** Builds {@link VolumeSpec}s. Not safe for use by several threads. */
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
        private @Nullable TopologyRequirement accessibilityRequirements;
        private @Nullable FencingPolicy fencingPolicy;
        private SortedSet<Namespace> sharedWith = Collections.emptySortedSet();

        private Builder(PluginId pluginId) {
            this.pluginId = Objects.requireNonNull(pluginId, "pluginId");
        }

        /**
         * Sets: the name to show and, for a volume that is created, the key of idempotency (R51).
         *
         * @param name the value
         * @return this
         */
        public Builder name(String name) {
            this.name = Text.checked("VolumeSpec: name", name);
            return this;
        }

        /**
         * Sets: the provider's id of a volume that exists there already.
         *
         * @param externalVolumeId the value, or null: not given
         * @return this
         */
        public Builder externalVolumeId(@Nullable ExternalVolumeId externalVolumeId) {
            this.externalVolumeId = externalVolumeId;
            return this;
        }

        /**
         * Sets: every use the volume must support (R52).
         *
         * @param requestedCapabilities the value
         * @return this
         */
        public Builder requestedCapabilities(List<RequestedCapability> requestedCapabilities) {
            this.requestedCapabilities = List.copyOf(requestedCapabilities);
            return this;
        }

        /**
         * Sets: how to mount it; an allocation's request goes on top (S23).
         *
         * @param mountOptions the value
         * @return this
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets: what authenticates calls about the volume (R35).
         *
         * @param secrets the value
         * @return this
         */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Sets: opaque parameters for its creation (S1).
         *
         * @param parameters the value
         * @return this
         */
        public Builder parameters(Map<String, String> parameters) {
            this.parameters = ordered(Text.checked("VolumeSpec: parameters", parameters));
            return this;
        }

        /**
         * Sets: opaque parameters that may change later (R54, R74).
         *
         * @param mutableParameters the value
         * @return this
         */
        public Builder mutableParameters(Map<String, String> mutableParameters) {
            this.mutableParameters = ordered(Text.checked("VolumeSpec: mutableParameters", mutableParameters));
            return this;
        }

        /**
         * Sets: what the provider wants to be told in later calls, for a volume that exists there already (R57).
         *
         * @param volumeContext the value
         * @return this
         */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Sets: how large it has to be.
         *
         * @param capacityRange the value, or null: not given
         * @return this
         */
        public Builder capacityRange(@Nullable CapacityRange capacityRange) {
            this.capacityRange = capacityRange;
            return this;
        }

        /**
         * Sets: what a created volume is filled with.
         *
         * @param contentSource the value, or null: not given
         * @return this
         */
        public Builder contentSource(@Nullable VolumeContentSource contentSource) {
            this.contentSource = contentSource;
            return this;
        }

        /**
         * Sets: from where it has to be accessible (R53).
         *
         * @param accessibilityRequirements the value, or null: not given
         * @return this
         */
        public Builder accessibilityRequirements(@Nullable TopologyRequirement accessibilityRequirements) {
            this.accessibilityRequirements = accessibilityRequirements;
            return this;
        }

        /**
         * Sets: what claims wait for when their node is down (N2).
         *
         * @param fencingPolicy the value, or null: not given
         * @return this
         */
        public Builder fencingPolicy(@Nullable FencingPolicy fencingPolicy) {
            this.fencingPolicy = fencingPolicy;
            return this;
        }

        /**
         * Sets: the other namespaces whose allocations may claim the volume.
         *
         * @param sharedWith the value; none if not set
         * @return this
         */
        public Builder sharedWith(Collection<Namespace> sharedWith) {
            this.sharedWith = Collections.unmodifiableSortedSet(new TreeSet<>(sharedWith));
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         * @throws CsiRequestException if it breaks a rule of CSI; all problems are named
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
         * The value built so far, unchecked: for a declaration that was accepted before and is read
         * back. What breaks a rule is still refused when it is registered.
         *
         * @return an immutable value
         */
        public VolumeSpec restore() {
            return new VolumeSpec(this);
        }
    }
}
