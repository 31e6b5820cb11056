package io.csi4j.core.lifecycle;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenSecret;
import java.util.Objects;

/**
 * A new access token with its secret. The secret is nowhere else: give it to the holder of the token, who cannot get it
 * again.
 *
 * @param token the row of the state
 * @param secret confidential; its {@code toString} does not show it
 */
public record NewAccessToken(AccessToken token, AccessTokenSecret secret) {
    public NewAccessToken {
        Objects.requireNonNull(token, "token");
        Objects.requireNonNull(secret, "secret");
    }
}
