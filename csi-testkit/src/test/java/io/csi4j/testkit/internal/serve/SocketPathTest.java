package io.csi4j.testkit.internal.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SocketPathTest {
    @ParameterizedTest
    @ValueSource(strings = {"unix:///run/x.sock", "unix:/run/x.sock", "/run/x.sock", "unix:///run/../run/x.sock"})
    void endpointFormsGiveSamePath(String endpoint) {
        assertThat(ListeningSocketPath.of(endpoint).path()).isEqualTo(Path.of("/run/x.sock"));
        assertThat(ListeningSocketPath.of(endpoint).endpoint()).isEqualTo("unix:///run/x.sock");
    }

    @Test
    void longestPossiblePathIsAccepted() {
        String longest = "/" + "x".repeat(101) + ".sock";
        assertThat(ListeningSocketPath.of(longest).path().toString()).hasSize(107);
        assertThat(ListeningSocketFile.beside(Path.of(longest)).toString().length())
                .isLessThanOrEqualTo(107);
    }
}
