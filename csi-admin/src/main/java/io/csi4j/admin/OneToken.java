package io.csi4j.admin;

import io.csi4j.admin.access.Authenticator;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.Principal;
import java.util.Optional;

/** Accepts one token, whose requests act on behalf of the host itself. */
final class OneToken implements Authenticator {
    /** The host. */
    static final Principal HOST = () -> "host";

    private final byte[] token;

    OneToken(String token) {
        this.token = token.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Optional<Principal> authenticate(String given) {
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), token)
                ? Optional.of(HOST)
                : Optional.empty();
    }
}
