package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.VolumeSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The name that CreateVolume sends for a volume. The plugin creates one volume for each name (R51), so the name is
 * stored with the intent. A declared name is used as it is. Otherwise the name is derived from the volume's full key,
 * so that it is the same in each retry, differs between namespaces, and has only characters that every storage provider
 * accepts.
 */
public final class CreationName {
    private static final int MAX_DISPLAYED = 40;
    private static final int HASH_BYTES = 12;

    private CreationName() {}

    public static VolumeSpec declaredWithName(VolumeKey key, VolumeSpec spec) {
        return spec.name().isEmpty() ? spec.toBuilder().name(of(key)).build() : spec;
    }

    public static String of(VolumeKey key) {
        String text = key.namespace().value() + '\0' + key.volumeId().value();
        String redacted = key.volumeId().value().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        String readable = redacted.substring(0, Math.min(redacted.length(), MAX_DISPLAYED))
                .replaceAll("^-+|-+$", "");
        return (readable.isEmpty() ? "vol" : readable) + "-" + hash(text);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is in every Java runtime", e);
        }
    }
}
