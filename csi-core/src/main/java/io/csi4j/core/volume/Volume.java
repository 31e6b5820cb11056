package io.csi4j.core.volume;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.check.CsiLimits;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A volume in the state: its specification, the facts from the storage provider, its claims and its attachments.
 * Immutable; {@code toString} leaves out secrets, contexts and mount flags.
 */
public final class Volume {
    /** The most sizes of {@link #unsettledTargets()}. */
    public static final int MOST_UNSETTLED_TARGETS = 16;

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
    private final @Nullable ClassOrigin classOrigin;
    private final List<Long> unsettledTargets;
    private final @Nullable MadeFor madeFor;
    private final @Nullable Verification verification;
    private final boolean extraMetadata;
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
        this.classOrigin = builder.classOrigin;
        this.unsettledTargets = builder.unsettledTargets;
        this.madeFor = MadeFor.of(builder);
        this.verification = builder.verification;
        this.extraMetadata = builder.extraMetadata;
        this.createIndex = builder.createIndex;
        this.modifyIndex = builder.modifyIndex;
        this.createdAt = builder.createdAt;
        this.modifiedAt = builder.modifiedAt;
    }

    /**
     * Returns a builder of a registered volume without claims.
     *
     * @param key the volume's key
     * @param spec the host's specification
     * @param index the index of the command that added the volume
     * @param at the time in that command
     */
    public static Builder builder(VolumeKey key, VolumeSpec spec, long index, Instant at) {
        return new Builder(key, spec, index, at);
    }

    /** Returns a builder that begins with the values of this object. */
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
        builder.classOrigin = classOrigin;
        builder.unsettledTargets = unsettledTargets;
        builder.firstClaim = madeFor == null ? null : madeFor.firstClaim;
        builder.owner = madeFor == null ? null : madeFor.owner;
        builder.formerKey = madeFor == null ? null : madeFor.formerKey;
        builder.verification = verification;
        builder.extraMetadata = extraMetadata;
        builder.modifyIndex = modifyIndex;
        builder.modifiedAt = modifiedAt;
        return builder;
    }

    /** Returns the key: namespace and id. */
    public VolumeKey key() {
        return key;
    }

    /** Returns the host's specification. */
    public VolumeSpec spec() {
        return spec;
    }

    /** Returns the plugin that serves the volume. */
    public PluginId pluginId() {
        return spec.pluginId();
    }

    /** Returns whether the volume existed before it was registered, was created by the engine, or is made by its nodes. */
    public VolumeOrigin origin() {
        return origin;
    }

    /** Returns whether the plugin makes the content of the volume where it is published; see {@link VolumeOrigin#INLINE}. */
    public boolean isInline() {
        return origin == VolumeOrigin.INLINE;
    }

    /** Returns the phase: creating, available or deleting. */
    public VolumePhase phase() {
        return phase;
    }

    /** Returns the facts that the storage provider reported. */
    public ProviderFacts facts() {
        return facts;
    }

    public Claims claims() {
        return claims;
    }

    /** Returns the attachments, including those that may exist because the outcome of a call is unknown. */
    public Attachments attachments() {
        return attachments;
    }

    /** Returns the requested expansion that is not finished; empty if there is none. */
    public Optional<Expansion> expansion() {
        return Optional.ofNullable(expansion);
    }

    /** Returns the requested change of parameters that is not finished; empty if there is none. */
    public Optional<Modification> modification() {
        return Optional.ofNullable(modification);
    }

    /** Returns the failed attempts at the volume's creation or deletion; {@link Retry#none()} while it is AVAILABLE. */
    public Retry retry() {
        return retry;
    }

    /** Returns the class from which the volume was made; empty if it was made without a class. It never changes. */
    public Optional<ClassOrigin> classOrigin() {
        return Optional.ofNullable(classOrigin);
    }

    /**
     * Returns the claim for which the volume is made; empty if the volume was claimed, or was not made for a claim. A
     * volume that has it and is AVAILABLE is unused: nothing was ever mounted or attached.
     */
    public Optional<FirstClaim> firstClaim() {
        return madeFor == null ? Optional.empty() : Optional.ofNullable(madeFor.firstClaim);
    }

    /** Returns the allocation or workload to which the volume belongs; empty for a persistent volume. */
    public Optional<VolumeOwner> owner() {
        return madeFor == null ? Optional.empty() : Optional.ofNullable(madeFor.owner);
    }

    /**
     * Returns the key under which the volume was to be made, if it was given up unused: another volume may have the key
     * now, and this one is deleted. Its secrets are those of the former key.
     */
    public Optional<VolumeKey> formerKey() {
        return madeFor == null ? Optional.empty() : Optional.ofNullable(madeFor.formerKey);
    }

    /**
     * Returns what the storage provider has said about the volume since a restore of the state; empty if it was not asked.
     * It counts only for its own restore.
     */
    public Optional<Verification> verification() {
        return Optional.ofNullable(verification);
    }

    /** Returns whether the storage provider has to be asked whether it has the volume. */
    public boolean toBeVerified() {
        return verification != null
                && verification.stage() == Verification.Stage.ASKED
                && phase == VolumePhase.AVAILABLE;
    }

    /**
     * Returns whether the storage provider does not have the volume since a restore of the state. No step creates or deletes
     * it; an operator removes the row.
     */
    public boolean isLost() {
        return verification != null
                && verification.stage() == Verification.Stage.LOST
                && phase == VolumePhase.AVAILABLE;
    }

    /** Returns the volume under the key for which it was requested: the former one if it was given up. */
    public Volume asRequested() {
        if (madeFor == null || madeFor.formerKey == null) {
            return this;
        }
        Builder builder = new Builder(madeFor.formerKey, spec, createIndex, createdAt);
        return builder.origin(origin)
                .phase(phase)
                .facts(facts)
                .classOrigin(classOrigin)
                .extraMetadata(extraMetadata)
                .build();
    }

    /**
     * Returns the sizes of expansions that were replaced by another size or withdrawn, in bytes and ascending order, if
     * a call may still have such an effect. They count for quotas until they are settled: a later expansion succeeds, or the
     * plugin refuses this size permanently. At most {@link #MOST_UNSETTLED_TARGETS}; the smallest are dropped first.
     */
    public List<Long> unsettledTargets() {
        return unsettledTargets;
    }

    /**
     * Returns the bytes that a quota counts for the volume: the greatest of the required bytes of its specification, of
     * the size that the storage provider reported, and of the size of each expansion that is not settled.
     */
    public long countedBytes() {
        long asked = spec.capacityRange().map(CapacityRange::requiredBytes).orElse(0L);
        long requested = expansion == null ? 0 : expansion.range().requiredBytes();
        long earlier = unsettledTargets.isEmpty() ? 0 : unsettledTargets.get(unsettledTargets.size() - 1);
        return Math.max(Math.max(asked, requested), Math.max(earlier, facts.capacityBytes()));
    }

    /** Returns the index of the command that added the volume to the state. */
    public long createIndex() {
        return createIndex;
    }

    /** Returns the index of the last command that changed the volume. */
    public long modifyIndex() {
        return modifyIndex;
    }

    /** Returns the time of the command that added the volume to the state. */
    public Instant createdAt() {
        return createdAt;
    }

    /** Returns the time of the last command that changed the volume. */
    public Instant modifiedAt() {
        return modifiedAt;
    }

    /**
     * Returns the storage provider's id of the volume: the declared one, the one that the provider reported, or, if the
     * volume was registered without an external id, the volume id of its key. The pair of plugin and external id is
     * unique.
     *
     * @return empty while the volume is being created and its id is not known yet
     */
    public Optional<ExternalVolumeId> externalVolumeId() {
        Optional<ExternalVolumeId> reported = facts.externalVolumeId().or(spec::externalVolumeId);
        return reported.isPresent() || origin == VolumeOrigin.CREATED ? reported : Optional.of(fromVolumeId());
    }

    /** Returns the id of the volume in every call to a plugin: the external volume id, or else the volume id. */
    public ExternalVolumeId remoteId() {
        return facts.externalVolumeId().or(spec::externalVolumeId).orElseGet(this::fromVolumeId);
    }

    private ExternalVolumeId fromVolumeId() {
        return ExternalVolumeId.of(key.volumeId().value());
    }

    /**
     * Returns the declared name, or else the volume id. CreateVolume sends this name, and the plugin creates one volume
     * for each name.
     */
    public String name() {
        return spec.name().isEmpty() ? key.volumeId().value() : spec.name();
    }

    /**
     * Returns whether CreateVolume says for which volume of the host it is. It is decided when the creation is stored, so a
     * repeated call has the same fields after the profile of the plugin was changed (R29).
     */
    public boolean extraMetadata() {
        return extraMetadata;
    }

    /**
     * Returns the parameters of CreateVolume: those of the specification, and, with {@link #extraMetadata()}, the key of the
     * volume and its name. A volume that was given up keeps those of its former key. They are never shown in a text.
     */
    public Map<String, String> creationParameters() {
        if (!extraMetadata) {
            return spec.parameters();
        }
        VolumeKey requested = formerKey().orElse(key);
        Map<String, String> all = new HashMap<>(spec.parameters());
        all.put(CsiLimits.RESERVED_PREFIX + "pvc/name", requested.volumeId().value());
        all.put(
                CsiLimits.RESERVED_PREFIX + "pvc/namespace",
                requested.namespace().value());
        all.put(CsiLimits.RESERVED_PREFIX + "pv/name", name());
        return Map.copyOf(all);
    }

    /**
     * Returns the volume context for every call: for a created volume the context that the plugin returned, which never
     * changes (R57); for a registered volume the declared context, or else the one that the plugin returned; for
     * an inline volume its attributes. It is never shown in a text.
     */
    public VolumeContext volumeContext() {
        boolean declared =
                origin != VolumeOrigin.CREATED && !spec.volumeContext().isEmpty();
        return declared ? spec.volumeContext() : facts.volumeContext();
    }

    /** Returns the source of the volume's content, as the storage provider reported it, or else as declared. */
    public Optional<VolumeContentSource> contentSource() {
        return facts.contentSource().or(spec::contentSource);
    }

    /**
     * Returns the source from which the volume is being created, while CreateVolume may still need it: until the storage
     * provider has returned the volume, also if the volume is to be deleted already.
     */
    public Optional<VolumeContentSource> creationSource() {
        return phase != VolumePhase.AVAILABLE && externalVolumeId().isEmpty() ? spec.contentSource() : Optional.empty();
    }

    /**
     * Returns what the answers to the calls for an unfinished creation say about its future, for example that the plugin
     * has no room for the volume; IN_PROGRESS if the volume is not being created.
     */
    public CreationForecast creationForecast() {
        Optional<UnresolvedCall> call = phase == VolumePhase.CREATING ? retry.unresolved() : Optional.empty();
        if (call.filter(UnresolvedCall::unclear).isPresent()) {
            return CreationForecast.UNCLEAR;
        }
        return call.filter(UnresolvedCall::noRoom).isPresent()
                ? CreationForecast.NO_ROOM
                : CreationForecast.IN_PROGRESS;
    }

    /**
     * Returns whether allocations of a namespace may use the volume. True for the namespace of the volume, and for each
     * namespace with which the volume is shared.
     */
    public boolean usableIn(Namespace namespace) {
        return key.namespace().equals(namespace) || spec.sharedWith().contains(namespace);
    }

    /**
     * Returns the capability with which the volume is used now; all its claims have the same one. Empty if there are no
     * claims.
     */
    public Optional<RequestedCapability> currentCapability() {
        return claims.capability();
    }

    /** Returns whether the volume has a claim or an attachment. */
    public boolean inUse() {
        return !claims.isEmpty() || !attachments.isEmpty();
    }

    /**
     * Returns whether the controller still has to expand the volume (R82): an expansion is requested and not refused.
     */
    public boolean toBeExpanded() {
        return expansion()
                .filter(request -> request.stage() == Expansion.Stage.CONTROLLER)
                .filter(request -> !request.retry().refused())
                .isPresent();
    }

    /** Returns the requested expansion if it is to this range and at this stage. */
    public Optional<Expansion> expansionTo(CapacityRange range, Expansion.Stage stage) {
        return expansion().filter(request -> request.range().equals(range) && request.stage() == stage);
    }

    /** Returns whether the volume has a claim or an attachment on a node, or is made for a claim there. */
    public boolean isOn(NodeId nodeId) {
        return !claims.on(nodeId).isEmpty()
                || attachments.on(nodeId).isPresent()
                || (madeFor != null
                        && madeFor.firstClaim != null
                        && !madeFor.firstClaim.ended()
                        && madeFor.firstClaim.nodeId().equals(nodeId));
    }

    /** Returns the time when the workload ended that the volume outlives; empty if the volume is not retained. */
    public Optional<Instant> retainedSince() {
        return owner().flatMap(VolumeOwner::ofWorkload)
                .flatMap(VolumeOwner.OfWorkload::endedAt)
                .filter(ended -> classOrigin != null && classOrigin.reclaim() == ReclaimPolicy.RETAIN);
    }

    /** Returns whether an allocation claims the volume, or the volume is made for a claim of it, or belongs to it. */
    public boolean concerns(AllocationId allocationId) {
        return claims.get(allocationId).isPresent() || (madeFor != null && madeFor.concerns(allocationId));
    }

    /** Returns whether the volume was made for a claim, and is kept for it only until the claim takes it. */
    public boolean isUnused() {
        return madeFor != null && madeFor.firstClaim != null && !madeFor.firstClaim.keepUnused();
    }

    /**
     * Returns whether the volume has remaining work: a claim to release, an attachment to publish or to unpublish, an
     * attachment whose last call has an unknown outcome, a creation or deletion to finish, a requested change, a
     * verification, a lost volume for an operator, or an unused volume to delete if its claim does not come. The store has an index of the volumes with remaining work.
     */
    public boolean unsettled() {
        return phase != VolumePhase.AVAILABLE
                || claims.count(ClaimState.TAKEN) < claims.size()
                || attachments.unsettled() > 0
                || changing()
                || toBeVerified()
                || isLost()
                || isUnused();
    }

    /**
     * Returns whether the plugin still has to be called for a requested expansion or modification. A refused one does not count.
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
                && Objects.equals(classOrigin, that.classOrigin)
                && unsettledTargets.equals(that.unsettledTargets)
                && Objects.equals(madeFor, that.madeFor)
                && Objects.equals(verification, that.verification)
                && extraMetadata == that.extraMetadata
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
                + ", modification=" + modification + ", retry=" + retry + ", classOrigin=" + classOrigin
                + ", unsettledTargets=" + unsettledTargets
                + ", firstClaim=" + firstClaim().orElse(null) + ", owner=" + owner().orElse(null)
                + ", formerKey=" + formerKey().orElse(null)
                + ", verification=" + verification
                + ", extraMetadata=" + extraMetadata
                + ", createIndex=" + createIndex
                + ", modifyIndex=" + modifyIndex + "]";
    }

    /** For whom a volume is made. Most volumes have none of these values, and need no memory for them. */
    private record MadeFor(
            @Nullable FirstClaim firstClaim,
            @Nullable VolumeOwner owner,
            @Nullable VolumeKey formerKey) {
        static @Nullable MadeFor of(Builder builder) {
            return builder.firstClaim == null && builder.owner == null && builder.formerKey == null
                    ? null
                    : new MadeFor(builder.firstClaim, builder.owner, builder.formerKey);
        }

        boolean concerns(AllocationId allocationId) {
            return (firstClaim != null
                            && !firstClaim.ended()
                            && firstClaim.allocationId().equals(allocationId))
                    || (owner instanceof VolumeOwner.OfAllocation of
                            && of.allocationId().equals(allocationId));
        }
    }

    /** Builds {@link Volume}s. Not thread-safe. */
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
        private @Nullable ClassOrigin classOrigin;
        private List<Long> unsettledTargets = List.of();
        private @Nullable FirstClaim firstClaim;
        private @Nullable VolumeOwner owner;
        private @Nullable VolumeKey formerKey;
        private @Nullable Verification verification;
        private boolean extraMetadata;
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

        /** Sets the host's specification. */
        public Builder spec(VolumeSpec spec) {
            this.spec = Objects.requireNonNull(spec, "spec");
            return this;
        }

        /** Sets whether the volume was registered or created. Default: REGISTERED. */
        public Builder origin(VolumeOrigin origin) {
            this.origin = Objects.requireNonNull(origin, "origin");
            return this;
        }

        /** Sets the phase. Default: AVAILABLE. */
        public Builder phase(VolumePhase phase) {
            this.phase = Objects.requireNonNull(phase, "phase");
            return this;
        }

        /** Sets the facts that the storage provider reported. */
        public Builder facts(ProviderFacts facts) {
            this.facts = Objects.requireNonNull(facts, "facts");
            return this;
        }

        public Builder claims(Claims claims) {
            this.claims = Objects.requireNonNull(claims, "claims");
            return this;
        }

        /** Sets the attachments, including those that may exist because the outcome of a call is unknown. */
        public Builder attachments(Attachments attachments) {
            this.attachments = Objects.requireNonNull(attachments, "attachments");
            return this;
        }

        /** Sets the requested expansion; null if there is none. */
        public Builder expansion(@Nullable Expansion expansion) {
            this.expansion = expansion;
            return this;
        }

        /** Sets the requested change of parameters; null if there is none. */
        public Builder modification(@Nullable Modification modification) {
            this.modification = modification;
            return this;
        }

        /** Sets the failed attempts at the volume's creation or deletion. Default: {@link Retry#none()}. */
        public Builder retry(Retry retry) {
            this.retry = Objects.requireNonNull(retry, "retry");
            return this;
        }

        /** Sets the class from which the volume was made; null if it was made without a class. */
        public Builder classOrigin(@Nullable ClassOrigin classOrigin) {
            this.classOrigin = classOrigin;
            return this;
        }

        /**
         * Sets the {@link Volume#unsettledTargets()}.
         *
         * @param targets sizes in bytes, in any order; equal ones and those that are not above 0 are left out
         */
        public Builder unsettledTargets(Collection<Long> targets) {
            List<Long> sorted = targets.stream()
                    .filter(target -> target > 0)
                    .distinct()
                    .sorted()
                    .toList();
            this.unsettledTargets =
                    List.copyOf(sorted.subList(Math.max(0, sorted.size() - MOST_UNSETTLED_TARGETS), sorted.size()));
            return this;
        }

        /** Sets the claim for which the volume is made; null if there is none, or the volume was claimed. */
        public Builder firstClaim(@Nullable FirstClaim firstClaim) {
            this.firstClaim = firstClaim;
            return this;
        }

        /** Sets the allocation or workload to which the volume belongs; null for a persistent volume. */
        public Builder owner(@Nullable VolumeOwner owner) {
            this.owner = owner;
            return this;
        }

        /**
         * Sets the key in the same namespace under which the volume was to be made before it was given up; null if it was
         * not.
         */
        public Builder formerKey(@Nullable VolumeKey formerKey) {
            this.formerKey = formerKey;
            return this;
        }

        /** Sets what the storage provider has said since a restore of the state; null if it was not asked. */
        public Builder verification(@Nullable Verification verification) {
            this.verification = verification;
            return this;
        }

        /** Sets the {@link Volume#extraMetadata()}. Default: false. */
        public Builder extraMetadata(boolean extraMetadata) {
            this.extraMetadata = extraMetadata;
            return this;
        }

        /** Sets the index and the time of the last command that changed the volume. */
        public Builder modified(long index, Instant at) {
            this.modifyIndex = index;
            this.modifiedAt = Objects.requireNonNull(at, "at");
            return this;
        }

        public Volume build() {
            return new Volume(this);
        }
    }
}
