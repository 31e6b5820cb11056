package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.NaiveState;
import io.csi4j.core.state.RandomCommands;
import io.csi4j.state.internal.tree.Seeds;
import java.util.SplittableRandom;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class CommandCodecTest {
    private static final int COMMANDS = 10_000;

    static CommandCodec codec() {
        return CommandCodec.of(StateStoreOptions.builder()
                .secretsCipher(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))
                .build());
    }

    @Test
    void commandsAndOutcomesOfARandomClusterAreDecodedToEqualValues() {
        SplittableRandom seeds = Seeds.next("CommandCodecTest");
        long seed = seeds.nextLong();
        RandomCommands commands =
                new RandomCommands(RandomGeneratorFactory.of("L64X128MixRandom").create(seed));
        NaiveState state = new NaiveState();
        CommandCodec codec = codec();
        for (int i = 0; i < COMMANDS; i++) {
            Command command = commands.next(state);
            byte[] encoded = codec.encodeCommand(command);
            Command decoded = codec.decodeCommand(encoded);
            assertThat(decoded).as("command %d of seed %d", i, seed).isEqualTo(command);
            assertThat(codec.encodeCommand(decoded)).isEqualTo(encoded);
            Outcome outcome = state.apply(command);
            byte[] answer = codec.encodeOutcome(outcome);
            Outcome read = codec.decodeOutcome(answer);
            assertThat(read).as("outcome %d of seed %d", i, seed).isEqualTo(outcome);
            assertThat(codec.encodeOutcome(read)).isEqualTo(answer);
        }
    }
}
