package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.proto.command.v1.CommandProto.EncodedCommand;
import io.csi4j.proto.command.v1.CommandProto.EncodedOutcome;
import io.csi4j.proto.state.v1.StateProto;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An encoding that this version cannot decode completely is refused as a whole. */
@Tag("versions")
class UnknownCommandsTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(777, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();

    private final CommandCodec codec = CommandCodecTest.codec(ClearTextSecretsCipher.secretsStayReadable());

    private byte[] command(String name, Consumer<EncodedCommand.Builder> change) throws Exception {
        Command command = SampleCommands.commands().get(name);
        EncodedCommand.Builder row = EncodedCommand.parseFrom(codec.encodeCommand(command)).toBuilder();
        change.accept(row);
        return row.build().toByteArray();
    }

    private byte[] outcome(String name, Consumer<EncodedOutcome.Builder> change) throws Exception {
        Outcome outcome = SampleCommands.outcomes().get(name);
        EncodedOutcome.Builder row = EncodedOutcome.parseFrom(codec.encodeOutcome(outcome)).toBuilder();
        change.accept(row);
        return row.build().toByteArray();
    }

    private void refusesCommand(byte[] encoded, String... parts) {
        assertThatThrownBy(() -> codec.decodeCommand(encoded))
                .isInstanceOf(NewerFormatException.class)
                .hasMessageContainingAll(parts)
                .hasMessageContaining("this version supports formats up to 1. Upgrade this server first");
    }

    private void refusesOutcome(byte[] encoded, String... parts) {
        assertThatThrownBy(() -> codec.decodeOutcome(encoded))
                .isInstanceOf(NewerFormatException.class)
                .hasMessageContainingAll(parts)
                .hasMessageContaining("this version supports formats up to 1. Upgrade this server first");
    }

    /** Calls the method of the interface: the class that declares it differs between versions of protobuf. */
    private static void setUnknown(Message.Builder row) {
        row.setUnknownFields(UNKNOWN);
    }

    @Test
    void newerCommandFormatIsRefused() throws Exception {
        refusesCommand(command("FreeClaim", row -> row.setFormat(2)), "this command: it has format 2");
        refusesCommand(command("FreeClaim", row -> row.setFormat(-1)), "it has format 4294967295");
        refusesOutcome(outcome("ClaimFreed", row -> row.setFormat(2)), "this outcome: it has format 2");
    }

    @Test
    void errorForUnknownCommandTypeContainsItsNumber() throws Exception {
        Consumer<EncodedCommand.Builder> other =
                row -> setUnknown(row.getCommandBuilder().clearKind());
        refusesCommand(command("FreeClaim", other), "format 1, with kind 777 of Command");
        refusesCommand(
                command("FreeClaim", other.andThen(row -> row.setFormat(3))), "format 3, with kind 777 of Command");
    }

    @Test
    void unknownCommandInBatchIsRefused() throws Exception {
        refusesCommand(
                command(
                        "Batch",
                        row -> setUnknown(row.getCommandBuilder()
                                .getBatchBuilder()
                                .getCommandsBuilder(1)
                                .clearKind())),
                "kind 777 of Command");
    }

    @Test
    void unknownEffectAndRejectionAreRefused() throws Exception {
        refusesOutcome(
                outcome(
                        "ClaimFreed",
                        row -> setUnknown(row.getOutcomeBuilder()
                                .getAcceptedBuilder()
                                .getEffectsBuilder(0)
                                .clearKind())),
                "kind 777 of Effect");
        refusesOutcome(
                outcome(
                        "VolumeNotFound",
                        row -> setUnknown(
                                row.getOutcomeBuilder().getRejectedBuilder().clearKind())),
                "kind 777 of Rejection");
    }

    @Test
    void unknownFieldIsRefusedAtAnyNestingDepth() throws Exception {
        refusesCommand(command("FreeClaim", row -> setUnknown(row)), "field 777 of EncodedCommand");
        refusesCommand(
                command("FreeClaim", row -> setUnknown(row.getCommandBuilder().getFreeClaimBuilder())),
                "field 777 of FreeClaim");
        refusesCommand(
                command(
                        "RegisterVolume",
                        row -> setUnknown(row.getCommandBuilder()
                                .getRegisterVolumeBuilder()
                                .getSpecBuilder()
                                .getMountOptionsBuilder())),
                "field 777 of MountOptions");
    }

    @Test
    void unknownConfidentialFieldIsRefused() throws Exception {
        refusesCommand(
                command("RecordPublished", row -> {
                    StateProto.HiddenSecrets.Builder hidden =
                            row.getCommandBuilder().getRecordPublishedBuilder().getConfidentialBuilder();
                    hidden.setHidden(hidden.getHidden().concat(UNKNOWN.toByteString()));
                }),
                "field 777 of Confidential");
    }

    @Test
    void unknownEnumNameIsRefused() throws Exception {
        refusesCommand(
                command(
                        "SetVolumePhase",
                        row -> row.getCommandBuilder()
                                .getSetVolumePhaseBuilder()
                                .setPhase("ARCHIVED")),
                "phase is \"ARCHIVED\", which is not known here");
    }

    @Test
    void encodingWithMissingPartsIsRefused() throws Exception {
        for (byte[] encoded : new byte[][] {
            {},
            command("FreeClaim", EncodedCommand.Builder::clearFormat),
            command("FreeClaim", EncodedCommand.Builder::clearCommand),
            command("FreeClaim", row -> row.getCommandBuilder().clearAt()),
            command("FreeClaim", row -> row.getCommandBuilder().clearKind()),
            command(
                    "FreeClaim",
                    row -> row.getCommandBuilder().getFreeClaimBuilder().clearKey()),
            command(
                    "RecordCallError",
                    row -> row.getCommandBuilder().getRecordCallErrorBuilder().clearAttempt()),
            command(
                    "BeginExpansion",
                    row -> row.getCommandBuilder().getBeginExpansionBuilder().clearRange())
        }) {
            assertThatThrownBy(() -> codec.decodeCommand(encoded))
                    .isInstanceOf(CommandFormatException.class)
                    .isNotInstanceOf(NewerFormatException.class)
                    .hasMessageContaining("use another copy of the log");
        }
    }

    @Test
    void truncatedEncodingIsRefused() {
        SampleCommands.commands().forEach((name, command) -> {
            byte[] encoded = codec.encodeCommand(command);
            for (int length = 0; length < encoded.length; length++) {
                byte[] cut = Arrays.copyOf(encoded, length);
                assertThatThrownBy(() -> codec.decodeCommand(cut))
                        .as("%s cut after %d bytes", name, length)
                        .isInstanceOf(CommandFormatException.class);
            }
            assertThat(codec.decodeCommand(encoded)).isEqualTo(command);
        });
    }
}
