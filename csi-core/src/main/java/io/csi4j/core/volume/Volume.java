package io.csi4j.core.volume;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A volume: what the host declared, what the provider told, who claims it and where it is attached.
 * Immutable; shows nothing sensitive.
 */
public final class Volume {
    private final VolumeKey key;
    private final VolumeSpec spec;
    private final VolumeOrigin origin;
    private final VolumePhase phase;
    private final ProviderFacts facts;
    private final Claims claims;
    private final Attachments attachments;
    private final @Nullable Expansion expansion;
    private final @Nullable Modification modification;
    private final Retry retry;
    private final long createIndex;
    private final long modifyIndex;
    private final Instant createdAt;
    private final Instant modifiedAt;

    private Volume(Builder builder) {
        this.key = builder.key;
        this.spec = builder.spec;
        this.origin = builder.origin;
        this.phase = builder.phase;
        this.facts = builder.facts;
        this.claims = builder.claims;
        this.attachments = builder.attachments;
        this.expansion = builder.expansion;
        this.modification = builder.modification;
        this.retry = builder.retry;
        this.createIndex = builder.createIndex;
        this.modifyIndex = builder.modifyIndex;
        this.createdAt = builder.createdAt;
        this.modifiedAt = builder.modifiedAt;
    }

    /**
     * A builder of a volume that was registered, without claims.
     *
     * @param key its key
     * @param spec what the host declared
     * @param index the index of the command that made it
     * @param at the time in that command
     * @return a new builder
     */
    public static Builder builder(VolumeKey key, VolumeSpec spec, long index, Instant at) {
        return new Builder(key, spec, index, at);
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder(key, spec, createIndex, createdAt);
        builder.origin = origin;
        builder.phase = phase;
        builder.facts = facts;
        builder.claims = claims;
        builder.attachments = attachments;
        builder.expansion = expansion;
        builder.modification = modification;
        builder.retry = retry;
        builder.modifyIndex = modifyIndex;
        builder.modifiedAt = modifiedAt;
        return builder;
    }

    /**
     * Its full name.
     *
     * @return namespace and id
     */
    public VolumeKey key() {
        return key;
    }

    /**
     * What the host declared.
     *
     * @return the declaration
     */
    public VolumeSpec spec() {
        return spec;
    }

    /**
     * The plugin that serves it.
     *
     * @return its id
     */
    public PluginId pluginId() {
        return spec.pluginId();
    }

    /**
     * How it came to be known.
     *
     * @return the origin
     */
    public VolumeOrigin origin() {
        return origin;
    }

    /**
     * Where it is in its life.
     *
     * @return the phase
     */
    public VolumePhase phase() {
        return phase;
    }

    /**
     * What the provider told.
     *
     * @return possibly empty facts
     */
    public ProviderFacts facts() {
        return facts;
    }

    /**
     * Who claims it.
     *
     * @return possibly empty
     */
    public Claims claims() {
        return claims;
    }

    /**
     * Where it is attached, or may be.
     *
     * @return possibly empty
     */
    public Attachments attachments() {
        return attachments;
    }

    /**
     * The wish to grow it that is not fulfilled yet.
     *
     * @return how far it came; empty: there is none
     */
    public Optional<Expansion> expansion() {
        return Optional.ofNullable(expansion);
    }

    /**
     * The wish to change mutable parameters that is not fulfilled yet.
     *
     * @return how far it came; empty: there is none
     */
    public Optional<Modification> modification() {
        return Optional.ofNullable(modification);
    }

    /**
     * How its creation or deletion goes.
     *
     * @return failed attempts, and a call whose outcome is unknown; {@link Retry#none()} while it is AVAILABLE
     */
    public Retry retry() {
        return retry;
    }

    /**
     * The index of the command that made it.
     *
     * @return the log index
     */
    public long createIndex() {
        return createIndex;
    }

    /**
     * The index of the last command that changed it.
     *
     * @return the log index
     */
    public long modifyIndex() {
        return modifyIndex;
    }

    /**
     * When it was made known.
     *
     * @return the time in the command
     */
    public Instant createdAt() {
        return createdAt;
    }

    /**
     * When it was last changed.
     *
     * @return the time in the command
     */
    public Instant modifiedAt() {
        return modifiedAt;
    }

    /**
     * The provider's id of the volume, where one is known: declared, told by the provider, or, for a
     * volume that was registered without one, its volume id. (plugin, external id) is unique (N9).
     *
     * @return empty: it is being created, and nobody knows its id yet
     */
    public Optional<ExternalVolumeId> externalVolumeId() {
        Optional<ExternalVolumeId> told = facts.externalVolumeId().or(spec::externalVolumeId);
        return told.isPresent() || origin == VolumeOrigin.CREATED ? told : Optional.of(fromVolumeId());
    }

    /**
     * The id that stands for the volume in every call to a plugin (S3).
     *
     * @return the external volume id, or else the volume id
     */
    public ExternalVolumeId remoteId() {
        return facts.externalVolumeId().or(spec::externalVolumeId).orElseGet(this::fromVolumeId);
    }

    private ExternalVolumeId fromVolumeId() {
        return ExternalVolumeId.of(key.volumeId().value());
    }

    /**
     * The name to show; for a volume that is created, the key of idempotency.
     *
     * @return the declared name, or else the volume id
     */
    public String name() {
        return spec.name().isEmpty() ? key.volumeId().value() : spec.name();
    }

    /**
     * The volume context of every call. For a volume that was created it is the provider's, which never changes (R57);
     * for one that was registered it is the declared one, or else the provider's.
     *
     * @return possibly empty, never shown
     */
    public VolumeContext volumeContext() {
        boolean declared =
                origin == VolumeOrigin.REGISTERED && !spec.volumeContext().isEmpty();
        return declared ? spec.volumeContext() : facts.volumeContext();
    }

    /**
     * What it was filled with.
     *
     * @return as the provider told, or else as declared
     */
    public Optional<VolumeContentSource> contentSource() {
        return facts.contentSource().or(spec::contentSource);
    }

    /**
     * Whether allocations of a namespace may use it: those of its own, and of those that it is shared with.
     *
     * @param namespace the allocation's namespace
     * @return true if so
     */
    public boolean usableIn(Namespace namespace) {
        return key.namespace().equals(namespace) || spec.sharedWith().contains(namespace);
    }

    /**
     * How it is used now: all claims agree on it.
     *
     * @return empty while there are no claims
     */
    public Optional<RequestedCapability> currentCapability() {
        return claims.capability();
    }

    /**
     * How large it is to become, where that is more than it is known to be. A size of 0 is unknown, and
     * asking the plugin to expand what is large enough is harmless (R82).
     *
     * @return empty: nothing is to be done
     */
    public Optional<CapacityRange> expansionDue() {
        return spec.capacityRange().filter(range -> range.requiredBytes() > facts.capacityBytes());
    }

    /**
     * Whether anybody claims it, or it is, or may be, attached anywhere.
     *
     * @return true if so
     */
    public boolean inUse() {
        return !claims.isEmpty() || !attachments.isEmpty();
    }

    /**
     * Whether its controller has to expand it yet (R82): that is wished for, and was not refused for good.
     *
     * @return true if so
     */
    public boolean toBeExpanded() {
        return expansion()
                .filter(wish -> wish.stage() == Expansion.Stage.CONTROLLER)
                .filter(wish -> !wish.retry().refused())
                .isPresent();
    }

    /**
     * Whether it has a claim or an attachment on a node.
     *
     * @param nodeId the node
     * @return true if so
     */
    public boolean isOn(NodeId nodeId) {
        return !claims.on(nodeId).isEmpty() || attachments.on(nodeId).isPresent();
    }

    /**
     * Whether something remains to be done for it: a claim to release, an attachment to make, to undo
     * or to ask about, a creation or deletion to finish, or a wished change to make. The store keeps an index of these volumes.
     *
     * @return true if so
     */
    public boolean unsettled() {
        return phase != VolumePhase.AVAILABLE
                || claims.count(ClaimState.TAKEN) < claims.size()
                || attachments.unsettled() > 0
                || changing();
    }

    /**
     * Whether its plugin has to be called for an expansion or a modification that was wished for. One that
     * was refused does not count: nothing is left to be done about it but to wish anew.
     *
     * @return true if so
     */
    public boolean changing() {
        return (expansion != null && expansion.due(claims))
                || (modification != null && !modification.retry().refused());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Volume that
                && key.equals(that.key)
                && spec.equals(that.spec)
                && origin == that.origin
                && phase == that.phase
                && facts.equals(that.facts)
                && claims.equals(that.claims)
                && attachments.equals(that.attachments)
                && Objects.equals(expansion, that.expansion)
                && Objects.equals(modification, that.modification)
                && retry.equals(that.retry)
                && createIndex == that.createIndex
                && modifyIndex == that.modifyIndex
                && createdAt.equals(that.createdAt)
                && modifiedAt.equals(that.modifiedAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, modifyIndex);
    }

    @Override
    public String toString() {
        return "Volume[key=" + key + ", phase=" + phase + ", origin=" + origin + ", spec=" + spec + ", facts=" + facts
                + ", claims=" + claims + ", attachments=" + attachments + ", expansion=" + expansion
                + ", modification=" + modification + ", retry=" + retry + ", createIndex=" + createIndex
                + ", modifyIndex=" + modifyIndex + "]";
    }

    /** Builds {@link Volume}s. Not safe for use by several threads. */
    public static final class Builder {
        private final VolumeKey key;
        private final long createIndex;
        private final Instant createdAt;
        private VolumeSpec spec;
        private VolumeOrigin origin = VolumeOrigin.REGISTERED;
        private VolumePhase phase = VolumePhase.AVAILABLE;
        private ProviderFacts facts = ProviderFacts.none();
        private Claims claims = Claims.empty();
        private Attachments attachments = Attachments.empty();
        private @Nullable Expansion expansion;
        private @Nullable Modification modification;
        private Retry retry = Retry.none();
        private long modifyIndex;
        private Instant modifiedAt;

        private Builder(VolumeKey key, VolumeSpec spec, long index, Instant at) {
            this.key = Objects.requireNonNull(key, "key");
            this.spec = Objects.requireNonNull(spec, "spec");
            this.createIndex = index;
            this.modifyIndex = index;
            this.createdAt = Objects.requireNonNull(at, "at");
            this.modifiedAt = at;
        }

        /**
         * Sets what the host declared.
         *
         * @param spec the declaration
         * @return this
         */
        public Builder spec(VolumeSpec spec) {
            this.spec = Objects.requireNonNull(spec, "spec");
            return this;
        }

        /**
         * Sets how it came to be known.
         *
         * @param origin REGISTERED if not set
         * @return this
         */
        public Builder origin(VolumeOrigin origin) {
            this.origin = Objects.requireNonNull(origin, "origin");
            return this;
        }

        /**
         * Sets where it is in its life.
         *
         * @param phase AVAILABLE if not set
         * @return this
         */
        public Builder phase(VolumePhase phase) {
            this.phase = Objects.requireNonNull(phase, "phase");
            return this;
        }

        /**
         * Sets what the provider told.
         *
         * @param facts possibly empty facts
         * @return this
         */
        public Builder facts(ProviderFacts facts) {
            this.facts = Objects.requireNonNull(facts, "facts");
            return this;
        }

        /**
         * Sets who claims it.
         *
         * @param claims possibly empty
         * @return this
         */
        public Builder claims(Claims claims) {
            this.claims = Objects.requireNonNull(claims, "claims");
            return this;
        }

        /**
         * Sets where it is attached, or may be.
         *
         * @param attachments possibly empty
         * @return this
         */
        public Builder attachments(Attachments attachments) {
            this.attachments = Objects.requireNonNull(attachments, "attachments");
            return this;
        }

        /**
         * Sets the wish to grow it.
         *
         * @param expansion how far it came, or null: there is none
         * @return this
         */
        public Builder expansion(@Nullable Expansion expansion) {
            this.expansion = expansion;
            return this;
        }

        /**
         * Sets the wish to change mutable parameters.
         *
         * @param modification how far it came, or null: there is none
         * @return this
         */
        public Builder modification(@Nullable Modification modification) {
            this.modification = modification;
            return this;
        }

        /**
         * Sets how its creation or deletion goes.
         *
         * @param retry {@link Retry#none()} if not set
         * @return this
         */
        public Builder retry(Retry retry) {
            this.retry = Objects.requireNonNull(retry, "retry");
            return this;
        }

        /**
         * Sets by what, and when, it was last changed.
         *
         * @param index the index of the command
         * @param at the time in the command
         * @return this
         */
        public Builder modified(long index, Instant at) {
            this.modifyIndex = index;
            this.modifiedAt = Objects.requireNonNull(at, "at");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public Volume build() {
            return new Volume(this);
        }
    }
}
