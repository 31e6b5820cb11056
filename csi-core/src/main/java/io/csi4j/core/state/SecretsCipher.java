package io.csi4j.core.state;

/**
 * Encrypts the secrets and other confidential values of volumes (contexts, mount flags, parameters) when the state is
 * encoded. Implementations must be safe for use by many threads, and deterministic: the same text in the same place
 * must give the same bytes, so that all servers encode the state alike.
 *
 * <p>csi-state contains an implementation with AES-GCM and a key of the host, and one that does not encrypt, for a
 * host that chooses so.
 */
public interface SecretsCipher {
    /** Returns the id of the key that {@link #encrypt} uses now. The id is stored with the encrypted bytes. */
    String keyId();

    /**
     * Encrypts the value of one field.
     *
     * @param clear the bytes to encrypt
     * @param field the name of the field; decryption needs the same name, so that the encrypted value of one field
     *     cannot be used for another
     * @return the encrypted and authenticated bytes
     */
    byte[] encrypt(byte[] clear, byte[] field);

    /**
     * Decrypts bytes that this or an earlier cipher encrypted.
     *
     * @param keyId the id of the key that encrypted the bytes
     * @param hidden the encrypted bytes
     * @param field the name of the field, as given to {@link #encrypt}
     * @return the clear bytes
     * @throws io.csi4j.core.call.CsiException if the key is not known or does not match, or the bytes were changed;
     *     the message names the cause and contains nothing of the text
     */
    byte[] decrypt(String keyId, byte[] hidden, byte[] field);
}
