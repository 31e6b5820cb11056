package io.csi4j.core.rpc;

import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.VolumeStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A page of volumes; pages are no consistent cut: entries may repeat or be missing (CSI
 * {@code ListVolumes}, R70).
 */
public final class ListVolumesResponse extends CsiMessage {
    private final List<Entry> entries;
    private final String nextToken;

    private ListVolumesResponse(Builder builder) {
        this.entries = List.copyOf(builder.entries);
        this.nextToken = builder.nextToken;
    }

    /**
     * A builder.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.entries = entries;
        builder.nextToken = nextToken;
        return builder;
    }

    /**
     * The volumes of this page.
     *
     * @return the value, never null
     */
    public List<Entry> entries() {
        return entries;
    }

    /**
     * Where the next page begins; empty after the last page.
     *
     * @return the value, never null
     */
    public String nextToken() {
        return nextToken;
    }

    /**
     * One volume of the page.
     *
     * @param volume the volume
     * @param status where it is published and its condition, if the plugin tells
     */
    public record Entry(ExternalVolume volume, Optional<VolumeStatus> status) {
        /** Checks that both parts are there. */
        public Entry {
            Objects.requireNonNull(volume, "volume");
            Objects.requireNonNull(status, "status");
        }
    }

    @Override
    void describe(Fields fields) {
        fields.add("entries", entries);
        fields.add("nextToken", nextToken);
    }

    /** Builds {@link ListVolumesResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private List<Entry> entries = List.of();
        private String nextToken = "";

        private Builder() {}

        /**
         * Sets: the volumes of this page.
         *
         * @param entries the value
         * @return this
         */
        public Builder entries(List<Entry> entries) {
            this.entries = Objects.requireNonNull(entries, "entries");
            return this;
        }

        /**
         * Sets: where the next page begins; empty after the last page.
         *
         * @param nextToken the value
         * @return this
         */
        public Builder nextToken(String nextToken) {
            this.nextToken = Objects.requireNonNull(nextToken, "nextToken");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public ListVolumesResponse build() {
            return new ListVolumesResponse(this);
        }
    }
}
