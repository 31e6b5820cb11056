package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.internal.log.CauseLog;
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
 * A {@link SecretsProvider} with one source of secrets for all calls (R35), and other sources for single RPCs. Safe
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

    private final SecretsProvider all;
    private final Map<Rpc, SecretsProvider> byRpc;
    private final EventListener listener;
    /** The clock for the events about calls that are sent without secrets; null if such calls are refused instead. */
    private final @Nullable Clock clock;

    private final @Nullable CauseLog causes;

    private SecretSets(Builder builder) {
        this.all = builder.all;
        this.byRpc = new EnumMap<>(builder.byRpc);
        this.listener = builder.listener;
        this.clock = builder.clock;
        this.causes = clock == null ? null : new CauseLog(LOG, clock);
    }

    /** Returns a builder. Without further settings, calls use the secrets in each volume's specification. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public CompletableFuture<Optional<Secrets>> secrets(SecretsQuery query) {
        CompletableFuture<Optional<Secrets>> answer = Objects.requireNonNull(
                byRpc.getOrDefault(query.rpc(), all).secrets(query), "a SecretsProvider returned null");
        Clock now = clock;
        CauseLog causes = this.causes;
        return now == null || causes == null
                ? answer
                : answer.thenApply(found -> found.or(() -> withoutSecrets(query, now, causes)));
    }

    private Optional<Secrets> withoutSecrets(SecretsQuery query, Clock now, CauseLog causes) {
        causes.warn(
                query.pluginId() + " " + query.rpc().csiName(),
                query.rpc().csiName() + " for " + query.subject()
                        + " is sent without secrets, because their source has none. Store them, or let the source"
                        + " return secrets without entries if the call needs none");
        SecretsAbsentEvent event = new SecretsAbsentEvent(query.rpc(), query.pluginId(), query.key(), now.instant());
        try {
            listener.secretsAbsent(event);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "An event listener failed; the call is sent without secrets", e);
        }
        return Optional.of(Secrets.empty());
    }

    /** Returns the names of the RPCs that have a source of their own. The text has no secrets. */
    @Override
    public String toString() {
        return "SecretSets[own sets for " + byRpc.keySet() + ", when absent "
                + (clock == null ? "refused]" : "sent without]");
    }

    /** Builds {@link SecretSets}. Not safe for use by several threads. */
    public static final class Builder {
        private SecretsProvider all = SecretsProvider.ofVolumes();
        private final Map<Rpc, SecretsProvider> byRpc = new EnumMap<>(Rpc.class);
        private EventListener listener = EventListener.none();
        private @Nullable Clock clock;

        private Builder() {}

        /**
         * Sets the source for all RPCs that have no source of their own. The default is {@link
         * SecretsProvider#ofVolumes()}.
         *
         * @param source the source, which is read at every call
         */
        public Builder all(SecretsProvider source) {
            this.all = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * Sets the source for one RPC. An RPC and the RPC that undoes it, for example CreateVolume and
         * DeleteVolume, need equivalent secrets (R67).
         *
         * @param rpc an RPC with a field for secrets
         * @param source the source, which is read at every call
         * @throws IllegalArgumentException if the RPC has no field for secrets (R36)
         */
        public Builder rpc(Rpc rpc, SecretsProvider source) {
            if (!rpc.takesSecrets()) {
                throw new IllegalArgumentException(
                        "rpc: " + rpc.csiName() + " has no field for secrets (R36); leave it out");
            }
            byRpc.put(rpc, Objects.requireNonNull(source, "source"));
            return this;
        }

        /**
         * Makes calls whose secrets are absent fail before they are sent. This is the default.
         */
        public Builder refuseAbsent() {
            this.listener = EventListener.none();
            this.clock = null;
            return this;
        }

        /**
         * Permits calls without secrets if a source has none, and reports each of these calls. A line of the log names
         * the first of a plugin and an RPC in ten minutes. By default such a call fails.
         *
         * @param listener the receiver of the events
         * @param clock the clock for the events
         */
        public Builder permitAbsent(EventListener listener, Clock clock) {
            this.listener = Objects.requireNonNull(listener, "listener");
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        public SecretSets build() {
            return new SecretSets(this);
        }
    }
}
