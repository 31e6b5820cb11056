package io.csi4j.state;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.state.SecretsCipher;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts with AES-GCM of the JDK and keys of the host. The nonce is derived from the key, the text and the volume, so
 * that all replicas produce the same bytes. Under one key, equal texts of a volume therefore have equal bytes in every
 * file, and a reader of two files can see whether a text changed between them. A collision of nonces becomes likely
 * only after 2^48 texts under one key.
 *
 * <p>To rotate keys, add the new key as the current one and keep the old keys as long as files exist that were written
 * with them. A file is encrypted with the new key when the state is encoded the next time.
 *
 * <pre>{@code
 * SecretsCipher cipher = AesGcmSecretsCipher.builder()
 *         .currentKey("2026-11", newKey)
 *         .oldKey("2026-05", oldKey)
 *         .build();
 * }</pre>
 */
public final class AesGcmSecretsCipher implements SecretsCipher {
    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final String MAC = "HmacSHA256";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final String currentKeyId;
    private final Map<String, Key> keys;

    private AesGcmSecretsCipher(String currentKeyId, Map<String, Key> keys) {
        this.currentKeyId = currentKeyId;
        this.keys = Map.copyOf(keys);
    }

    /** Returns a builder without keys. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String keyId() {
        return currentKeyId;
    }

    @Override
    public byte[] encrypt(byte[] clear, byte[] field) {
        Key key = key(currentKeyId);
        try {
            byte[] nonce = Arrays.copyOf(mac(key.nonceKey, field, clear), NONCE);
            // Creates a new Cipher for each text, because a Cipher rejects the nonce that it used last, and the same
            // text has the same nonce again.
            Cipher cipher = Cipher.getInstance(ALGORITHM);
            cipher.init(Cipher.ENCRYPT_MODE, key.key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(field);
            byte[] hidden = Arrays.copyOf(nonce, NONCE + cipher.getOutputSize(clear.length));
            cipher.doFinal(clear, 0, clear.length, hidden, NONCE);
            return hidden;
        } catch (GeneralSecurityException e) {
            throw new CsiException(
                    "Secrets cannot be encrypted with key " + currentKeyId
                            + "; check that it is an AES key of 128, 192 or 256 bits",
                    e);
        }
    }

    @Override
    public byte[] decrypt(String keyId, byte[] hidden, byte[] field) {
        Key key = key(keyId);
        try {
            Cipher cipher = Cipher.getInstance(ALGORITHM);
            if (hidden.length < NONCE + TAG_BITS / 8) {
                throw new CsiException("Secrets encrypted with key " + keyId + " are cut short");
            }
            cipher.init(Cipher.DECRYPT_MODE, key.key, new GCMParameterSpec(TAG_BITS, hidden, 0, NONCE));
            cipher.updateAAD(field);
            return cipher.doFinal(hidden, NONCE, hidden.length - NONCE);
        } catch (AEADBadTagException e) {
            throw new CsiException("Secrets do not open with key " + keyId
                    + ": the key under that id is not the one they were encrypted with, or they were changed; give the"
                    + " right key");
        } catch (GeneralSecurityException e) {
            throw new CsiException(
                    "Secrets cannot be decrypted with key " + keyId
                            + "; check that it is an AES key of 128, 192 or 256 bits",
                    e);
        }
    }

    private Key key(String keyId) {
        Key key = keys.get(keyId);
        if (key == null) {
            throw new CsiException("Secrets are encrypted with key " + keyId + ", which is not among the keys given ("
                    + String.join(", ", keys.keySet().stream().sorted().toList()) + "); add it as an old key");
        }
        return key;
    }

    private static byte[] mac(SecretKey key, byte[] field, byte[] clear) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(MAC);
        mac.init(key);
        // Writes the length of the field first, so that it is certain where the field ends and the clear text begins.
        mac.update(Integer.toString(field.length).getBytes(StandardCharsets.US_ASCII));
        mac.update((byte) 0);
        mac.update(field);
        return mac.doFinal(clear);
    }

    /** Returns the id of the current key and the number of keys. */
    @Override
    public String toString() {
        return "AesGcmSecretsCipher[current=" + currentKeyId + ", keys=" + keys.size() + "]";
    }

    private record Key(SecretKey key, SecretKey nonceKey) {
        static Key of(SecretKey key) {
            byte[] encoded = key.getEncoded();
            if (encoded == null || (encoded.length != 16 && encoded.length != 24 && encoded.length != 32)) {
                throw new IllegalArgumentException(
                        "AesGcmSecretsCipher: a key is not an AES key of 128, 192 or 256 bits; generate one with AES/256");
            }
            try {
                // Derives a separate key for the computation of nonces.
                Mac mac = Mac.getInstance(MAC);
                mac.init(new SecretKeySpec(encoded, MAC));
                byte[] nonceKey = mac.doFinal("csi4j nonce".getBytes(StandardCharsets.US_ASCII));
                return new Key(key, new SecretKeySpec(nonceKey, MAC));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("AesGcmSecretsCipher: this JDK has no " + MAC, e);
            }
        }

        @Override
        public String toString() {
            return "Key[not shown]";
        }
    }

    /** Builds {@link AesGcmSecretsCipher}s. Not thread-safe. */
    public static final class Builder {
        private final Map<String, Key> keys = new HashMap<>();
        private String current = "";

        private Builder() {}

        /**
         * Sets the key that encrypts new texts.
         *
         * @param keyId the id of the key, not empty; stored beside the encrypted values
         * @param key an AES key
         * @throws IllegalArgumentException if the key is not an AES key, or the id is empty or already used
         */
        public Builder currentKey(String keyId, SecretKey key) {
            if (!current.isEmpty()) {
                throw new IllegalArgumentException("AesGcmSecretsCipher: " + current
                        + " is the current key already; give " + keyId + " as an old key");
            }
            oldKey(keyId, key);
            current = keyId;
            return this;
        }

        /**
         * Adds a key that only decrypts.
         *
         * @param keyId the id of the key, not empty
         * @param key an AES key
         * @throws IllegalArgumentException if the key is not an AES key, or the id is empty or already used
         */
        public Builder oldKey(String keyId, SecretKey key) {
            Objects.requireNonNull(key, "key");
            if (keyId.isEmpty() || keys.putIfAbsent(keyId, Key.of(key)) != null) {
                throw new IllegalArgumentException("AesGcmSecretsCipher: key id \"" + keyId
                        + "\" is empty or names two keys; give each key an id of its own");
            }
            return this;
        }

        /**
         * Builds the cipher.
         *
         * @throws IllegalArgumentException if there is no current key
         */
        public AesGcmSecretsCipher build() {
            if (current.isEmpty()) {
                throw new IllegalArgumentException(
                        "AesGcmSecretsCipher: there is no key to encrypt with; set currentKey");
            }
            return new AesGcmSecretsCipher(current, keys);
        }
    }
}
