package io.csi4j.core.spi;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A store of secrets, which the engine reads at every call, so that rotated secrets take effect at once. */
@FunctionalInterface
public interface SecretsSource {
    /**
     * Returns the secrets for a call.
     *
     * @return the secrets, possibly without entries; an empty Optional if secrets should exist but are absent. The
     *     future fails if the store cannot be read now
     */
    CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query);

    /**
     * Returns a source that always provides the same secrets.
     *
     * @param secrets the secrets, possibly without entries
     */
    static SecretsSource of(Secrets secrets) {
        Objects.requireNonNull(secrets, "secrets");
        return query -> CompletableFuture.completedFuture(Optional.of(secrets));
    }

    /** Returns a source of the secrets in each volume's specification; calls without a volume get no secrets. */
    static SecretsSource ofVolumes() {
        return query -> CompletableFuture.completedFuture(Optional.of(
                query.volume().map(volume -> volume.spec().secrets()).orElse(Secrets.empty())));
    }
}
