package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.UseId;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request to mount a volume for an allocation on its node. An allocation may have several mounts of a volume, each at
 * its own target, with its own flags and its own mode; {@link #forRequests} makes them from the grant of their one
 * claim. Immutable; {@code toString} shows nothing sensitive.
 */
public final class NodeMount {
    private final NodeVolumeId id;
    private final UseId use;
    private final boolean numberProposed;
    private final MountTerms terms;
    private final MountSecrets secrets;
    private final RepublishOptions republish;

    /** Creates a mount with a proposed number. */
    private NodeMount(NodeVolumeId id, UseId use, MountTerms terms, MountSecrets secrets, RepublishOptions republish) {
        this.id = id;
        this.use = use;
        this.numberProposed = true;
        this.terms = terms;
        this.secrets = secrets;
        this.republish = republish;
    }

    private NodeMount(Builder builder) {
        this.id = builder.id;
        this.use = new UseId(builder.allocationId, builder.number);
        this.numberProposed = false;
        this.terms = new MountTerms(
                builder.capability,
                builder.mountOptions,
                builder.targetFlags == null ? builder.mountOptions.mountFlags() : builder.targetFlags,
                builder.readonly || builder.capability.accessMode().readerOnly(),
                builder.publishContext,
                builder.volumeContext,
                Optional.ofNullable(builder.externalNodeId),
                builder.inline,
                builder.workloadInfo,
                builder.labelByMount,
                builder.ownershipSettings);
        this.secrets = new MountSecrets(builder.stageSecrets, builder.publishSecrets);
        this.republish = builder.republish;
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param id the volume
     * @param allocationId the allocation that uses the volume
     * @param capability how the allocation uses the volume: the access mode, and block device or file system
     */
    public static Builder builder(NodeVolumeId id, AllocationId allocationId, RequestedCapability capability) {
        return new Builder(id, allocationId, capability);
    }

    /** Returns the mount requests of a claim, in the order of its volumes. Cancelling the future cancels the claim. */
    static CompletableFuture<List<NodeMount>> granted(CompletableFuture<ClaimGrant> claim) {
        return Futures.map(
                claim, grant -> grant.volumes().stream().map(NodeMount::of).toList());
    }

    /** Returns the mount request for a granted claim; it is read-only if the claim is for reading. */
    public static NodeMount of(VolumeGrant grant) {
        return builder(
                        new NodeVolumeId(
                                grant.view().volume().key(),
                                grant.view().volume().pluginId(),
                                grant.view().volume().remoteId()),
                        grant.claim().allocationId(),
                        grant.claim().capability())
                .mountOptions(grant.mountOptions())
                .readonly(grant.claim().mode() == ClaimMode.READ)
                .externalNodeId(grant.claim().externalNodeId().orElse(null))
                .publishContext(grant.publishContext())
                .volumeContext(grant.view().volume().volumeContext())
                .stageSecrets(grant.stageSecrets())
                .publishSecrets(grant.publishSecrets())
                .inline(grant.view().volume().isInline())
                .workloadInfo(grant.workloadInfo())
                .republish(grant.republish())
                .labelByMount(grant.labelByMount())
                .ownershipSettings(grant.ownershipSettings())
                .build();
    }

    /**
     * Returns the mounts for all requests of the allocation for this volume, if this is the mount of their {@linkplain
     * ClaimRequest#merged merged} claim. Each mount has the mode of its request, and its flags if it has some. Equal
     * requests get the same mount.
     *
     * <p>The numbers of the mounts are proposals. A mount that the allocation has already keeps its target, whatever
     * other mounts are requested now, and in which order.
     *
     * @param requests the requests; those for other volumes are ignored
     * @return the mounts by their requests, in the order of the requests; one request gets the terms of this mount
     */
    public Map<ClaimRequest, NodeMount> forRequests(List<ClaimRequest> requests) {
        Set<ClaimRequest> mine = new LinkedHashSet<>(requests);
        mine.removeIf(request -> !request.volume().equals(volume()));
        Map<ClaimRequest, NodeMount> mounts = new LinkedHashMap<>();
        if (mine.size() == 1) {
            return Map.of(mine.iterator().next(), new NodeMount(id, use, terms, secrets, republish));
        }
        // A mount that writes has the lowest number: earlier versions made only that mount, and it may still exist.
        List<ClaimRequest> numbered = mine.stream()
                .sorted(Comparator.comparing(request -> request.mode() == ClaimMode.READ))
                .toList();
        mine.forEach(request -> mounts.put(request, forRequest(request, numbered.indexOf(request))));
        return Collections.unmodifiableMap(mounts);
    }

    private NodeMount forRequest(ClaimRequest request, int number) {
        MountFlags own = request.mountOptions().mountFlags();
        MountTerms target = new MountTerms(
                terms.capability(),
                terms.mountOptions(),
                own.isEmpty() ? terms.mountOptions().mountFlags() : own,
                terms.readonly() || request.mode() == ClaimMode.READ,
                terms.publishContext(),
                terms.volumeContext(),
                terms.machine(),
                terms.inline(),
                terms.workloadInfo(),
                terms.labelByMount(),
                terms.ownershipSettings());
        return new NodeMount(id, new UseId(allocationId(), number), target, secrets, republish);
    }

    public NodeVolumeId id() {
        return id;
    }

    /** Returns the number of this mount among those of the allocation for the volume, from 0. */
    public int number() {
        return use.number();
    }

    /**
     * Returns whether the node may choose another number: that of an equal mount that the allocation has, or a free
     * one. True for the mounts of {@link #forRequests}; the number of a {@link Builder} is fixed.
     */
    public boolean numberProposed() {
        return numberProposed;
    }

    /** Returns the host's key of the volume. */
    public VolumeKey volume() {
        return id.volume();
    }

    public PluginId pluginId() {
        return id.pluginId();
    }

    /** Returns the external id of the volume, which every call contains. */
    public ExternalVolumeId externalVolumeId() {
        return id.externalVolumeId();
    }

    /** Returns the allocation that uses the volume. */
    public AllocationId allocationId() {
        return use.allocationId();
    }

    /** Returns whether the target is published read-only; always true for an access mode that permits only readers. */
    public boolean readonly() {
        return terms.readonly();
    }

    /** Returns the access mode and the attachment mode. */
    public RequestedCapability capability() {
        return terms.capability();
    }

    /** Returns the effective mount options, with which the volume is staged; empty for a block device. */
    public MountOptions mountOptions() {
        return terms.mountOptions();
    }

    /** Returns the flags with which the target is published; empty for a block device. */
    public MountFlags targetFlags() {
        return terms.targetFlags();
    }

    /**
     * Returns the context from the response of ControllerPublishVolume (R63); empty if the controller does not publish.
     */
    public PublishContext publishContext() {
        return terms.publishContext();
    }

    /**
     * Returns the external id of the machine for which the claim was granted; empty if it is not known. A machine whose
     * plugin reports another id refuses the request.
     */
    public Optional<ExternalNodeId> externalNodeId() {
        return terms.machine();
    }

    /**
     * Returns whether the plugin makes the content of the volume where it is published. Such a volume is not staged, and is
     * unpublished for each publication in the ledger, whatever the mount table says.
     */
    public boolean inline() {
        return terms.inline();
    }

    /**
     * Returns the context that the provider returned when the volume was created (R57), or the attributes of an inline
     * volume.
     */
    public VolumeContext volumeContext() {
        return terms.volumeContext();
    }

    /** Returns what NodePublishVolume gets in its volume context beside {@link #volumeContext()}; mostly empty. */
    public VolumeContext workloadInfo() {
        return terms.workloadInfo();
    }

    /** Returns how often the mounted volume is published again, and with which tokens. */
    public RepublishOptions republish() {
        return republish;
    }

    /** Returns whether the plugin gets the security label of the mount options as a mount flag, if they have one. */
    public boolean labelByMount() {
        return terms.labelByMount();
    }

    /** Returns how the node gives the files to the group of the mount options, if the plugin cannot. */
    public OwnershipSettings ownershipSettings() {
        return terms.ownershipSettings();
    }

    /** Returns the secrets of NodeStageVolume and NodePublishVolume, which are never written to disk. */
    public MountSecrets secrets() {
        return secrets;
    }

    @Override
    public String toString() {
        return "NodeMount[" + id + ", allocation " + allocationId() + ", " + terms + "]";
    }

    /** Builds {@link NodeMount}s. Not thread-safe. */
    public static final class Builder {
        private final NodeVolumeId id;
        private final AllocationId allocationId;
        private final RequestedCapability capability;
        private MountOptions mountOptions = MountOptions.none();
        private @Nullable MountFlags targetFlags;
        private int number;
        private boolean readonly;
        private @Nullable ExternalNodeId externalNodeId;
        private PublishContext publishContext = PublishContext.empty();
        private VolumeContext volumeContext = VolumeContext.empty();
        private Secrets stageSecrets = Secrets.empty();
        private Secrets publishSecrets = Secrets.empty();
        private boolean inline;
        private VolumeContext workloadInfo = VolumeContext.empty();
        private RepublishOptions republish = RepublishOptions.none();
        private boolean labelByMount;
        private OwnershipSettings ownershipSettings = OwnershipSettings.ofDefaults();

        private Builder(NodeVolumeId id, AllocationId allocationId, RequestedCapability capability) {
            this.id = Objects.requireNonNull(id, "id");
            this.allocationId = Objects.requireNonNull(allocationId, "allocationId");
            this.capability = Objects.requireNonNull(capability, "capability");
        }

        /**
         * Sets the effective mount options: the options of the volume, overridden by the options of the claim request.
         *
         * @param mountOptions ignored for a block device
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets the flags with which the target is published, if they are others than those of the staging.
         *
         * @param targetFlags ignored for a block device
         */
        public Builder targetFlags(MountFlags targetFlags) {
            this.targetFlags = Objects.requireNonNull(targetFlags, "targetFlags");
            return this;
        }

        /**
         * Sets the number of this mount among those of the allocation for the volume. Each number has its own target.
         *
         * @param number from 0, which is the default
         * @throws IllegalArgumentException if the number is negative
         */
        public Builder number(int number) {
            this.number = new UseId(allocationId, number).number();
            return this;
        }

        /** Sets whether the target is published read-only. */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
            return this;
        }

        /**
         * Sets the context from the response of ControllerPublishVolume (R63). The context is stored in the ledger, because a repeated call
         * has to contain it (R29).
         *
         * @param publishContext empty if the controller does not publish
         */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /**
         * Sets the context that the provider returned when the volume was created (R57). The ledger keeps it, because a repeated call needs it.
         */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Sets the external id of the machine for which the volume was published.
         *
         * @param externalNodeId null if it is not known; every machine then accepts the request
         */
        public Builder externalNodeId(@Nullable ExternalNodeId externalNodeId) {
            this.externalNodeId = externalNodeId;
            return this;
        }

        /** Sets the secrets of NodeStageVolume, which are never written to disk. */
        public Builder stageSecrets(Secrets stageSecrets) {
            this.stageSecrets = Objects.requireNonNull(stageSecrets, "stageSecrets");
            return this;
        }

        /** Sets the secrets of NodePublishVolume, which are never written to disk. */
        public Builder publishSecrets(Secrets publishSecrets) {
            this.publishSecrets = Objects.requireNonNull(publishSecrets, "publishSecrets");
            return this;
        }

        /** Sets whether the plugin makes the content of the volume where it is published. Default: false. */
        public Builder inline(boolean inline) {
            this.inline = inline;
            return this;
        }

        /**
         * Sets what NodePublishVolume gets in its volume context beside that of the volume. The ledger keeps it before the
         * first call, so a later request for the same mount with other information changes no call. A key that the volume
         * context has with another value makes the mount fail with {@link NodeVolumeException.Reason#UNSUPPORTED}.
         */
        public Builder workloadInfo(VolumeContext workloadInfo) {
            this.workloadInfo = Objects.requireNonNull(workloadInfo, "workloadInfo");
            return this;
        }

        /**
         * Sets how often NodePublishVolume is called again for the mounted volume, and with which tokens. Unlike other
         * values, a later request for the same mount replaces it: it counts from the next call. Default: one call without
         * tokens.
         *
         * @throws IllegalArgumentException if the options have {@linkplain RepublishOptions#problems problems}
         */
        public Builder republish(RepublishOptions republish) {
            if (!republish.problems().isEmpty()) {
                throw new IllegalArgumentException("NodeMount: republish cannot be used: " + republish.problems());
            }
            this.republish = republish;
            return this;
        }

        /**
         * Sets whether the plugin gets the security label of the mount options as a mount flag. The first mount of a volume
         * decides it for all others until the volume is unmounted here, so that a changed profile changes no staging. Default:
         * false; the host then gives the files their label, or none.
         */
        public Builder labelByMount(boolean labelByMount) {
            this.labelByMount = labelByMount;
            return this;
        }

        /**
         * Sets how the node gives the files to the group of the mount options, if the plugin cannot. The ledger keeps it before
         * the first call, so a later request for the same mount with other settings changes nothing. Default: the node may
         * change all files.
         *
         * @throws IllegalArgumentException if the settings have {@linkplain OwnershipSettings#problems problems}
         */
        public Builder ownershipSettings(OwnershipSettings ownershipSettings) {
            if (!ownershipSettings.problems().isEmpty()) {
                throw new IllegalArgumentException(
                        "NodeMount: ownershipSettings cannot be used: " + ownershipSettings.problems());
            }
            this.ownershipSettings = ownershipSettings;
            return this;
        }

        public NodeMount build() {
            return new NodeMount(this);
        }
    }
}
