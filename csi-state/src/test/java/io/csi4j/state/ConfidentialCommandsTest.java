package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.state.internal.tree.Seeds;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Values that may hold credentials are in an encoded command or outcome only in encrypted form. */
class ConfidentialCommandsTest {
    private static final int SAMPLES = 100;
    private static final Command PUBLISHED = new AttachmentCommand.RecordPublished(
            SampleCommands.KEY,
            SampleCommands.NODE,
            8,
            PublishContext.of(Map.of("key", ConfidentialValuesTest.CANARY)),
            Instant.EPOCH);

    private final CommandCodec readable = CommandCodecTest.codec(ClearTextSecretsCipher.secretsStayReadable());
    private final CommandCodec encrypting = CommandCodecTest.codec(cipher(1));
    private final CommandCodec withoutCipher = CommandCodec.of(StateStoreOptions.ofDefaults());

    private static SecretsCipher cipher(int seed) {
        return StateEncodingTest.cipher("k1", StateEncodingTest.key(seed));
    }

    @Test
    void encodedCommandsAndOutcomesContainNoConfidentialValue() {
        SplittableRandom seeds = Seeds.next("ConfidentialCommandsTest");
        Set<String> confidential = new TreeSet<>();
        for (int i = 0; i < SAMPLES; i++) {
            long seed = seeds.nextLong();
            RandomValues values = new RandomValues(new SplittableRandom(seed));
            for (Class<?> type : List.of(Command.class, Effect.class, Rejection.class)) {
                for (Class<?> kind : RandomValues.kinds(type)) {
                    addIfConfidential(confidential, values.of(kind), seed);
                }
            }
            // A random rejection in a batch is rarely one with confidential values.
            Rejection rejection = (Rejection) values.of(Rejection.ClaimStillAttached.class);
            addIfConfidential(confidential, new Rejection.InBatch(0, rejection), seed);
        }
        // The search finds the values where they are in clear text.
        assertThat(confidential)
                .containsExactly(
                        "Batch",
                        "BeginModification",
                        "ClaimStillAttached",
                        "ClaimTaken",
                        "CreateSnapshot",
                        "InBatch",
                        "PutVolumeClass",
                        "RecordModified",
                        "RecordProviderFacts",
                        "RecordPublished",
                        "RegisterVolume",
                        "RequestClaims",
                        "SnapshotStored",
                        "TakeClaims",
                        "UpdateVolume",
                        "VolumeStored");
    }

    /** Adds the kind of a value with confidential values, and checks that they are encrypted. */
    private void addIfConfidential(Set<String> confidential, Object value, long seed) {
        String kind = value.getClass().getSimpleName();
        assertThat(ConfidentialValuesTest.leaks(encode(encrypting, value)))
                .as("%s of seed %d", kind, seed)
                .isEmpty();
        if (!ConfidentialValuesTest.leaks(encode(readable, value)).isEmpty()) {
            confidential.add(kind);
        }
    }

    private static byte[] encode(CommandCodec codec, Object value) {
        if (value instanceof Command command) {
            return codec.encodeCommand(command);
        }
        return codec.encodeOutcome(
                value instanceof Effect effect
                        ? new Outcome.Accepted(true, List.of(effect))
                        : new Outcome.Rejected((Rejection) value));
    }

    @Test
    void encodingConfidentialValueWithoutCipherFails() {
        assertThatThrownBy(() -> withoutCipher.encodeCommand(PUBLISHED))
                .isInstanceOf(CsiException.class)
                .hasMessageContaining("default/full")
                .hasMessageContaining("set StateStoreOptions.secretsCipher")
                .hasMessageNotContaining(ConfidentialValuesTest.CANARY);
    }

    @Test
    void commandWithoutConfidentialValuesNeedsNoCipher() {
        Command command = new VolumeCommand.MarkForGc(SampleCommands.KEY, Instant.EPOCH);
        assertThat(withoutCipher.decodeCommand(withoutCipher.encodeCommand(command)))
                .isEqualTo(command);
    }

    @Test
    void decodingEncryptedValueWithoutItsKeyFails() {
        byte[] encoded = encrypting.encodeCommand(PUBLISHED);
        assertThatThrownBy(() -> withoutCipher.decodeCommand(encoded))
                .isInstanceOf(CsiException.class)
                .hasMessageContaining("default/full")
                .hasMessageContaining("key k1")
                .hasMessageContaining("set StateStoreOptions.secretsCipher");
        assertThatThrownBy(() -> CommandCodecTest.codec(cipher(2)).decodeCommand(encoded))
                .isInstanceOf(CsiException.class)
                .isNotInstanceOf(CommandFormatException.class)
                .hasMessageContaining("give the right key");
    }

    @Test
    void encryptedValueMovedToOtherVolumeOrCommandIsNotDecrypted() throws Exception {
        CommandProto.EncodedCommand published =
                CommandProto.EncodedCommand.parseFrom(encrypting.encodeCommand(PUBLISHED));
        CommandProto.EncodedCommand.Builder otherVolume = published.toBuilder();
        otherVolume
                .getCommandBuilder()
                .getRecordPublishedBuilder()
                .getKeyBuilder()
                .setVolumeId("plain");
        CommandProto.EncodedCommand.Builder otherCommand = published.toBuilder();
        otherCommand
                .getCommandBuilder()
                .setBeginModification(CommandProto.BeginModification.newBuilder()
                        .setKey(published.getCommand().getRecordPublished().getKey())
                        .setConfidential(
                                published.getCommand().getRecordPublished().getConfidential()));
        for (CommandProto.EncodedCommand.Builder moved : List.of(otherVolume, otherCommand)) {
            assertThatThrownBy(() -> encrypting.decodeCommand(moved.build().toByteArray()))
                    .isInstanceOf(CsiException.class)
                    .hasMessageContaining("Secrets do not open with key k1");
        }
    }
}
