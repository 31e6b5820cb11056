package io.csi4j.admin.access;

import java.security.Principal;
import java.util.Optional;

/** Finds the caller that a token belongs to. Safe for use by many threads. */
@FunctionalInterface
public interface Authenticator {
    /**
     * Returns the owner of a token. The answer must not depend on how much of a wrong token is right, also not in its time.
     * Called on threads that serve all connections, so it has to return at once.
     *
     * @param token the token as the client sent it
     * @return the caller; empty if the token is not valid
     */
    Optional<? extends Principal> authenticate(String token);
}
