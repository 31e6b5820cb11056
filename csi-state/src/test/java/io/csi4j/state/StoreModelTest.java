package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.apply.RandomCommands;
import io.csi4j.core.state.StateReader;
import io.csi4j.state.internal.tree.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Compares the store with a model without indexes. {@code -Dcsi4j.commands=1000000} makes the long run. */
class StoreModelTest {
    private static final int COMMANDS = Integer.getInteger("csi4j.commands", 6_000);

    private record Frozen(StateReader snapshot, NaiveState oracle) {}

    @Test
    void storeEqualsModelAfterEveryCommand() {
        SplittableRandom random = Seeds.next("StoreModelTest");
        RandomCommands commands = new RandomCommands(random.split());
        NaiveState oracle = new NaiveState();
        List<Frozen> snapshots = new ArrayList<>();
        int accepted = 0;
        try (StateStore store = StateStore.inMemory()) {
            for (int i = 1; i <= COMMANDS; i++) {
                Command command = commands.next(oracle);
                Outcome expected = oracle.apply(command);
                Outcome outcome = store.apply(command);
                assertThat(outcome).as("command %d: %s", i, command).isEqualTo(expected);
                accepted += outcome.accepted() ? 1 : 0;
                SameAnswers.check(store.snapshot(), oracle);
                if (i % 100 == 0) {
                    SameAnswers.checkListings(store.snapshot(), oracle, lists(random));
                }
                if (random.nextInt(COMMANDS / 20) == 0) {
                    snapshots.add(new Frozen(store.snapshot(), oracle.copy()));
                }
            }
        }
        // Checks that enough commands were accepted, and enough rejected.
        assertThat(accepted).isBetween(COMMANDS / 4, COMMANDS - COMMANDS / 20);
        for (Frozen frozen : snapshots) {
            SameAnswers.check(frozen.snapshot, frozen.oracle);
        }
    }

    @Test
    void largeStateEqualsModelAfterRandomCommands() {
        SplittableRandom random = Seeds.next("StoreModelTest, large");
        RandomCommands commands = new RandomCommands(random.split(), 600, 40, 900);
        NaiveState oracle = new NaiveState();
        try (StateStore store = StateStore.inMemory()) {
            int count = COMMANDS / 2;
            for (int i = 1; i <= count; i++) {
                Command command = commands.next(store.snapshot());
                assertThat(store.apply(command)).isEqualTo(oracle.apply(command));
                if (i % (count / 8) == 0) {
                    SameAnswers.check(store.snapshot(), oracle);
                    SameAnswers.checkListings(store.snapshot(), oracle, lists(random));
                }
            }
        }
    }

    private static SameAnswers.Lists lists(SplittableRandom random) {
        return new SameAnswers.Lists(
                Arrays.asList(null, Namespace.of("batch"), Namespace.of("default"), Namespace.of("none")),
                Arrays.asList("", "v", "v1", "w", "v" + random.nextInt(12)),
                Arrays.asList(null, PluginId.of("p0"), PluginId.of("p1"), PluginId.of("p9")),
                Arrays.asList(null, NodeId.of("n0"), NodeId.of("n" + random.nextInt(5)), NodeId.of("n99")),
                random.nextInt(1, 5));
    }
}
