package io.csi4j.agent;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.spi.SecretsQuery;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Secrets that come at once; those for nodes, while they are held, when they are given. */
final class HeldSecrets implements SecretsProvider {
    private final CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
    private final CompletableFuture<Secrets> given = new CompletableFuture<>();
    private volatile boolean held;

    @Override
    public CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query) {
        if (!held || query.volume().isEmpty() || query.rpc() == Rpc.CONTROLLER_PUBLISH_VOLUME) {
            return CompletableFuture.completedFuture(Optional.of(Secrets.empty()));
        }
        asked.complete(null);
        return given.thenApply(Optional::of);
    }

    void hold() {
        held = true;
    }

    /** Completes when somebody has asked while they are held. */
    CompletableFuture<@Nullable Void> asked() {
        return asked;
    }

    void give() {
        held = false;
        given.complete(Secrets.empty());
    }
}
