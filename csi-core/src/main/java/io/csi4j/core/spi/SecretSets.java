package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.Volume;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A ready-made {@link SecretsProvider}: one set of secrets for all calls (R35), and other sets for single RPCs. Safe
 * for use by many threads.
 *
 * <pre>{@code
 * SecretsProvider secrets = SecretSets.builder()
 *         .all(query -> vault.read(query.pluginId()))
 *         .rpc(Rpc.NODE_STAGE_VOLUME, query -> vault.read(query.volume().get().key()))
 *         .refuseAbsent()
 *         .build();
 * }</pre>
 */
public final class SecretSets implements SecretsProvider {
    private static final Logger LOG = System.getLogger(SecretSets.class.getName());

    private final SecretsSource all;
    private final Map<Rpc, SecretsSource> byRpc;
    private final EventListener listener;
    /** Null: such calls are refused. */
    private final @Nullable Clock clock;

    private SecretSets(Builder builder) {
        this.all = builder.all;
        this.byRpc = new EnumMap<>(builder.byRpc);
        this.listener = builder.listener;
        this.clock = builder.clock;
    }

    /**
     * A builder of a provider that gives the secrets declared with the volume.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public CompletableFuture<Secrets> forVolume(Volume volume, Rpc rpc) {
        return ask(new SecretsQuery(volume.spec().pluginId(), Optional.of(volume), rpc));
    }

    @Override
    public CompletableFuture<Secrets> forPlugin(PluginId pluginId, Rpc rpc) {
        return ask(new SecretsQuery(pluginId, Optional.empty(), rpc));
    }

    private CompletableFuture<Secrets> ask(SecretsQuery query) {
        SecretsSource source = byRpc.getOrDefault(query.rpc(), all);
        return Objects.requireNonNull(source.secrets(query), "SecretsSource answered null")
                .thenApply(found -> found.orElseGet(() -> without(query)));
    }

    private Secrets without(SecretsQuery query) {
        if (clock == null) {
            throw new SecretsAbsentException(query);
        }
        SecretsAbsentEvent event = new SecretsAbsentEvent(query.rpc(), query.pluginId(), query.key(), clock.instant());
        try {
            listener.secretsAbsent(event);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "An event listener failed; the call goes on without secrets", e);
        }
        return Secrets.empty();
    }

    /** Tells for which RPCs there are sets of their own, and nothing of what is in them. */
    @Override
    public String toString() {
        return "SecretSets[own sets for " + byRpc.keySet() + ", when absent "
                + (clock == null ? "refused]" : "sent without]");
    }

    /** Builds {@link SecretSets}. Not safe for use by several threads. */
    public static final class Builder {
        private SecretsSource all = SecretsSource.ofVolumes();
        private final Map<Rpc, SecretsSource> byRpc = new EnumMap<>(Rpc.class);
        private EventListener listener = EventListener.none();
        private @Nullable Clock clock;

        private Builder() {}

        /**
         * The set of all RPCs that have none of their own.
         *
         * @param source asked at every call; {@link SecretsSource#ofVolumes()} unless set
         */
        public Builder all(SecretsSource source) {
            this.all = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * The set of one RPC. An RPC and its opposite need secrets of the same meaning (R67).
         *
         * @param rpc one that has a field for secrets
         * @param source asked at every call
         * @throws IllegalArgumentException if the RPC has no field for secrets (R36)
         */
        public Builder rpc(Rpc rpc, SecretsSource source) {
            if (!rpc.takesSecrets()) {
                throw new IllegalArgumentException(
                        "rpc: " + rpc.csiName() + " has no field for secrets (R36); leave it out");
            }
            byRpc.put(rpc, Objects.requireNonNull(source, "source"));
            return this;
        }

        /**
         * Lets calls whose secrets are absent fail before they are sent, with a {@link SecretsAbsentException}; so it
         * is unless set otherwise.
         */
        public Builder refuseAbsent() {
            this.listener = EventListener.none();
            this.clock = null;
            return this;
        }

        /**
         * Lets calls whose secrets are absent be sent without, and reports each.
         *
         * @param listener is told
         * @param clock the time of events
         */
        public Builder sendWithoutAbsent(EventListener listener, Clock clock) {
            this.listener = Objects.requireNonNull(listener, "listener");
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable provider
         */
        public SecretSets build() {
            return new SecretSets(this);
        }
    }
}
