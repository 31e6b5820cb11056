package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The node as the provider knows it (CSI {@code NodeGetInfo}, R93).
 */
public final class NodeGetInfoResponse extends CsiMessage {
    private final ExternalNodeId nodeId;
    private final long maxVolumesPerNode;
    private final @Nullable Topology accessibleTopology;

    private NodeGetInfoResponse(Builder builder) {
        this.nodeId = builder.nodeId;
        this.maxVolumesPerNode = builder.maxVolumesPerNode;
        this.accessibleTopology = builder.accessibleTopology;
    }

    /**
     * A builder with what is required.
     *
     * @param nodeId the provider's id of this node
     * @return a new builder
     */
    public static Builder builder(ExternalNodeId nodeId) {
        Builder builder = new Builder();
        builder.nodeId(nodeId);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.nodeId = nodeId;
        builder.maxVolumesPerNode = maxVolumesPerNode;
        builder.accessibleTopology = accessibleTopology;
        return builder;
    }

    /**
     * The provider's id of this node.
     *
     * @return the value, never null
     */
    public ExternalNodeId nodeId() {
        return nodeId;
    }

    /**
     * The most volumes that can be attached; 0 for the caller's choice.
     *
     * @return the value
     */
    public long maxVolumesPerNode() {
        return maxVolumesPerNode;
    }

    /**
     * Where the node is; absent where the provider does not restrict it.
     *
     * @return the value; empty: not given
     */
    public Optional<Topology> accessibleTopology() {
        return Optional.ofNullable(accessibleTopology);
    }

    @Override
    void describe(Fields fields) {
        fields.add("nodeId", nodeId);
        fields.add("maxVolumesPerNode", maxVolumesPerNode);
        fields.add("accessibleTopology", accessibleTopology);
    }

    /** Builds {@link NodeGetInfoResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private ExternalNodeId nodeId;

        private long maxVolumesPerNode;
        private @Nullable Topology accessibleTopology;

        private Builder() {}

        /**
         * Sets: the provider's id of this node.
         *
         * @param nodeId the value
         * @return this
         */
        public Builder nodeId(ExternalNodeId nodeId) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            return this;
        }

        /**
         * Sets: the most volumes that can be attached; 0 for the caller's choice.
         *
         * @param maxVolumesPerNode the value
         * @return this
         */
        public Builder maxVolumesPerNode(long maxVolumesPerNode) {
            this.maxVolumesPerNode = maxVolumesPerNode;
            return this;
        }

        /**
         * Sets: where the node is; absent where the provider does not restrict it.
         *
         * @param accessibleTopology the value
         * @return this
         */
        public Builder accessibleTopology(Topology accessibleTopology) {
            this.accessibleTopology = Objects.requireNonNull(accessibleTopology, "accessibleTopology");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public NodeGetInfoResponse build() {
            return new NodeGetInfoResponse(this);
        }
    }
}
