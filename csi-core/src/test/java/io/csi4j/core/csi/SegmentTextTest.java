package io.csi4j.core.csi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** R24 by hand against R24 as patterns: every text of up to three characters that matter, and the longest ones. */
class SegmentTextTest {
    private static final String ALPHABET = "aZ09-._/ \t\n[\u007f\u00e4\u4e00\ud83d\ude00";
    private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");
    private static final Pattern KEY =
            Pattern.compile("([a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?");

    @Test
    void topologyKeyOrValueIsValidOnlyIfItMatchesPatternOfCsiSpecification() {
        int letters = ALPHABET.length() + 1;
        for (int i = 0; i < letters * letters * letters; i++) {
            String text = letter(i) + letter(i / letters) + letter(i / letters / letters);
            boolean right = Topology.isValue(text) == VALUE.matcher(text).matches()
                    && Topology.isKey(text) == KEY.matcher(text).matches()
                    && Topology.isKey("p/" + text) == KEY.matcher("p/" + text).matches();
            assertThat(right).as("%s", text.chars().boxed().toList()).isTrue();
        }
    }

    private static String letter(int number) {
        int at = number % (ALPHABET.length() + 1);
        return at == 0 ? "" : ALPHABET.substring(at - 1, at);
    }

    @Test
    void topologyKeyPartOrValueWithMoreThan63CharactersIsInvalid() {
        String maxSegment = "a".repeat(63);
        assertThat(Topology.isKey(maxSegment + "/" + maxSegment)).isTrue();
        assertThat(Topology.isKey(maxSegment + "a/" + maxSegment)).isFalse();
        assertThat(Topology.isKey(maxSegment + "/" + maxSegment + "a")).isFalse();
        assertThat(Topology.isValue(maxSegment)).isTrue();
        assertThat(Topology.isValue(maxSegment + "a")).isFalse();
    }
}
