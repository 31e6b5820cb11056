package io.csi4j.core.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 bytes",
        "1, 1 bytes",
        "1023, 1023 bytes",
        "1024, 1 KiB",
        "83886080, 80 MiB",
        "83886081, 83886081 bytes (80.0 MiB)",
        "1536, 1536 bytes (1.5 KiB)",
        "9223372036854775807, 9223372036854775807 bytes (8.0 EiB)",
        "-2048, -2 KiB"
    })
    void sizeIsWrittenInItsLargestUnit(long bytes, String text) {
        assertThat(Sizes.text(bytes)).isEqualTo(text);
    }
}
