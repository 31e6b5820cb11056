package io.csi4j.state.internal.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.UnknownFields;
import io.csi4j.values.internal.Values;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encrypts and decrypts the confidential values of volumes, volume classes and snapshots. Each error names the object and shows no value. */
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
    static final String PUT_VOLUME_CLASS = "command PutVolumeClass";
    static final String CREATE_SNAPSHOT = "command CreateSnapshot";
    static final String SNAPSHOT_STORED = "effect SnapshotStored";
    static final String CLAIM_TAKEN = "effect ClaimTaken";
    static final String CLAIM_STILL_ATTACHED = "rejection ClaimStillAttached";

    private final @Nullable SecretsCipher cipher;

    /**
     * The object to which values belong.
     *
     * @param kind for messages, for example {@code volume}
     * @param id for messages
     * @param bound the bytes that bind values to the object, as text; differs for all objects of all kinds
     */
    private record Owner(String kind, String id, String bound) {
        static Owner of(VolumeKey key) {
            return new Owner(
                    "volume",
                    key.toString(),
                    key.namespace().value() + '\0' + key.volumeId().value());
        }

        /** The text of a class begins with NUL; that of a volume does not, because no namespace is empty. */
        static Owner of(VolumeClassName name) {
            return new Owner("volume class", name.toString(), '\0' + name.value());
        }

        /** The text of a snapshot begins with two NULs; that of a class does not, because no name of a class is empty. */
        static Owner of(SnapshotKey key) {
            return new Owner(
                    "snapshot",
                    key.toString(),
                    "\0\0" + key.namespace().value() + '\0' + key.name().value());
        }

        String begin() {
            return kind.substring(0, 1).toUpperCase(Locale.ROOT) + kind.substring(1) + " " + id;
        }

        @Override
        public String toString() {
            return kind + " " + id;
        }
    }

    ConfidentialParts(@Nullable SecretsCipher cipher) {
        this.cipher = cipher;
    }

    StateProto.HiddenSecrets hide(VolumeKey key, String field, StateProto.Confidential clear) {
        return hide(Owner.of(key), field, clear);
    }

    private StateProto.HiddenSecrets hide(Owner owner, String field, StateProto.Confidential clear) {
        if (cipher == null) {
            throw new CsiException(owner.begin() + " has secrets, contexts, mount flags or parameters, and there is"
                    + " no cipher to hide them with; set StateStoreOptions.secretsCipher, for example to an"
                    + " AesGcmSecretsCipher");
        }
        return StateProto.HiddenSecrets.newBuilder()
                .setKeyId(cipher.keyId())
                .setHidden(ByteString.copyFrom(encrypt(cipher, owner, field, clear.toByteArray())))
                .build();
    }

    /** Encrypts values; returns empty, without needing a cipher, if there are no values. */
    Optional<StateProto.HiddenSecrets> hideAny(VolumeKey key, String field, StateProto.Confidential.Builder values) {
        return hideAny(Owner.of(key), field, values);
    }

    /** Encrypts values of a class; returns empty, without needing a cipher, if there are no values. */
    Optional<StateProto.HiddenSecrets> hideAny(
            VolumeClassName name, String field, StateProto.Confidential.Builder values) {
        return hideAny(Owner.of(name), field, values);
    }

    private Optional<StateProto.HiddenSecrets> hideAny(
            Owner owner, String field, StateProto.Confidential.Builder values) {
        StateProto.Confidential clear = values.build();
        return clear.getSerializedSize() == 0 ? Optional.empty() : Optional.of(hide(owner, field, clear));
    }

    /** Encrypts values of a snapshot; returns empty, without needing a cipher, if there are no values. */
    Optional<StateProto.HiddenSecrets> hideAny(SnapshotKey key, String field, StateProto.Confidential.Builder values) {
        return hideAny(Owner.of(key), field, values);
    }

    /**
     * Decrypts values of a snapshot that may be absent.
     *
     * @throws UnknownPartException if the message has a value that this version does not know
     */
    StateProto.Confidential revealAny(SnapshotKey key, String field, boolean present, StateProto.HiddenSecrets hidden) {
        return revealAny(Owner.of(key), field, present, hidden);
    }

    /**
     * Decrypts values that may be absent.
     *
     * @throws UnknownPartException if the message has a value that this version does not know
     */
    StateProto.Confidential revealAny(VolumeKey key, String field, boolean present, StateProto.HiddenSecrets hidden) {
        return revealAny(Owner.of(key), field, present, hidden);
    }

    /**
     * Decrypts values of a class that may be absent.
     *
     * @throws UnknownPartException if the message has a value that this version does not know
     */
    StateProto.Confidential revealAny(
            VolumeClassName name, String field, boolean present, StateProto.HiddenSecrets hidden) {
        return revealAny(Owner.of(name), field, present, hidden);
    }

    private StateProto.Confidential revealAny(
            Owner owner, String field, boolean present, StateProto.HiddenSecrets hidden) {
        if (!present) {
            return StateProto.Confidential.getDefaultInstance();
        }
        StateProto.Confidential clear = reveal(owner, field, hidden);
        String unknown = UnknownFields.find(clear);
        if (unknown != null) {
            throw new UnknownPartException("it has " + unknown, null);
        }
        return clear;
    }

    StateProto.Confidential reveal(VolumeKey key, String field, StateProto.HiddenSecrets hidden) {
        return reveal(Owner.of(key), field, hidden);
    }

    private StateProto.Confidential reveal(Owner owner, String field, StateProto.HiddenSecrets hidden) {
        byte[] clear = decrypt(owner, hidden, associatedData(owner, field));
        try {
            return StateProto.Confidential.parseFrom(clear);
        } catch (InvalidProtocolBufferException e) {
            throw notWhatWasEncrypted(owner, hidden);
        }
    }

    /** Decrypts the secrets of format 2 and earlier formats, which are in a separate field. */
    Secrets revealSecrets(VolumeKey key, StateProto.HiddenSecrets hidden) {
        Owner owner = Owner.of(key);
        byte[] clear = decrypt(owner, hidden, owner.bound().getBytes(StandardCharsets.UTF_8));
        try {
            return Secrets.of(
                    Values.entries(ValuesProto.Topology.parseFrom(clear).getSegmentsList()));
        } catch (InvalidProtocolBufferException e) {
            throw notWhatWasEncrypted(owner, hidden);
        }
    }

    /**
     * Returns the exception for decrypted bytes that cannot be read. It has no cause, because the text of a cause might quote decrypted
     * values.
     */
    private static CsiException notWhatWasEncrypted(Owner owner, StateProto.HiddenSecrets hidden) {
        return new CsiException("Secrets of " + owner + " opened with key " + hidden.getKeyId()
                + ", but are not what was encrypted; check that the key id names the right key");
    }

    /** Encrypts bytes. If the cipher throws, its message is left out, because it may contain clear text. */
    private static byte[] encrypt(SecretsCipher cipher, Owner owner, String field, byte[] clear) {
        try {
            return cipher.encrypt(clear, associatedData(owner, field));
        } catch (CsiException e) {
            throw new CsiException(owner.begin() + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of " + owner + " could not be hidden: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /**
     * Decrypts bytes. A failure of the cipher is not reported as a format exception, because it does not mean that the stream is damaged.
     */
    private byte[] decrypt(Owner owner, StateProto.HiddenSecrets hidden, byte[] associatedData) {
        if (cipher == null) {
            throw new CsiException(owner.begin() + " has secrets, contexts, mount flags or parameters encrypted with"
                    + " key " + hidden.getKeyId() + ", and there is no cipher to open them; set"
                    + " StateStoreOptions.secretsCipher");
        }
        try {
            return cipher.decrypt(hidden.getKeyId(), hidden.getHidden().toByteArray(), associatedData);
        } catch (CsiException e) {
            throw new CsiException(owner.begin() + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new CsiException("Secrets of " + owner + " encrypted with key " + hidden.getKeyId()
                    + " could not be opened: the cipher failed with "
                    + e.getClass().getName() + "; see to it and try again");
        }
    }

    /**
     * Returns data that binds values to their object and field: they cannot be decrypted under the name of another object
     * or in another field.
     */
    private static byte[] associatedData(Owner owner, String field) {
        return (owner.bound() + '\0' + field).getBytes(StandardCharsets.UTF_8);
    }
}
