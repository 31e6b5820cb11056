package io.csi4j.admin.access;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.id.AccessTokenId;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A caller that has presented an access token. Its name is that of the token. Only {@link TokenAuthenticator} makes these
 * objects. Two of them are equal if they are about one token.
 */
public final class TokenPrincipal implements Principal {
    private final AccessTokenId id;
    private final String name;
    private final Supplier<Optional<AccessToken>> present;

    TokenPrincipal(AccessTokenId id, String name, Supplier<Optional<AccessToken>> present) {
        this.id = id;
        this.name = name;
        this.present = present;
    }

    /** Returns the id of the token. */
    public AccessTokenId id() {
        return id;
    }

    @Override
    public String getName() {
        return name;
    }

    /** Returns the present token; empty if it was revoked or is expired. */
    public Optional<AccessToken> token() {
        return present.get();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TokenPrincipal principal && id.equals(principal.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return "TokenPrincipal[id=" + id + ", name=" + name + "]";
    }
}
