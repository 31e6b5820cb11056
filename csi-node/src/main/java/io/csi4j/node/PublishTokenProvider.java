package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Provides the tokens of NodePublishVolume, for plugins whose {@linkplain io.csi4j.core.plugin.RepublishOptions profile}
 * names audiences. It is called before each NodePublishVolume of such a plugin, also before each repetition for a mounted
 * volume. Tokens are sent to the plugin, and are kept nowhere.
 */
@FunctionalInterface
public interface PublishTokenProvider {
    /**
     * Returns one token for each audience, in any order.
     *
     * @return the tokens. If the future fails, takes longer than {@link NodeVolumeOptions#longestRetry()}, or has not
     *     exactly one valid token for each audience, nothing is sent, and the call is tried again later
     */
    CompletableFuture<List<Token>> tokens(Request request);

    /** Returns a provider that has no tokens: a mount that needs some waits, and its status says so. */
    static PublishTokenProvider none() {
        return request -> CompletableFuture.completedFuture(List.of());
    }

    /**
     * Says for which workload and volume the tokens are.
     *
     * @param id the volume
     * @param allocationId the allocation that uses the volume
     * @param audiences for whom the tokens are; an empty text is the default audience of the issuer
     * @param expiry the life that the tokens should have; empty: the issuer decides
     */
    record Request(NodeVolumeId id, AllocationId allocationId, List<String> audiences, Optional<Duration> expiry) {
        public Request {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(allocationId, "allocationId");
            audiences = List.copyOf(audiences);
            Objects.requireNonNull(expiry, "expiry");
        }
    }

    /**
     * A token. {@code toString} does not show it.
     *
     * @param audience the audience of the request
     * @param token the token as the plugin gets it; not empty
     * @param expiresAt when the token runs out, by the clock of the node
     */
    record Token(String audience, String token, Instant expiresAt) {
        public Token {
            Objects.requireNonNull(audience, "audience");
            Objects.requireNonNull(token, "token");
            Objects.requireNonNull(expiresAt, "expiresAt");
            if (token.isEmpty()) {
                throw new IllegalArgumentException(
                        "Token: the token for audience \"" + audience + "\" is empty; give one, or fail the future");
            }
        }

        @Override
        public String toString() {
            return "Token[audience=" + audience + ", token=***, expiresAt=" + expiresAt + "]";
        }
    }
}
