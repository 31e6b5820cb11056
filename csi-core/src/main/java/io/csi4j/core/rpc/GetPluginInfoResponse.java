package io.csi4j.core.rpc;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Who the plugin is (CSI {@code GetPluginInfo}, R37).
 */
public final class GetPluginInfoResponse extends CsiMessage {
    private final String name;
    private final String vendorVersion;
    private final Map<String, String> manifest;

    private GetPluginInfoResponse(Builder builder) {
        this.name = builder.name;
        this.vendorVersion = builder.vendorVersion;
        this.manifest = Collections.unmodifiableMap(new LinkedHashMap<>(builder.manifest));
    }

    /**
     * A builder with what is required.
     *
     * @param name the plugin's name in domain notation (R19)
     * @param vendorVersion the vendor's version; opaque
     * @return a new builder
     */
    public static Builder builder(String name, String vendorVersion) {
        Builder builder = new Builder();
        builder.name(name);
        builder.vendorVersion(vendorVersion);
        return builder;
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.name = name;
        builder.vendorVersion = vendorVersion;
        builder.manifest = manifest;
        return builder;
    }

    /**
     * The plugin's name in domain notation (R19).
     *
     * @return the value, never null
     */
    public String name() {
        return name;
    }

    /**
     * The vendor's version; opaque.
     *
     * @return the value, never null
     */
    public String vendorVersion() {
        return vendorVersion;
    }

    /**
     * Whatever else the vendor tells.
     *
     * @return the value, never null
     */
    public Map<String, String> manifest() {
        return manifest;
    }

    @Override
    void describe(Fields fields) {
        fields.add("name", name);
        fields.add("vendorVersion", vendorVersion);
        fields.add("manifest", manifest);
    }

    /** Builds {@link GetPluginInfoResponse}s. Not safe for use by several threads. */
    public static final class Builder {
        private String name = "";
        private String vendorVersion = "";
        private Map<String, String> manifest = Map.of();

        private Builder() {}

        /**
         * Sets: the plugin's name in domain notation (R19).
         *
         * @param name the value
         * @return this
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Sets: the vendor's version; opaque.
         *
         * @param vendorVersion the value
         * @return this
         */
        public Builder vendorVersion(String vendorVersion) {
            this.vendorVersion = Objects.requireNonNull(vendorVersion, "vendorVersion");
            return this;
        }

        /**
         * Sets: whatever else the vendor tells.
         *
         * @param manifest the value
         * @return this
         */
        public Builder manifest(Map<String, String> manifest) {
            this.manifest = Objects.requireNonNull(manifest, "manifest");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public GetPluginInfoResponse build() {
            return new GetPluginInfoResponse(this);
        }
    }
}
