package io.csi4j.core.spi;

import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.id.AccessTokenId;
import java.time.Instant;
import java.util.Objects;

/**
 * A change of an access token in the state. The log of the server that made the change has a line at INFO with its caller.
 *
 * @param token the id of the token, which is not secret
 * @param request the name, the policies and the expiry of the token
 * @param change the kind of change
 * @param index the index of a state that contains the change; later changes may be in that state, too
 * @param at the time of the command that made the change
 */
public record AccessTokenEvent(AccessTokenId token, AccessTokenRequest request, Change change, long index, Instant at) {
    public AccessTokenEvent {
        Objects.requireNonNull(token, "token");
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(at, "at");
    }

    /** The kinds of changes of an access token. The end of its time is none: no command makes it. */
    public enum Change {
        /** The token was created. */
        CREATED,
        /** The token was revoked. */
        REVOKED
    }
}
