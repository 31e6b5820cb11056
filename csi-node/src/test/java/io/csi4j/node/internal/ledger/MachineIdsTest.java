package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.PluginId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineIdsTest {
    private static final PluginId P = PluginId.of("p");
    private static final PluginId Q = PluginId.of("q");

    @TempDir
    Path temporary;

    private Path file;

    @BeforeEach
    void nameFile() throws IOException {
        file = temporary.toRealPath().resolve("machine");
    }

    private static ExternalNodeId id(int number) {
        return ExternalNodeId.of("machine-" + number);
    }

    @Test
    void learnedIdsAreKnownToNextProcess() throws IOException {
        MachineIds first = MachineIds.open(file, false);
        assertThat(first.plugins()).isEmpty();
        assertThat(first.only(P)).isEmpty();
        assertThat(first.had(P, id(1))).isFalse();
        first.learn(P, id(1));
        first.learn(Q, id(2));
        first.learn(Q, id(3));
        for (MachineIds ids : new MachineIds[] {first, MachineIds.open(file, true)}) {
            assertThat(ids.plugins()).containsExactlyInAnyOrder(P, Q);
            assertThat(ids.only(P)).contains(id(1));
            assertThat(ids.only(Q)).isEmpty();
            assertThat(ids.had(P, id(1))).isTrue();
            assertThat(ids.had(P, id(2))).isFalse();
            assertThat(ids.had(Q, id(2))).isTrue();
            assertThat(ids.had(Q, id(3))).isTrue();
        }
    }

    @Test
    void onlyTheLastSixteenIdsOfOnePluginAreKept() throws IOException {
        MachineIds ids = MachineIds.open(file, false);
        for (int number = 1; number <= 18; number++) {
            ids.learn(P, id(number));
            assertThat(ids.had(P, id(1))).isEqualTo(number <= 16);
        }
        MachineIds next = MachineIds.open(file, false);
        assertThat(next.had(P, id(2))).isFalse();
        assertThat(next.had(P, id(3))).isTrue();
        assertThat(next.had(P, id(18))).isTrue();
    }

    @Test
    void knownIdIsNotWrittenAgain() throws IOException {
        MachineIds ids = MachineIds.open(file, false);
        ids.learn(P, id(1));
        Files.delete(file);
        ids.learn(P, id(1));
        assertThat(file).doesNotExist();
    }

    @Test
    void idThatCouldNotBeWrittenIsLearnedAtNextAttempt() throws IOException {
        MachineIds ids = MachineIds.open(temporary.toRealPath().resolve("missing/machine"), false);
        assertThatThrownBy(() -> ids.learn(P, id(1))).isInstanceOf(IOException.class);
        assertThat(ids.had(P, id(1))).isFalse();
        Files.createDirectory(temporary.resolve("missing"));
        ids.learn(P, id(1));
        assertThat(ids.had(P, id(1))).isTrue();
        assertThat(temporary.resolve("missing/machine")).isRegularFile();
    }

    @Test
    void damagedFileIsReportedWithItsRemedy() throws IOException {
        Files.writeString(file, "damaged");
        assertThatThrownBy(() -> MachineIds.open(file, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the file " + file + " is damaged")
                .hasMessageContaining("delete it");
    }
}
