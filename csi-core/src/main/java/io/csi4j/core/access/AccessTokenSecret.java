package io.csi4j.core.access;

import io.csi4j.core.id.AccessTokenId;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The secret of an access token, which its holder presents: {@code csi4j_}, the id of the token in 16 hexadecimal digits,
 * an underscore, and 256 random bits in 64 hexadecimal digits, all in lower case. The text has no other spelling, so
 * tools that search files for secrets find it by its form. Immutable; {@link #toString} does not show the random part.
 */
public final class AccessTokenSecret {
    private static final String PREFIX = "csi4j_";
    private static final int ID_DIGITS = 16;
    private static final int RANDOM_BYTES = 32;
    private static final int RANDOM_AT = PREFIX.length() + ID_DIGITS + 1;
    private static final int LENGTH = RANDOM_AT + 2 * RANDOM_BYTES;

    private final String text;

    private AccessTokenSecret(String text) {
        this.text = text;
    }

    /** Makes a secret, with the id of a new token, from the random numbers of the operating system. */
    public static AccessTokenSecret generate() {
        // Not the random numbers of the Environment: a host may replace those by numbers that can be predicted.
        SecureRandom random = new SecureRandom();
        byte[] id = new byte[ID_DIGITS / 2];
        byte[] secret = new byte[RANDOM_BYTES];
        random.nextBytes(id);
        random.nextBytes(secret);
        HexFormat hex = HexFormat.of();
        return new AccessTokenSecret(PREFIX + hex.formatHex(id) + '_' + hex.formatHex(secret));
    }

    /** Reads the text of a secret; empty if the text does not have its form. */
    public static Optional<AccessTokenSecret> parse(String text) {
        if (text.length() != LENGTH || !text.startsWith(PREFIX) || text.charAt(RANDOM_AT - 1) != '_') {
            return Optional.empty();
        }
        for (int i = PREFIX.length(); i < LENGTH; i++) {
            char c = text.charAt(i);
            if (i != RANDOM_AT - 1 && (c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return Optional.empty();
            }
        }
        return Optional.of(new AccessTokenSecret(text));
    }

    /** Returns the id of the token. */
    public AccessTokenId id() {
        return AccessTokenId.of(text.substring(PREFIX.length(), RANDOM_AT - 1));
    }

    /** Returns the hash of the whole text, for the state. */
    public SecretHash hash() {
        return SecretHash.ofText(text);
    }

    /** Returns the text, which is confidential: only the holder of the token may have it. */
    public String text() {
        return text;
    }

    /** Returns a text without the secret. */
    @Override
    public String toString() {
        return "AccessTokenSecret[id=" + id() + "]";
    }
}
