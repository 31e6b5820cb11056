package io.csi4j.client;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The certificates that a client trusts and its own certificate, for an {@link Endpoint#remote} endpoint. Holds the
 * paths of files, never their content. They are read when a client is made, and again, if they were replaced, whenever
 * it connects; files that cannot be used then change nothing. Immutable.
 */
public final class TlsOptions {
    private final @Nullable Path trustedCertificates;
    private final @Nullable Path certificateChain;
    private final @Nullable Path privateKey;
    private final @Nullable String serverName;

    private TlsOptions(Builder builder) {
        this.trustedCertificates = builder.trustedCertificates;
        this.certificateChain = builder.certificateChain;
        this.privateKey = builder.privateKey;
        this.serverName = builder.serverName;
    }

    /**
     * Trusts what the JVM trusts, and shows no certificate.
     *
     * @return the default settings
     */
    public static TlsOptions ofDefaults() {
        return builder().build();
    }

    /** A builder that begins with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The certificates to trust.
     *
     * @return a PEM file; empty for what the JVM trusts
     */
    public Optional<Path> trustedCertificates() {
        return Optional.ofNullable(trustedCertificates);
    }

    /**
     * The client's certificate and its chain.
     *
     * @return a PEM file; empty if the client shows no certificate
     */
    public Optional<Path> certificateChain() {
        return Optional.ofNullable(certificateChain);
    }

    /**
     * The key of the client's certificate.
     *
     * @return a PEM file in PKCS#8 form; present if and only if there is a {@link #certificateChain()}
     */
    public Optional<Path> privateKey() {
        return Optional.ofNullable(privateKey);
    }

    /**
     * The name that the server's certificate has to bear.
     *
     * @return empty for the host of the endpoint
     */
    public Optional<String> serverName() {
        return Optional.ofNullable(serverName);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TlsOptions that
                && Objects.equals(that.trustedCertificates, trustedCertificates)
                && Objects.equals(that.certificateChain, certificateChain)
                && Objects.equals(that.privateKey, privateKey)
                && Objects.equals(that.serverName, serverName);
    }

    @Override
    public int hashCode() {
        return Objects.hash(trustedCertificates, certificateChain, privateKey, serverName);
    }

    @Override
    public String toString() {
        return "TlsOptions[trustedCertificates=" + trustedCertificates + ", certificateChain=" + certificateChain
                + ", privateKey=" + privateKey + ", serverName=" + serverName + "]";
    }

    /** Collects the settings. Not for use by several threads. */
    public static final class Builder {
        private @Nullable Path trustedCertificates;
        private @Nullable Path certificateChain;
        private @Nullable Path privateKey;
        private @Nullable String serverName;

        private Builder() {}

        /**
         * Trusts these certificates and no others.
         *
         * @param pemFile certificates in PEM form
         */
        public Builder trustedCertificates(Path pemFile) {
            this.trustedCertificates = Objects.requireNonNull(pemFile, "pemFile");
            return this;
        }

        /**
         * Shows this certificate to the server.
         *
         * @param chainPemFile the certificate, followed by its chain, in PEM form
         * @param keyPemFile its private key, PKCS#8 in PEM form, not encrypted
         */
        public Builder clientCertificate(Path chainPemFile, Path keyPemFile) {
            this.certificateChain = Objects.requireNonNull(chainPemFile, "chainPemFile");
            this.privateKey = Objects.requireNonNull(keyPemFile, "keyPemFile");
            return this;
        }

        /**
         * Expects the server's certificate to bear this name rather than the endpoint's host.
         *
         * @param name a host name
         */
        public Builder serverName(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("serverName: is blank; leave it out for the endpoint's host");
            }
            this.serverName = name;
            return this;
        }

        /**
         * The settings.
         *
         * @return immutable settings
         */
        public TlsOptions build() {
            return new TlsOptions(this);
        }
    }
}
