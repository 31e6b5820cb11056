package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Asks the plugin for a page of snapshots (CSI {@code ListSnapshots}, R81). */
public final class ListSnapshotsRequest extends CsiRequest {
    private final int maxEntries;
    private final String startingToken;
    private final @Nullable ExternalVolumeId sourceVolumeId;
    private final @Nullable SnapshotId snapshotId;
    private final Secrets secrets;

    private ListSnapshotsRequest(Builder builder) {
        this.maxEntries = builder.maxEntries;
        this.startingToken = builder.startingToken;
        this.sourceVolumeId = builder.sourceVolumeId;
        this.snapshotId = builder.snapshotId;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("ListSnapshotsRequest");
        check.notNegative("maxEntries", maxEntries);
        check.secrets(secrets);
        check.done();
    }

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.maxEntries = maxEntries;
        builder.startingToken = startingToken;
        builder.sourceVolumeId = sourceVolumeId;
        builder.snapshotId = snapshotId;
        builder.secrets = secrets;
        return builder;
    }

    /** Returns the largest number of entries in the response; 0 for no limit (R70). */
    public int maxEntries() {
        return maxEntries;
    }

    /** Returns the token of the next page from an earlier response; empty for the first page. */
    public String startingToken() {
        return startingToken;
    }

    /** Returns the volume whose snapshots are listed; empty for the snapshots of all volumes. */
    public Optional<ExternalVolumeId> sourceVolumeId() {
        return Optional.ofNullable(sourceVolumeId);
    }

    /** Returns the id of the one snapshot to list; empty if the list is not restricted to one snapshot. */
    public Optional<SnapshotId> snapshotId() {
        return Optional.ofNullable(snapshotId);
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("maxEntries", maxEntries);
        fields.add("startingToken", startingToken);
        fields.add("sourceVolumeId", sourceVolumeId);
        fields.add("snapshotId", snapshotId);
        fields.add("secrets", secrets);
    }

    /** Builds {@link ListSnapshotsRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private int maxEntries;
        private String startingToken = "";
        private @Nullable ExternalVolumeId sourceVolumeId;
        private @Nullable SnapshotId snapshotId;
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets the largest number of entries in the response; 0 for no limit (R70). */
        public Builder maxEntries(int maxEntries) {
            this.maxEntries = maxEntries;
            return this;
        }

        /** Sets the token of the next page from an earlier response; empty for the first page. */
        public Builder startingToken(String startingToken) {
            this.startingToken = Objects.requireNonNull(startingToken, "startingToken");
            return this;
        }

        /** Sets the volume whose snapshots are listed. If it is not set, the snapshots of all volumes are listed. */
        public Builder sourceVolumeId(ExternalVolumeId sourceVolumeId) {
            this.sourceVolumeId = Objects.requireNonNull(sourceVolumeId, "sourceVolumeId");
            return this;
        }

        /**
         * Restricts the list to the snapshot with the given id. Without this call, the list is not restricted to one
         * snapshot.
         */
        public Builder snapshotId(SnapshotId snapshotId) {
            this.snapshotId = Objects.requireNonNull(snapshotId, "snapshotId");
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
        public ListSnapshotsRequest build() {
            return new ListSnapshotsRequest(this);
        }
    }
}
