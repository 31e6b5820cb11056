package io.csi4j.node.internal.ledger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Encodes an id as one component of a path. Different ids have different names, even on file systems that ignore case or normalize characters. A name is never {@code .} or {@code ..}, does not begin with a dot, and has
 * only {@code a-z 0-9 _ - . % ~}. A long id ends in its hash after a {@code ~}.
 */
public final class PathName {
    /** The longest name in bytes. A file system permits 255 bytes; the remaining bytes are reserved for suffixes of file names. */
    private static final int LONGEST = 200;

    private static final int KEPT = 120;

    private PathName() {}

    public static String of(String id) {
        StringBuilder name = new StringBuilder(id.length() + 16);
        id.codePoints().forEach(codePoint -> append(name, codePoint));
        if (name.length() <= LONGEST) {
            return name.toString();
        }
        int cut = KEPT;
        while (name.charAt(cut - 1) == '%' || name.charAt(cut - 2) == '%') {
            cut--;
        }
        return name.substring(0, cut) + "~" + hash(name.toString());
    }

    /**
     * Returns the id from which a name was made; empty if the name is not from this class, or was made from a part of
     * the id only.
     */
    public static Optional<String> decode(String name) {
        byte[] bytes = new byte[name.length()];
        int length = 0;
        for (int at = 0; at < name.length(); at++) {
            char c = name.charAt(at);
            if (c == '%'
                    && at + 2 < name.length()
                    && HexFormat.isHexDigit(name.charAt(at + 1))
                    && HexFormat.isHexDigit(name.charAt(at + 2))) {
                bytes[length++] = (byte) HexFormat.fromHexDigits(name, at + 1, at + 3);
                at += 2;
            } else {
                bytes[length++] = (byte) c;
            }
        }
        String id = new String(bytes, 0, length, StandardCharsets.UTF_8);
        // Accepts only names that this class creates.
        return !id.isEmpty() && of(id).equals(name) ? Optional.of(id) : Optional.empty();
    }

    private static void append(StringBuilder name, int codePoint) {
        boolean plain = (codePoint >= 'a' && codePoint <= 'z')
                || (codePoint >= '0' && codePoint <= '9')
                || codePoint == '_'
                || codePoint == '-'
                || (codePoint == '.' && name.length() > 0);
        if (plain) {
            name.append((char) codePoint);
        } else if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
            // Encodes an unpaired surrogate here, because UTF-8 has no encoding for it. Different surrogates get
            // different names.
            escape(name, 0xe0 | (codePoint >> 12));
            escape(name, 0x80 | ((codePoint >> 6) & 0x3f));
            escape(name, 0x80 | (codePoint & 0x3f));
        } else {
            for (byte octet : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
                escape(name, octet);
            }
        }
    }

    private static void escape(StringBuilder name, int octet) {
        name.append('%').append(HexFormat.of().toHexDigits((byte) octet));
    }

    private static String hash(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256, which every one has to have", e);
        }
    }
}
