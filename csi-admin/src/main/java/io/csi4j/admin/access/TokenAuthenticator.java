package io.csi4j.admin.access;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.access.SecretHash;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.state.ObservableState;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;

/**
 * Finds the caller that presents the secret of an access token. It reads the state of this server, whether it leads or
 * not: a revoked token is refused as soon as this state has the revocation. Never blocks. Thread-safe.
 *
 * <p>A token expires by the clock of this server. If the clock is set back, an expired token is accepted again until its
 * time; revoke it to end it permanently.
 */
public final class TokenAuthenticator implements Authenticator {
    private final ObservableState state;
    private final Clock clock;

    private TokenAuthenticator(ObservableState state, Clock clock) {
        this.state = state;
        this.clock = clock;
    }

    /**
     * Creates an authenticator.
     *
     * @param state the state of this server
     * @param clock the clock that decides whether a token is expired
     */
    public static TokenAuthenticator of(ObservableState state, Clock clock) {
        return new TokenAuthenticator(Objects.requireNonNull(state, "state"), Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Returns the holder of a token.
     *
     * @param secret any text
     * @return the holder; empty if the text is not the secret of a token, or the token was revoked or is expired. The
     *     result does not show which, and its time at most whether an id is in use, which is not confidential
     */
    @Override
    public Optional<TokenPrincipal> authenticate(String secret) {
        // The id finds the row, so only one hash is compared, in a time that does not depend on the secret.
        return AccessTokenSecret.parse(secret)
                .flatMap(presented -> present(presented.id(), presented.hash()))
                .map(token -> new TokenPrincipal(
                        token.id(), token.request().name(), () -> present(token.id(), token.hash())));
    }

    /** Compares the hash each time, because a state that was put back may have another token with the id. */
    private Optional<AccessToken> present(AccessTokenId id, SecretHash hash) {
        return state.snapshot()
                .accessToken(id)
                .filter(token -> token.hash().equals(hash) && !token.expired(clock.instant()));
    }
}
