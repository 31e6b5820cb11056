package io.csi4j.core.rpc;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;

/**
 * Asks the plugin for a page of abnormal volumes (CSI {@code ControllerListVolumeHealth}, alpha, since CSI 1.13, R104).
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

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the largest number of entries in the response; 0 for no limit (R70). */
    public int maxEntries() {
        return maxEntries;
    }

    /** Returns the token of the next page from an earlier response; empty for the first page. */
    public String startingToken() {
        return startingToken;
    }

    /** Returns the secrets of the call (R35). */
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
        public ControllerListVolumeHealthRequest build() {
            return new ControllerListVolumeHealthRequest(this);
        }
    }
}
