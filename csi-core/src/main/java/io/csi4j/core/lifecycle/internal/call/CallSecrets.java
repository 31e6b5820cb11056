package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.spi.SecretsQuery;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Gets the secrets of calls: those that the caller passed, or those of the host's secrets provider. */
public final class CallSecrets {
    private final EnginePorts ports;
    private final Timeouts timeouts;

    CallSecrets(EnginePorts ports) {
        this.ports = ports;
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
    }

    /** Returns the secrets for a call about a volume: the caller's own, or else those of the secrets provider. */
    public CompletableFuture<Secrets> of(Caller caller, Volume volume, Rpc rpc) {
        return of(caller, new SecretsQuery(volume.spec().pluginId(), Optional.of(volume.asRequested()), rpc));
    }

    /**
     * Returns the secrets for a call that is not about a volume: the caller's own, or else those of the secrets
     * provider.
     */
    public CompletableFuture<Secrets> of(Caller caller, PluginId plugin, Rpc rpc) {
        return of(caller, new SecretsQuery(plugin, Optional.empty(), rpc));
    }

    /**
     * Returns the secrets for a call about a snapshot. They are those of the snapshot's source volume if that volume is
     * registered (R67).
     */
    public CompletableFuture<Secrets> of(Caller caller, PluginId plugin, Optional<ExternalVolumeId> source, Rpc rpc) {
        StateReader state = ports.log().state().snapshot();
        return source.flatMap(id -> state.volumeByExternalId(plugin, id))
                .flatMap(state::volume)
                .map(volume -> of(caller, volume, rpc))
                .orElseGet(() -> of(caller, plugin, rpc));
    }

    /**
     * Asks the secrets provider if the caller has given no secrets. Replaces an exception of the provider by a
     * {@link NoSecretsException}, because the provider's message may contain a secret.
     */
    private CompletableFuture<Secrets> of(Caller caller, SecretsQuery query) {
        if (caller.secrets().isPresent()) {
            return CompletableFuture.completedFuture(caller.secrets().get());
        }
        Duration timeout = ports.options().secretsTimeout();
        CompletableFuture<Optional<Secrets>> asked =
                ports.host().call("SecretsProvider", () -> ports.secrets().secrets(query));
        CompletableFuture<Secrets> answer = asked.thenApply(found -> ports.host()
                        .required("SecretsProvider", found)
                        .orElseThrow(() -> NoSecretsException.absent(query)))
                .exceptionally(failure -> {
                    throw Futures.unwrap(failure) instanceof NoSecretsException absent
                            ? absent
                            : NoSecretsException.notReturned(query);
                });
        return timeouts.limit(answer, timeout, () -> {
            ports.host().givenUp(asked, timeout);
            return NoSecretsException.late(query, timeout);
        });
    }
}
