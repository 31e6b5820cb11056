package io.csi4j.core.access;

import io.csi4j.core.id.AccessTokenId;
import java.time.Instant;
import java.util.Objects;

/**
 * A row of the state for an access token. The state has the hash of its secret only. The token is revoked by the removal
 * of its row; an expired token keeps its row until then.
 *
 * @param id identifies the token; not confidential
 * @param request the name, policies and expiry
 * @param hash the hash of the secret
 * @param createdBy the name of the caller that created the token
 * @param createdAt the time of the creation, by the clock of the server that proposed it
 */
public record AccessToken(
        AccessTokenId id, AccessTokenRequest request, SecretHash hash, String createdBy, Instant createdAt) {
    /** @throws IllegalArgumentException if the request has {@linkplain AccessTokenRequest#problems problems} */
    public AccessToken {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(hash, "hash");
        Objects.requireNonNull(createdBy, "createdBy");
        Objects.requireNonNull(createdAt, "createdAt");
        if (!request.problems().isEmpty()) {
            throw new IllegalArgumentException("AccessToken: " + request.problems());
        }
    }

    /**
     * Returns whether the token is expired at a time. Servers compare with their own clock: servers whose clocks differ
     * can disagree for that difference, and a clock that is set back accepts an expired token again. Revoke a token that
     * must never be accepted again.
     *
     * @param now the present time of the server that checks
     */
    public boolean expired(Instant now) {
        return request.expiresAt().filter(end -> !now.isBefore(end)).isPresent();
    }

    /** Returns whether a secret is that of this token. The time of the comparison says nothing about the hash. */
    public boolean accepts(AccessTokenSecret secret) {
        return hash.equals(secret.hash());
    }
}
