package io.csi4j.core.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The SHA-256 hash of the secret of an access token. A secret has 256 random bits, so the hash needs neither salt nor
 * repetition: guessing the secret from it is as hard as guessing the secret. Immutable; its text shows nothing.
 */
public final class SecretHash {
    /** The number of bytes of a hash. */
    public static final int LENGTH = 32;

    private final byte[] bytes;

    private SecretHash(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Returns a hash that was stored.
     *
     * @param bytes the bytes of the hash; copied
     * @throws IllegalArgumentException if there are not {@link #LENGTH} bytes
     */
    public static SecretHash of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException(
                    "SecretHash has " + bytes.length + " bytes; a SHA-256 hash has " + LENGTH);
        }
        return new SecretHash(bytes.clone());
    }

    /** Returns the hash of the text of a secret. */
    static SecretHash ofText(String text) {
        try {
            return new SecretHash(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java platform has SHA-256", e);
        }
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Compares all bytes, whichever differs, so that the time of the comparison says nothing about the hash. */
    @Override
    public boolean equals(Object other) {
        return other instanceof SecretHash hash && MessageDigest.isEqual(bytes, hash.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns a text without the hash. */
    @Override
    public String toString() {
        return "SecretHash";
    }
}
