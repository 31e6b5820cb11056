package io.csi4j.core.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S,           0 us",
        "PT0.0009999S, 999 us",
        "PT0.001S,       1 ms",
        "PT0.9999S,    999 ms",
        "PT1S,           1 s",
        "PT1.5S,         1.5 s",
        "PT59S,         59 s",
        "PT1M,           1 min",
        "PT1M1S,        61 s",
        "PT2H,         120 min"
    })
    void unitFitsDuration(Duration duration, String text) {
        assertThat(Durations.text(duration)).isEqualTo(text);
    }
}
