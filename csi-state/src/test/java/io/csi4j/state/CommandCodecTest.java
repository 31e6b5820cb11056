package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.apply.RandomCommands;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.proto.command.v1.CommandProto;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.tree.Seeds;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class CommandCodecTest {
    private static final int COMMANDS = 2_000;
    private static final int SAMPLES = 300;
    /** The fields of rows that only older formats of the state use. */
    private static final Set<String> OLDER = Set.of(
            "VolumeSpec.secrets",
            "Volume.current_capability",
            "Volume.reading_allocations",
            "Volume.writing_allocations");

    static CommandCodec codec(SecretsCipher cipher) {
        return CommandCodec.of(StateStoreOptions.builder().secretsCipher(cipher).build());
    }

    private static CommandCodec encrypting() {
        return codec(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)));
    }

    @Test
    void commandsAndOutcomesFromRandomRunAreDecodedToEqualValues() {
        long seed = Seeds.next("CommandCodecTest").nextLong();
        RandomCommands commands =
                new RandomCommands(RandomGeneratorFactory.of("L64X128MixRandom").create(seed));
        NaiveState state = new NaiveState();
        CommandCodec codec = encrypting();
        for (int i = 0; i < COMMANDS; i++) {
            Command command = commands.next(state);
            checkCommand(codec, command, "command " + i + " of seed " + seed);
            checkOutcome(codec, state.apply(command), "outcome " + i + " of seed " + seed);
        }
    }

    /** Creates values by reflection, so that this test fails for a new record component until the component is encoded. */
    @Test
    void commandOfEachTypeIsDecodedToEqualValue() {
        SplittableRandom seeds = Seeds.next("CommandCodecTest");
        CommandCodec codec = encrypting();
        for (Class<?> kind : RandomValues.kinds(Command.class)) {
            for (int i = 0; i < SAMPLES; i++) {
                long seed = seeds.nextLong();
                Command command = (Command) new RandomValues(new SplittableRandom(seed)).of(kind);
                checkCommand(codec, command, kind.getSimpleName() + " of seed " + seed);
            }
        }
    }

    @Test
    void outcomeOfEachTypeIsDecodedToEqualValue() {
        SplittableRandom seeds = Seeds.next("CommandCodecTest");
        CommandCodec codec = encrypting();
        for (Class<?> kind : outcomes()) {
            for (int i = 0; i < SAMPLES; i++) {
                long seed = seeds.nextLong();
                checkOutcome(codec, outcome(kind, seed), kind.getSimpleName() + " of seed " + seed);
            }
        }
    }

    private static List<Class<?>> outcomes() {
        List<Class<?>> kinds = new java.util.ArrayList<>(RandomValues.kinds(Effect.class));
        kinds.addAll(RandomValues.kinds(Rejection.class));
        return kinds;
    }

    private static Outcome outcome(Class<?> kind, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Object value = new RandomValues(random).of(kind);
        return value instanceof Effect effect
                ? new Outcome.Accepted(
                        random.nextBoolean(), random.nextBoolean() ? List.of(effect) : List.of(effect, effect))
                : new Outcome.Rejected((Rejection) value);
    }

    private static void checkCommand(CommandCodec codec, Command command, String sample) {
        byte[] encoded = codec.encodeCommand(command);
        Command decoded = codec.decodeCommand(encoded);
        assertThat(decoded).as(sample).isEqualTo(command);
        // Also detects a changed order in collections whose equality ignores the order.
        assertThat(codec.encodeCommand(decoded)).as(sample).isEqualTo(encoded);
    }

    private static void checkOutcome(CommandCodec codec, Outcome outcome, String sample) {
        byte[] encoded = codec.encodeOutcome(outcome);
        Outcome decoded = codec.decodeOutcome(encoded);
        assertThat(decoded).as(sample).isEqualTo(outcome);
        assertThat(codec.encodeOutcome(decoded)).as(sample).isEqualTo(encoded);
    }

    /** Checks that the values use each field. The tests above would not detect that an unused field is not encoded. */
    @Test
    void randomCommandsAndOutcomesUseEveryFieldOfEncoding() throws InvalidProtocolBufferException {
        SplittableRandom seeds = Seeds.next("CommandCodecTest");
        CommandCodec readable = codec(ClearTextSecretsCipher.secretsStayReadable());
        Set<String> used = new TreeSet<>();
        for (int i = 0; i < SAMPLES; i++) {
            RandomValues values = new RandomValues(seeds.split());
            for (Class<?> kind : RandomValues.kinds(Command.class)) {
                use(used, CommandProto.EncodedCommand.parseFrom(readable.encodeCommand((Command) values.of(kind))));
            }
            for (Class<?> kind : outcomes()) {
                use(
                        used,
                        CommandProto.EncodedOutcome.parseFrom(readable.encodeOutcome(outcome(kind, seeds.nextLong()))));
            }
        }
        Set<String> all = new TreeSet<>();
        fields(all, CommandProto.EncodedCommand.getDescriptor());
        fields(all, CommandProto.EncodedOutcome.getDescriptor());
        fields(all, StateProto.Confidential.getDescriptor());
        all.removeAll(OLDER);
        assertThat(used).isEqualTo(all);
    }

    private static void use(Set<String> used, Message message) throws InvalidProtocolBufferException {
        if (message instanceof StateProto.HiddenSecrets hidden) {
            ByteString clear = hidden.getHidden();
            use(used, StateProto.Confidential.parseFrom(clear));
        }
        for (var field : message.getAllFields().entrySet()) {
            used.add(name(field.getKey()));
            if (field.getKey().getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                List<?> parts = field.getValue() instanceof List<?> list ? list : List.of(field.getValue());
                for (Object part : parts) {
                    use(used, (Message) part);
                }
            }
        }
    }

    private static void fields(Set<String> all, Descriptor message) {
        for (FieldDescriptor field : message.getFields()) {
            if (all.add(name(field)) && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                fields(all, field.getMessageType());
            }
        }
    }

    private static String name(FieldDescriptor field) {
        return field.getContainingType().getName() + "." + field.getName();
    }
}
