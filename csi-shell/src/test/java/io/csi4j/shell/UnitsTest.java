package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1048576, 1048576",
        "7B, 7",
        "10GiB, 10737418240",
        "1.5 kib, 1536",
        "2MB, 2000000",
        "7EiB, 8070450532247928832"
    })
    void sizeHasBytes(String text, long bytes) {
        assertThat(Units.parseBytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GiB", "-1GiB", "10 Gibi", "0.1B", "8EiB", "1e5", "99999999999999999999"})
    void otherTextIsNoSize(String text) {
        assertThatThrownBy(() -> Units.parseBytes(text)).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @CsvSource({"90, 90", "90s, 90", "5m, 300", "2h, 7200", "1d, 86400", "250ms, 0.25", "1.5min, 90"})
    void timeHasSeconds(String text, BigDecimal seconds) {
        assertThat(Units.parseSeconds(text).toPlainString()).isEqualTo(seconds.toPlainString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "-5s", "5 weeks", "1e9"})
    void otherTextIsNoTime(String text) {
        assertThatThrownBy(() -> Units.parseSeconds(text)).isInstanceOf(UsageException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "10737418240, 10.0 GiB",
        "-2048, -2.0 KiB",
        "9223372036854775807, 8.0 EiB"
    })
    void bytesAreShownInTheLargestUnit(BigDecimal bytes, String text) {
        assertThat(Units.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 s", "0.25, 0.25 s", "61, 1 min 1 s", "660, 11 min", "7500, 2 h 5 min", "90000, 1 d 1 h"})
    void secondsAreShownInTheLargestUnits(BigDecimal seconds, String text) {
        assertThat(Units.seconds(seconds)).isEqualTo(text);
    }

    @Test
    void timeIsShownBesideThePresent() {
        Instant now = Instant.parse("2026-01-01T12:00:00Z");
        assertThat(Units.relative(now.minusSeconds(185), now)).isEqualTo("3 min 5 s ago");
        assertThat(Units.relative(now.plusSeconds(7200), now)).isEqualTo("in 2 h");
        assertThat(Units.relative(now, now)).isEqualTo("now");
    }
}
