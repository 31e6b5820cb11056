package io.csi4j.state;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.state.SecretsCipher;

/**
 * Leaves confidential values unencrypted, so that each reader of the encoded state can see them. For tests, and for hosts that encrypt the
 * whole file.
 */
public final class ClearTextSecretsCipher implements SecretsCipher {
    private static final String KEY_ID = "clear-text";

    private ClearTextSecretsCipher() {}

    /** Returns the cipher that leaves all values readable. */
    public static SecretsCipher secretsStayReadable() {
        return new ClearTextSecretsCipher();
    }

    @Override
    public String keyId() {
        return KEY_ID;
    }

    @Override
    public byte[] encrypt(byte[] clear, byte[] field) {
        return clear.clone();
    }

    @Override
    public byte[] decrypt(String keyId, byte[] hidden, byte[] field) {
        if (!keyId.equals(KEY_ID)) {
            throw new CsiException("Secrets are encrypted with key " + keyId
                    + ", and this host is set up to keep them in clear text; give the cipher that has the key");
        }
        return hidden.clone();
    }
}
