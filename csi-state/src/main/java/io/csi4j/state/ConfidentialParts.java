package io.csi4j.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.state.v1.StateProto;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Encrypts and decrypts the confidential values of volumes. Each error names the volume and shows no value. */
final class ConfidentialParts {
    private final @Nullable SecretsCipher cipher;

    ConfidentialParts(@Nullable SecretsCipher cipher) {
        this.cipher = cipher;
    }

    StateProto.HiddenSecrets hide(VolumeKey key, StateProto.Confidential clear) {
        if (cipher == null) {
            throw new CsiException("Volume " + key + " has secrets, contexts, mount flags or parameters, and there is"
                    + " no cipher to hide them with; set StateStoreOptions.secretsCipher, for example to an"
                    + " AesGcmSecretsCipher");
        }
        return StateProto.HiddenSecrets.newBuilder()
                .setKeyId(cipher.keyId())
                .setHidden(ByteString.copyFrom(encrypt(cipher, key, clear.toByteArray())))
                .build();
    }

    StateProto.Confidential reveal(VolumeKey key, StateProto.HiddenSecrets hidden) {
        byte[] clear = decrypt(key, hidden, place(key));
        try {
            return StateProto.Confidential.parseFrom(clear);
        } catch (InvalidProtocolBufferException e) {
            throw notWhatWasEncrypted(key, hidden);
        }
    }

    /** Decrypts secrets of format 2 and earlier, which have their own field. */
    Secrets revealSecrets(VolumeKey key, StateProto.HiddenSecrets hidden) {
        byte[] clear = decrypt(key, hidden, placeOfSecrets(key));
        try {
            return Secrets.of(
                    PartsFromProto.entries(StateProto.Topology.parseFrom(clear).getSegmentsList()));
        } catch (InvalidProtocolBufferException e) {
            throw notWhatWasEncrypted(key, hidden);
        }
    }

    /** Returns an exception without a cause, which might quote decrypted values. */
    private static CsiException notWhatWasEncrypted(VolumeKey key, StateProto.HiddenSecrets hidden) {
        return new CsiException("Secrets of volume " + key + " opened with key " + hidden.getKeyId()
                + ", but are not what was encrypted; check that the key id names the right key");
    }

    /** Leaves out the message of a foreign exception, because it may contain clear text. */
    private static byte[] encrypt(SecretsCipher cipher, VolumeKey key, byte[] clear) {
        try {
            return cipher.encrypt(clear, place(key));
        } catch (CsiException e) {
            throw new CsiException("Volume " + key + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of volume " + key + " could not be hidden: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /**
     * Does not throw {@link StateFormatException}, because a failure of the cipher does not mean that the stream is damaged.
     */
    private byte[] decrypt(VolumeKey key, StateProto.HiddenSecrets hidden, byte[] place) {
        if (cipher == null) {
            throw new CsiException("Volume " + key + " has secrets, contexts, mount flags or parameters encrypted with"
                    + " key " + hidden.getKeyId() + ", and there is no cipher to open them; set"
                    + " StateStoreOptions.secretsCipher");
        }
        try {
            return cipher.decrypt(hidden.getKeyId(), hidden.getHidden().toByteArray(), place);
        } catch (CsiException e) {
            throw new CsiException("Volume " + key + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of volume " + key + " encrypted with key " + hidden.getKeyId()
                    + " could not be opened: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /** Returns data that binds values to their volume: they cannot be decrypted under the key of another volume. */
    private static byte[] place(VolumeKey key) {
        return (Keys.VOLUME_KEYS.text(key) + "\0confidential").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] placeOfSecrets(VolumeKey key) {
        return Keys.VOLUME_KEYS.text(key).getBytes(StandardCharsets.UTF_8);
    }
}
