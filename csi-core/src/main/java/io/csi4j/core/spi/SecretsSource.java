package io.csi4j.core.spi;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Where a set of secrets is kept. Asked at every call, so that a rotation needs nothing else. */
@FunctionalInterface
public interface SecretsSource {
    /**
     * The secrets of a call.
     *
     * @param query which call
     * @return the secrets, possibly without entries: it needs none; empty: they should be here and are not;
     *     exceptionally if the source cannot be asked now
     */
    CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query);

    /**
     * Always the same secrets.
     *
     * @param secrets the set, possibly without entries
     * @return a source that asks nobody
     */
    static SecretsSource of(Secrets secrets) {
        Objects.requireNonNull(secrets, "secrets");
        return query -> CompletableFuture.completedFuture(Optional.of(secrets));
    }

    /**
     * The secrets that were declared with the volume (S4), and none for calls about no volume.
     *
     * @return a source that asks nobody
     */
    static SecretsSource ofVolumes() {
        return query -> CompletableFuture.completedFuture(Optional.of(
                query.volume().map(volume -> volume.spec().secrets()).orElse(Secrets.empty())));
    }
}
