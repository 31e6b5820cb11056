package io.csi4j.client;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The certificates that a client trusts, and its own certificate, for {@link Endpoint#remote}. Contains paths of files,
 * which are read when a client is built. Replaced files are read again at each connect. If the new files are unusable,
 * the client keeps the earlier certificates. Immutable.
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

    /** Returns options of a client that trusts the JVM's certificates, and has no certificate of its own. */
    public static TlsOptions ofDefaults() {
        return builder().build();
    }

    /** Returns a builder with the default options. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the PEM file of trusted certificates; empty if the client trusts the certificates of the JVM. */
    public Optional<Path> trustedCertificates() {
        return Optional.ofNullable(trustedCertificates);
    }

    /** Returns the PEM file with the client's certificate and its chain; empty if the client has no certificate. */
    public Optional<Path> certificateChain() {
        return Optional.ofNullable(certificateChain);
    }

    /**
     * Returns the PEM file (PKCS#8) with the private key of the client's certificate; empty if the client has no
     * certificate.
     */
    public Optional<Path> privateKey() {
        return Optional.ofNullable(privateKey);
    }

    /**
     * Returns the name that the server's certificate must have; empty if it must have the host name of the endpoint.
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

    /** Builds {@link TlsOptions}. Not thread-safe. */
    public static final class Builder {
        private @Nullable Path trustedCertificates;
        private @Nullable Path certificateChain;
        private @Nullable Path privateKey;
        private @Nullable String serverName;

        private Builder() {}

        /**
         * Sets the trusted certificates; no others are trusted.
         *
         * @param pemFile certificates in PEM form
         */
        public Builder trustedCertificates(Path pemFile) {
            this.trustedCertificates = Objects.requireNonNull(pemFile, "pemFile");
            return this;
        }

        /**
         * Sets the own certificate of this process, which it presents to its peer, as a client or as a server.
         *
         * @param chainPemFile the certificate, followed by its chain, in PEM form
         * @param keyPemFile the private key, PKCS#8 in PEM form, not encrypted
         */
        public Builder certificate(Path chainPemFile, Path keyPemFile) {
            this.certificateChain = Objects.requireNonNull(chainPemFile, "chainPemFile");
            this.privateKey = Objects.requireNonNull(keyPemFile, "keyPemFile");
            return this;
        }

        /**
         * Sets the name that the server's certificate must have, instead of the endpoint's host.
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

        public TlsOptions build() {
            return new TlsOptions(this);
        }
    }
}
