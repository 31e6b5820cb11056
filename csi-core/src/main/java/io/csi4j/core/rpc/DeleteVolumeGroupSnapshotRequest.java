package io.csi4j.core.rpc;

import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import java.util.List;
import java.util.Objects;

/** Asks the plugin to delete a group snapshot with all its members (CSI {@code DeleteVolumeGroupSnapshot}, R100). */
public final class DeleteVolumeGroupSnapshotRequest extends CsiRequest {
    private final GroupSnapshotId groupSnapshotId;
    private final List<SnapshotId> snapshotIds;
    private final Secrets secrets;

    private DeleteVolumeGroupSnapshotRequest(Builder builder) {
        this.groupSnapshotId = builder.groupSnapshotId;
        this.snapshotIds = List.copyOf(builder.snapshotIds);
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("DeleteVolumeGroupSnapshotRequest");
        check.notEmpty("snapshotIds", snapshotIds);
        check.secrets(secrets);
        check.done();
    }

    /**
     * Returns a builder with the required fields.
     *
     * @param groupSnapshotId the group snapshot
     * @param snapshotIds all members of the group (R100)
     */
    public static Builder builder(GroupSnapshotId groupSnapshotId, List<SnapshotId> snapshotIds) {
        Builder builder = new Builder();
        builder.groupSnapshotId(groupSnapshotId);
        builder.snapshotIds(snapshotIds);
        return builder;
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.groupSnapshotId = groupSnapshotId;
        builder.snapshotIds = snapshotIds;
        builder.secrets = secrets;
        return builder;
    }

    /** Returns the group snapshot. */
    public GroupSnapshotId groupSnapshotId() {
        return groupSnapshotId;
    }

    /** Returns all members of the group (R100). */
    public List<SnapshotId> snapshotIds() {
        return snapshotIds;
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("groupSnapshotId", groupSnapshotId);
        fields.add("snapshotIds", snapshotIds);
        fields.add("secrets", secrets);
    }

    /** Builds {@link DeleteVolumeGroupSnapshotRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        @SuppressWarnings("NullAway.Init") // set by builder(...) or toBuilder()
        private GroupSnapshotId groupSnapshotId;

        private List<SnapshotId> snapshotIds = List.of();
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the group snapshot. */
        public Builder groupSnapshotId(GroupSnapshotId groupSnapshotId) {
            this.groupSnapshotId = Objects.requireNonNull(groupSnapshotId, "groupSnapshotId");
            return this;
        }

        /** Sets all members of the group (R100). */
        public Builder snapshotIds(List<SnapshotId> snapshotIds) {
            this.snapshotIds = Objects.requireNonNull(snapshotIds, "snapshotIds");
            return this;
        }

        /** Sets the secrets of the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * Builds the request.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; the message lists all problems
         */
        public DeleteVolumeGroupSnapshotRequest build() {
            return new DeleteVolumeGroupSnapshotRequest(this);
        }
    }
}
