package io.csi4j.core.rpc;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;

/**
 * Asks for a page of abnormal volumes (CSI {@code ControllerListVolumeHealth}, alpha, since 1.13, R104).
 */
public final class ControllerListVolumeHealthRequest extends CsiRequest {
    private final int maxEntries;
    private final String startingToken;
    private final Secrets secrets;

    private ControllerListVolumeHealthRequest(Builder builder) {
        this.maxEntries = builder.maxEntries;
        this.startingToken = builder.startingToken;
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("ControllerListVolumeHealthRequest");
        check.notNegative("maxEntries", maxEntries);
        check.secrets(secrets);
        check.done();
    }

    /** A builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** The most entries the answer may hold; 0 for no limit (R70). */
    public int maxEntries() {
        return maxEntries;
    }

    /** Where to go on, as an earlier answer told; empty to begin. */
    public String startingToken() {
        return startingToken;
    }

    /** What authenticates the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("maxEntries", maxEntries);
        fields.add("startingToken", startingToken);
        fields.add("secrets", secrets);
    }

    /** Builds {@link ControllerListVolumeHealthRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private int maxEntries;
        private String startingToken = "";
        private Secrets secrets = Secrets.empty();

        private Builder() {}

        /** Sets: the most entries the answer may hold; 0 for no limit (R70). */
        public Builder maxEntries(int maxEntries) {
            this.maxEntries = maxEntries;
            return this;
        }

        /** Sets: where to go on, as an earlier answer told; empty to begin. */
        public Builder startingToken(String startingToken) {
            this.startingToken = Objects.requireNonNull(startingToken, "startingToken");
            return this;
        }

        /** Sets: what authenticates the call (R35). */
        public Builder secrets(Secrets secrets) {
            this.secrets = Objects.requireNonNull(secrets, "secrets");
            return this;
        }

        /**
         * The value built so far.
         *
         * @throws io.csi4j.core.call.CsiRequestException if the request breaks a rule of CSI; all problems are named
         */
        public ControllerListVolumeHealthRequest build() {
            return new ControllerListVolumeHealthRequest(this);
        }
    }
}
