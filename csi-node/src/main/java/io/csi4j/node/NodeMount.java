package io.csi4j.node;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeGrant;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.internal.ledger.MountTerms;
import java.util.Objects;

/** A volume that an allocation wants at a path of its node. Immutable; shows nothing sensitive. */
public final class NodeMount {
    private final NodeVolumeId id;
    private final AllocationId allocationId;
    private final MountTerms terms;
    private final MountSecrets secrets;

    private NodeMount(Builder builder) {
        this.id = builder.id;
        this.allocationId = builder.allocationId;
        this.terms = new MountTerms(
                builder.capability,
                builder.mountOptions,
                builder.readonly || builder.capability.accessMode().readerOnly(),
                builder.publishContext,
                builder.volumeContext);
        this.secrets = new MountSecrets(builder.stageSecrets, builder.publishSecrets);
    }

    /**
     * A builder with what is required.
     *
     * @param id the volume
     * @param allocationId who uses it
     * @param capability how
     * @return a new builder
     */
    public static Builder builder(NodeVolumeId id, AllocationId allocationId, RequestedCapability capability) {
        return new Builder(id, allocationId, capability);
    }

    /**
     * What a granted claim asks of the node.
     *
     * @param grant the grant
     * @return the mount; readonly if the claim only reads
     */
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
                .publishContext(grant.publishContext())
                .volumeContext(grant.view().volume().volumeContext())
                .stageSecrets(grant.stageSecrets())
                .publishSecrets(grant.publishSecrets())
                .build();
    }

    /**
     * The volume.
     *
     * @return never null
     */
    public NodeVolumeId id() {
        return id;
    }

    /**
     * The volume's name with the host.
     *
     * @return never null
     */
    public VolumeKey volume() {
        return id.volume();
    }

    /**
     * The plugin.
     *
     * @return never null
     */
    public PluginId pluginId() {
        return id.pluginId();
    }

    /**
     * What stands for the volume in every call.
     *
     * @return never null
     */
    public ExternalVolumeId externalVolumeId() {
        return id.externalVolumeId();
    }

    /**
     * Who uses it.
     *
     * @return never null
     */
    public AllocationId allocationId() {
        return allocationId;
    }

    /**
     * Whether this use may only read; so may every use with an access mode for readers.
     *
     * @return true if the target is published readonly
     */
    public boolean readonly() {
        return terms.readonly();
    }

    /**
     * The access mode and the attachment mode.
     *
     * @return never null
     */
    public RequestedCapability capability() {
        return terms.capability();
    }

    /**
     * The effective mount options.
     *
     * @return none for a block device
     */
    public MountOptions mountOptions() {
        return terms.mountOptions();
    }

    /**
     * The answer of ControllerPublishVolume (R63).
     *
     * @return empty where the controller does not publish
     */
    public PublishContext publishContext() {
        return terms.publishContext();
    }

    /**
     * The context that the provider gave the volume at creation (R57).
     *
     * @return possibly empty
     */
    public VolumeContext volumeContext() {
        return terms.volumeContext();
    }

    /**
     * The secrets of NodeStageVolume and NodePublishVolume; they are never written anywhere.
     *
     * @return possibly empty ones
     */
    public MountSecrets secrets() {
        return secrets;
    }

    @Override
    public String toString() {
        return "NodeMount[" + id + ", allocation " + allocationId + ", " + terms + "]";
    }

    /** Builds {@link NodeMount}s. Not safe for use by several threads. */
    public static final class Builder {
        private final NodeVolumeId id;
        private final AllocationId allocationId;
        private final RequestedCapability capability;
        private MountOptions mountOptions = MountOptions.none();
        private boolean readonly;
        private PublishContext publishContext = PublishContext.empty();
        private VolumeContext volumeContext = VolumeContext.empty();
        private Secrets stageSecrets = Secrets.empty();
        private Secrets publishSecrets = Secrets.empty();

        private Builder(NodeVolumeId id, AllocationId allocationId, RequestedCapability capability) {
            this.id = Objects.requireNonNull(id, "id");
            this.allocationId = Objects.requireNonNull(allocationId, "allocationId");
            this.capability = Objects.requireNonNull(capability, "capability");
        }

        /**
         * Sets the effective mount options: the volume's with the request's on top (S23).
         *
         * @param mountOptions of no account for a block device
         * @return this
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets whether this use may only read.
         *
         * @param readonly true: the target is published readonly
         * @return this
         */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
            return this;
        }

        /**
         * Sets what ControllerPublishVolume answered (R63). It is kept in the ledger, since a replay needs it (R29).
         *
         * @param publishContext empty where the controller does not publish
         * @return this
         */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /**
         * Sets what the provider answered at creation (R57). It is kept in the ledger, since a replay needs it.
         *
         * @param volumeContext possibly empty
         * @return this
         */
        public Builder volumeContext(VolumeContext volumeContext) {
            this.volumeContext = Objects.requireNonNull(volumeContext, "volumeContext");
            return this;
        }

        /**
         * Sets what authenticates NodeStageVolume. Never written anywhere.
         *
         * @param stageSecrets possibly empty
         * @return this
         */
        public Builder stageSecrets(Secrets stageSecrets) {
            this.stageSecrets = Objects.requireNonNull(stageSecrets, "stageSecrets");
            return this;
        }

        /**
         * Sets what authenticates NodePublishVolume. Never written anywhere.
         *
         * @param publishSecrets possibly empty
         * @return this
         */
        public Builder publishSecrets(Secrets publishSecrets) {
            this.publishSecrets = Objects.requireNonNull(publishSecrets, "publishSecrets");
            return this;
        }

        /**
         * The request.
         *
         * @return a new value
         */
        public NodeMount build() {
            return new NodeMount(this);
        }
    }
}
