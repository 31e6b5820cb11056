package io.csi4j.core.internal.text;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Short names that stand for longer texts. */
public final class Digest {
    private Digest() {}

    /**
     * Returns the beginning of the SHA-256 of several texts, in hexadecimal digits. Different lists of texts have
     * different results.
     *
     * @param bytes the number of bytes, from 1 to 32
     * @param parts texts without the character {@code \0}
     */
    public static String of(int bytes, String... parts) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(String.join("\0", parts).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is in every Java runtime", e);
        }
    }
}
