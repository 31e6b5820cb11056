package io.csi4j.client.registry.internal.supervisor;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** Converts ids, which may contain any character, to names of directories. Different ids get different names. */
public final class PathSegment {
    private static final int MAX_LENGTH = 200;
    private static final int DIGEST_BYTES = 8;
    private static final String PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

    private PathSegment() {}

    /** Returns the id with %XX for each byte that is not allowed in a name. A long id is cut, and a digest keeps it unique. */
    public static String of(String id) {
        StringBuilder name = new StringBuilder();
        for (byte each : id.getBytes(StandardCharsets.UTF_8)) {
            char letter = (char) (each & 0xff);
            boolean dot = letter == '.' && name.isEmpty();
            if (PLAIN.indexOf(letter) >= 0 && !dot) {
                name.append(letter);
            } else {
                name.append(String.format(Locale.ROOT, "%%%02X", (int) letter));
            }
        }
        return name.length() <= MAX_LENGTH ? name.toString() : name.substring(0, MAX_LENGTH) + "%" + digest(id);
    }

    /**
     * Returns a short name for a text. As the name of a directory, it helps to keep the address of a Unix socket below
     * its length limit.
     */
    public static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
