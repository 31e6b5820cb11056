package io.csi4j.client.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.VolumeCapability;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SensitiveValuesTest {
    private static SensitiveValues secret(String value) {
        return SensitiveValues.none().add(value);
    }

    @Test
    void shortValuesAreHiddenAsWholeTokensAndLongValuesEverywhere() {
        assertThat(secret("x").scrub("axb x,xx x_1 x")).isEqualTo("axb [hidden],xx x_1 [hidden]");
        assertThat(secret("hunter2").scrub("hunter2hunter2, hunter, HUNTER2"))
                .isEqualTo("hunter2hunter2, hunter, [hidden]");
        assertThat(secret("hunter42").scrub("hunter42hunter42, hunter")).isEqualTo("[hidden], hunter");
        assertThat(secret("").scrub("nothing")).isEqualTo("nothing");
    }

    @ParameterizedTest
    @CsvSource({
        "x12,       x12",
        "3.12,      3.12",
        "12.5,      12.5",
        "12.,       [hidden].",
        ".12,       .[hidden]",
        "12.x,      [hidden].x",
        "x.12,      x.[hidden]",
        "12-5,      [hidden]-5",
        "a 12.a12,  a [hidden].a12",
        "12,        [hidden]"
    })
    void shortNumberIsHiddenUnlessItIsPartOfLongerOne(String text, String scrubbed) {
        assertThat(secret("12").scrub(text)).isEqualTo(scrubbed);
    }

    @Test
    void shortWordIsHiddenBesideDots() {
        assertThat(secret("ab").scrub("ab.1 1.ab ab.cd")).isEqualTo("[hidden].1 1.[hidden] [hidden].cd");
    }

    @Test
    void ownIdsStayVisibleAroundValues() {
        SensitiveValues values =
                secret("customer-7").id("data-customer-7").id("vol-1").id(" ");
        assertThat(values.scrub("vol-1, data-customer-7 and customer-7"))
                .isEqualTo("vol-1, data-customer-7 and [hidden]");
    }

    @Test
    void shortestEncodedValuesAndLinesAreHidden() {
        assertThat(secret("abcd").scrub("YWJjZA and 61626364")).isEqualTo("[hidden] and [hidden]");
        assertThat(secret("abc").scrub("YWJj and 616263")).isEqualTo("YWJj and 616263");
        assertThat(secret("eight-ch\nseven-c\n").scrub("eight-ch and seven-c")).isEqualTo("[hidden] and seven-c");
    }

    @Test
    void textOfAnswerIsScrubbedWithValuesThatAreCollectedOnce() {
        AtomicInteger collected = new AtomicInteger();
        RedactedText text = new RedactedText(() -> {
            collected.incrementAndGet();
            return secret("hunter42");
        });
        assertThat(text.apply("")).isEmpty();
        assertThat(collected).hasValue(0);
        assertThat(text.apply("it is hunter42")).isEqualTo("it is [hidden]");
        assertThat(text.apply("hunter42!")).isEqualTo("[hidden]!");
        assertThat(collected).hasValue(1);
    }

    @Test
    void overlappingValuesAreHiddenCompletely() {
        SensitiveValues values =
                SensitiveValues.none().add("abcdefgh").add("efghijkl").add("hid");
        assertThat(values.scrub("-abcdefghijkl-abcdefgh-")).isEqualTo("-[hidden]-[hidden]-");
        assertThat(secret("abaabaaba").scrub("abaabaabaaba")).isEqualTo("[hidden]");
    }

    @Test
    void quotedAndEncodedSecretsAreHidden() {
        String secret = "p\"a\\ss\nwörd";
        assertThat(secret(secret).scrub("as Go prints it: \"p\\\"a\\\\ss\\nwörd\""))
                .isEqualTo("as Go prints it: \"[hidden]\"");
        assertThat(secret(secret).scrub("as it is: " + secret)).isEqualTo("as it is: [hidden]");
        assertThat(secret("s3cret").scrub("in base64 czNjcmV0 in hex 733363726574"))
                .isEqualTo("in base64 [hidden] in hex [hidden]");
        assertThat(secret("-----BEGIN-----\nMIIEvQIBADAN\n-----END-----").scrub("line 2: MIIEvQIBADAN!"))
                .isEqualTo("line 2: [hidden]!");
    }

    @Test
    void longContextsAndFlagsAreHiddenEverywhere() {
        SensitiveValues values = SensitiveFields.of(NodePublishVolumeRequest.newBuilder()
                .putVolumeContext("server", "10.0.0.9")
                .putVolumeContext("mode", "rw")
                .setVolumeCapability(VolumeCapability.newBuilder()
                        .setMount(VolumeCapability.MountVolume.newBuilder()
                                .addAllMountFlags(List.of("password=tiger", "ro", "user=ab"))))
                .build());
        assertThat(values.scrub("mount -o rw,password=tiger 10.0.0.9:/x: forward, ro, tigers, ab, abc"))
                .isEqualTo("mount -o [hidden],[hidden] [hidden]:/x: forward, [hidden], tigers, [hidden], abc");
        assertThat(values).hasToString("SensitiveValues[not shown]");
    }

    @Test
    void secretIsHiddenInRandomTexts() {
        long seed = RandomGenerator.getDefault().nextLong();
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        for (int round = 0; round < 2_000; round++) {
            String secret = word(random, 8 + random.nextInt(6));
            String other = word(random, 8 + random.nextInt(4));
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 8; i++) {
                text.append(random.nextBoolean() ? secret : random.nextBoolean() ? other : word(random, 3));
            }
            SensitiveValues values = SensitiveValues.none().add(secret).add(other);
            // Checks the texts between the marks, which must contain no part of a sensitive value.
            String[] left = values.scrub(text.toString()).split("\\Q" + SensitiveValues.HIDDEN + "\\E", -1);
            assertThat(left).as("seed %d, %s in %s", seed, secret, text).noneMatch(part -> part.contains(secret));
            assertThat(left).as("seed %d, %s in %s", seed, other, text).noneMatch(part -> part.contains(other));
        }
    }

    /** Returns a random word of few different letters, so that words often overlap; no letter is in the mark. */
    private static String word(RandomGenerator random, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append((char) ('x' + random.nextInt(3)));
        }
        return word.toString();
    }
}
