package io.csi4j.state;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.state.internal.codec.Commands;
import io.csi4j.state.internal.codec.Outcomes;
import io.csi4j.state.internal.codec.UnknownPartException;
import io.csi4j.values.internal.UnknownFields;
import java.io.IOException;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Encodes commands and outcomes, for a command log that writes them to a disk or sends them to other servers. Each
 * encoding contains its format version. A decoded value equals the encoded one, and equal values have equal bytes
 * if their maps and mount flags have the same order. Safe for use by many threads.
 *
 * <p>Secrets, contexts, mount flags, parameters and changes of parameters are encrypted with {@link
 * StateStoreOptions#secretsCipher}. All else is in clear text.
 */
public final class CommandCodec {
    /** The newest format that this version reads. */
    private static final int FORMAT = 1;

    private static final Parser<CommandProto.EncodedCommand> COMMANDS = CommandProto.EncodedCommand.parser();
    private static final Parser<CommandProto.EncodedOutcome> OUTCOMES = CommandProto.EncodedOutcome.parser();
    private static final Parser<CommandProto.EncodedCommand> LOSSY_COMMANDS = DiscardUnknownFieldsParser.wrap(COMMANDS);
    private static final Parser<CommandProto.EncodedOutcome> LOSSY_OUTCOMES = DiscardUnknownFieldsParser.wrap(OUTCOMES);

    private final Commands commands;
    private final Outcomes outcomes;

    private CommandCodec(StateStoreOptions options) {
        SecretsCipher cipher = options.secretsCipher().orElse(null);
        this.commands = new Commands(cipher);
        this.outcomes = new Outcomes(cipher);
    }

    /**
     * Creates a codec.
     *
     * @param options the options of the store; only the cipher is used
     */
    public static CommandCodec of(StateStoreOptions options) {
        return new CommandCodec(options);
    }

    /**
     * Encodes a command.
     *
     * @throws io.csi4j.core.call.CsiException if the command has confidential values and there is no cipher, or the
     *     cipher failed
     */
    public byte[] encodeCommand(Command command) {
        return CommandProto.EncodedCommand.newBuilder()
                .setFormat(FORMAT)
                .setCommand(commands.command(command))
                .build()
                .toByteArray();
    }

    /**
     * Decodes a command.
     *
     * @throws NewerFormatException if a newer version encoded the command, and this version does not know its format,
     *     its type or one of its fields
     * @throws CommandFormatException if the bytes are not an encoded command
     * @throws io.csi4j.core.call.CsiException if confidential values cannot be decrypted
     */
    public Command decodeCommand(byte[] encoded) {
        return decode(
                "command",
                COMMANDS,
                LOSSY_COMMANDS,
                encoded,
                CommandProto.EncodedCommand::getFormat,
                row -> commands.command(row.getCommand()));
    }

    /**
     * Encodes an outcome.
     *
     * @throws io.csi4j.core.call.CsiException if the outcome has confidential values and there is no cipher, or the
     *     cipher failed
     */
    public byte[] encodeOutcome(Outcome outcome) {
        return CommandProto.EncodedOutcome.newBuilder()
                .setFormat(FORMAT)
                .setOutcome(outcomes.outcome(outcome))
                .build()
                .toByteArray();
    }

    /**
     * Decodes an outcome.
     *
     * @throws NewerFormatException if a newer version encoded the outcome, and this version does not know its format,
     *     its type or one of its fields
     * @throws CommandFormatException if the bytes are not an encoded outcome
     * @throws io.csi4j.core.call.CsiException if confidential values cannot be decrypted
     */
    public Outcome decodeOutcome(byte[] encoded) {
        return decode(
                "outcome",
                OUTCOMES,
                LOSSY_OUTCOMES,
                encoded,
                CommandProto.EncodedOutcome::getFormat,
                row -> outcomes.outcome(row.getOutcome()));
    }

    private static <M extends Message, T> T decode(
            String what,
            Parser<M> parser,
            Parser<M> lossy,
            byte[] encoded,
            ToIntFunction<M> format,
            FromProto<M, T> reader) {
        try {
            M row = lossy.parseFrom(encoded);
            String unknown = UnknownFields.find(parser, row, encoded);
            int written = format.applyAsInt(row);
            if (Integer.compareUnsigned(written, FORMAT) > 0 || unknown != null) {
                throw newer(what, written, unknown == null ? "" : ", with " + unknown, null);
            } else if (written == 0) {
                throw damaged(what, "it has no format version", null);
            }
            return reader.read(row);
        } catch (UnknownPartException e) {
            throw newer(what, FORMAT, ": " + e.getMessage(), e);
        } catch (InvalidProtocolBufferException e) {
            throw damaged(what, "it is not a message of csi4j", e);
        } catch (IOException | IllegalArgumentException e) {
            throw damaged(what, String.valueOf(e.getMessage()), e);
        }
    }

    private static NewerFormatException newer(String what, int format, String detail, @Nullable Exception cause) {
        return new NewerFormatException(
                "A newer version of csi4j encoded this " + what + ": it has format "
                        + Integer.toUnsignedString(format) + detail + "; this version supports formats up to " + FORMAT
                        + ". Upgrade this server first",
                cause);
    }

    private static CommandFormatException damaged(String what, String reason, @Nullable Exception cause) {
        return new CommandFormatException(
                "An encoded " + what + " is not usable: " + reason + "; use another copy of the log", cause);
    }

    private interface FromProto<M, T> {
        T read(M row) throws IOException;
    }
}
