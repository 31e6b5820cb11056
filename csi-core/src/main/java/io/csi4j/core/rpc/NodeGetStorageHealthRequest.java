package io.csi4j.core.rpc;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;

/**
 * Asks the plugin for the health of the storage backends (CSI {@code NodeGetStorageHealth}, alpha, since CSI 1.13,
 * R104).
 */
public final class NodeGetStorageHealthRequest extends CsiRequest {
    private final Secrets secrets;

    private NodeGetStorageHealthRequest(Builder builder) {
        this.secrets = builder.secrets;
        RequestCheck check = new RequestCheck("NodeGetStorageHealthRequest");
        check.secrets(secrets);
        check.done();
    }

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the secrets of the call (R35). */
    public Secrets secrets() {
        return secrets;
    }

    @Override
    void describe(Fields fields) {
        fields.add("secrets", secrets);
    }

    /** Builds {@link NodeGetStorageHealthRequest}s. Not safe for use by several threads. */
    public static final class Builder {
        private Secrets secrets = Secrets.empty();

        private Builder() {}

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
        public NodeGetStorageHealthRequest build() {
            return new NodeGetStorageHealthRequest(this);
        }
    }
}
