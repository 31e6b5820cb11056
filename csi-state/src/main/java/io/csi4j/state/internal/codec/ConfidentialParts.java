package io.csi4j.state.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.UnknownFields;
import io.csi4j.values.internal.Values;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encrypts and decrypts the confidential values of volumes. Each error names the volume and shows no value. */
final class ConfidentialParts {
    /** The name of the field in which a volume's row keeps its encrypted values. */
    static final String ROW = "confidential";

    // The names of fields of commands, effects and rejections. They are part of the format and must not change.
    static final String REGISTER_VOLUME = "command RegisterVolume";
    static final String UPDATE_VOLUME = "command UpdateVolume";
    static final String RECORD_PROVIDER_FACTS = "command RecordProviderFacts";
    static final String BEGIN_MODIFICATION = "command BeginModification";
    static final String RECORD_MODIFIED = "command RecordModified";
    static final String TAKE_CLAIMS = "command TakeClaims";
    static final String RECORD_PUBLISHED = "command RecordPublished";
    static final String CLAIM_TAKEN = "effect ClaimTaken";
    static final String CLAIM_STILL_ATTACHED = "rejection ClaimStillAttached";

    private final @Nullable SecretsCipher cipher;

    ConfidentialParts(@Nullable SecretsCipher cipher) {
        this.cipher = cipher;
    }

    StateProto.HiddenSecrets hide(VolumeKey key, String field, StateProto.Confidential clear) {
        if (cipher == null) {
            throw new CsiException("Volume " + key + " has secrets, contexts, mount flags or parameters, and there is"
                    + " no cipher to hide them with; set StateStoreOptions.secretsCipher, for example to an"
                    + " AesGcmSecretsCipher");
        }
        return StateProto.HiddenSecrets.newBuilder()
                .setKeyId(cipher.keyId())
                .setHidden(ByteString.copyFrom(encrypt(cipher, key, field, clear.toByteArray())))
                .build();
    }

    /** Encrypts values; returns empty, without needing a cipher, if there are no values. */
    Optional<StateProto.HiddenSecrets> hideAny(VolumeKey key, String field, StateProto.Confidential.Builder values) {
        StateProto.Confidential clear = values.build();
        return clear.getSerializedSize() == 0 ? Optional.empty() : Optional.of(hide(key, field, clear));
    }

    /**
     * Decrypts values that may be absent.
     *
     * @throws UnknownPartException if the message has a value that this version does not know
     */
    StateProto.Confidential revealAny(VolumeKey key, String field, boolean present, StateProto.HiddenSecrets hidden) {
        if (!present) {
            return StateProto.Confidential.getDefaultInstance();
        }
        StateProto.Confidential clear = reveal(key, field, hidden);
        String unknown = UnknownFields.find(clear);
        if (unknown != null) {
            throw new UnknownPartException("it has " + unknown, null);
        }
        return clear;
    }

    StateProto.Confidential reveal(VolumeKey key, String field, StateProto.HiddenSecrets hidden) {
        byte[] clear = decrypt(key, hidden, associatedData(key, field));
        try {
            return StateProto.Confidential.parseFrom(clear);
        } catch (InvalidProtocolBufferException e) {
            throw notWhatWasEncrypted(key, hidden);
        }
    }

    /** Decrypts the secrets of format 2 and earlier formats, which are in a separate field. */
    Secrets revealSecrets(VolumeKey key, StateProto.HiddenSecrets hidden) {
        byte[] clear = decrypt(key, hidden, associatedDataOfSecrets(key));
        try {
            return Secrets.of(
                    Values.entries(ValuesProto.Topology.parseFrom(clear).getSegmentsList()));
        } catch (InvalidProtocolBufferException e) {
            throw notWhatWasEncrypted(key, hidden);
        }
    }

    /**
     * Returns the exception for decrypted bytes that cannot be read. It has no cause, because the text of a cause might quote decrypted
     * values.
     */
    private static CsiException notWhatWasEncrypted(VolumeKey key, StateProto.HiddenSecrets hidden) {
        return new CsiException("Secrets of volume " + key + " opened with key " + hidden.getKeyId()
                + ", but are not what was encrypted; check that the key id names the right key");
    }

    /** Encrypts bytes. If the cipher throws, its message is left out, because it may contain clear text. */
    private static byte[] encrypt(SecretsCipher cipher, VolumeKey key, String field, byte[] clear) {
        try {
            return cipher.encrypt(clear, associatedData(key, field));
        } catch (CsiException e) {
            throw new CsiException("Volume " + key + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of volume " + key + " could not be hidden: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /**
     * Decrypts bytes. A failure of the cipher is not reported as a format exception, because it does not mean that the stream is damaged.
     */
    private byte[] decrypt(VolumeKey key, StateProto.HiddenSecrets hidden, byte[] associatedData) {
        if (cipher == null) {
            throw new CsiException("Volume " + key + " has secrets, contexts, mount flags or parameters encrypted with"
                    + " key " + hidden.getKeyId() + ", and there is no cipher to open them; set"
                    + " StateStoreOptions.secretsCipher");
        }
        try {
            return cipher.decrypt(hidden.getKeyId(), hidden.getHidden().toByteArray(), associatedData);
        } catch (CsiException e) {
            throw new CsiException("Volume " + key + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of volume " + key + " encrypted with key " + hidden.getKeyId()
                    + " could not be opened: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /**
     * Returns data that binds values to their volume and field: they cannot be decrypted under the key of another volume
     * or in another field.
     */
    private static byte[] associatedData(VolumeKey key, String field) {
        return (text(key) + '\0' + field).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] associatedDataOfSecrets(VolumeKey key) {
        return text(key).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(VolumeKey key) {
        return key.namespace().value() + '\0' + key.volumeId().value();
    }
}
