package io.csi4j.core.spi;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Provides the secrets of a call at the time of the call, so that rotated secrets take effect at once. The secrets go
 * into the request and nowhere else (R35). A retry of the call, and a call that undoes it, must get equivalent secrets
 * (R67).
 */
@FunctionalInterface
public interface SecretsProvider {
    /**
     * Returns the secrets for a call.
     *
     * @return the secrets, possibly without entries; an empty Optional if secrets should exist but are absent. If they
     *     are absent or the future fails, the call is not sent, and is retried later
     */
    CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query);

    /**
     * Returns a provider of the same secrets for all calls.
     *
     * @param secrets the secrets, possibly without entries
     */
    static SecretsProvider of(Secrets secrets) {
        Objects.requireNonNull(secrets, "secrets");
        return query -> CompletableFuture.completedFuture(Optional.of(secrets));
    }

    /** Returns a provider of the secrets in each volume's specification; calls without a volume get no secrets. */
    static SecretsProvider ofVolumes() {
        return query -> CompletableFuture.completedFuture(Optional.of(
                query.volume().map(volume -> volume.spec().secrets()).orElse(Secrets.empty())));
    }
}
