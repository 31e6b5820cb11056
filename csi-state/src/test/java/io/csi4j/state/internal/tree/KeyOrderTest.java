package io.csi4j.state.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyOrderTest {
    private static final String ALPHABET = "ab\u0001z~\u00fe\u00ff\u0100\u4e00\ud83d\uffff";

    private final SplittableRandom random = Seeds.next("KeyOrderTest");

    @Test
    void keyDigestsSortLikeTheirKeys() {
        for (int i = 0; i < 100_000; i++) {
            Row a = key();
            Row b = key();
            int order = Integer.signum(Row.byKey(a, b));
            assertThat(Integer.signum(Row.SHAPE.compare(a, b))).isEqualTo(order);
            int common = Row.SHAPE.common(a, b);
            assertThat(common).isEqualTo(common(Row.SHAPE.text(a), Row.SHAPE.text(b)));
            for (int skip = 0; skip <= common; skip++) {
                int digests = Long.compare(Row.SHAPE.digest(a, skip), Row.SHAPE.digest(b, skip));
                assertThat(digests == 0 || Integer.signum(digests) == order)
                        .as("%s, %s, skip %d", a, b, skip)
                        .isTrue();
            }
        }
    }

    @Test
    void boundsOfPrefixRangeSortLikeTheirPrefixes() {
        for (int i = 0; i < 100_000; i++) {
            Row key = key();
            String text = Row.SHAPE.text(key);
            String prefix =
                    random.nextBoolean() ? text.substring(0, random.nextInt(text.length() + 1)) : Row.SHAPE.text(key());
            boolean past = random.nextBoolean();
            int expected = text.startsWith(prefix)
                    ? past ? 1 : text.length() == prefix.length() ? 0 : -1
                    : Integer.signum(prefix.compareTo(text));
            Bound bound = new Bound(prefix, past);
            assertThat(Integer.signum(Row.SHAPE.compare(bound, key)))
                    .as("%s, %s", bound, key)
                    .isEqualTo(expected);
            int digests = Long.compare(Probe.digest(bound, 0), Row.SHAPE.digest(key, 0));
            assertThat(digests == 0 || Integer.signum(digests) == expected).isTrue();
            Bound other = new Bound(Row.SHAPE.text(key()), random.nextBoolean());
            int bounds = Integer.signum(bound.compareTo(other));
            if (Row.SHAPE.compare(bound, key) <= 0 && Row.SHAPE.compare(other, key) > 0) {
                assertThat(bounds).as("%s, %s", bound, other).isNegative();
            }
        }
    }

    private Row key() {
        return Row.key(text(random.nextInt(1, 3)), text(random.nextInt(12)));
    }

    private String text(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(random.nextInt(random.nextInt(3) == 0 ? ALPHABET.length() : 2)));
        }
        return text.toString();
    }

    private static int common(String a, String b) {
        int i = 0;
        while (i < a.length() && i < b.length() && a.charAt(i) == b.charAt(i)) {
            i++;
        }
        return i;
    }
}
