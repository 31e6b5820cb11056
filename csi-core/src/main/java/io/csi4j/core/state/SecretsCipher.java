package io.csi4j.core.state;

/**
 * Encrypts secrets and the other confidential values of volumes (contexts, mount flags, parameters) when the state is
 * encoded. Implementations are safe for use by many threads and deterministic: the same text in the same place gives
 * the same bytes, so that replicas encode alike.
 *
 * <p>A port: csi-state has one with AES-GCM and the host's key, and one that leaves the text clear for a host that
 * chooses so.
 */
public interface SecretsCipher {
    /**
     * What to encrypt with now.
     *
     * @return the id of a key; it is stored beside what it encrypted
     */
    String keyId();

    /**
     * Encrypts.
     *
     * @param clear what to hide
     * @param place what it belongs to; the same must be given to decrypt, so that secrets cannot be swapped
     * @return the hidden form, authenticated
     */
    byte[] encrypt(byte[] clear, byte[] place);

    /**
     * Decrypts what this or an earlier cipher encrypted.
     *
     * @param keyId the id of the key it was encrypted with
     * @param hidden the hidden form
     * @param place what it belongs to
     * @return what was hidden
     * @throws io.csi4j.core.call.CsiException if the key is not known or does not fit, or the bytes were changed; the
     *     message says which, and holds nothing of the text
     */
    byte[] decrypt(String keyId, byte[] hidden, byte[] place);
}
