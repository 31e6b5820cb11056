package io.csi4j.client.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class KnownSecretsTest {
    private final KnownSecrets secrets = new KnownSecrets();

    private String redacted(String text) {
        return SensitiveValues.none().and(secrets).scrub(text);
    }

    @Test
    void linesAndOtherFormsAreHidden() {
        secrets.add(List.of("first line\nsecond line", "pass\"word-1"));
        assertThat(redacted("key SECOND LINE of first line")).isEqualTo("key [hidden] of [hidden]");
        assertThat(redacted("cGFzcyJ3b3JkLTE= and pass\\\"word-1")).isEqualTo("[hidden]= and [hidden]");
    }

    @Test
    void secretOfEightCharactersIsHiddenUpToTheEndOfText() {
        secrets.add(List.of("hunter42"));
        assertThat(redacted("it is HUNTER42")).isEqualTo("it is [hidden]");
        assertThat(redacted("hunter42")).isEqualTo("[hidden]");
        assertThat(redacted("hunter4")).isEqualTo("hunter4");
        assertThat(secrets).hasToString("KnownSecrets[not shown]");
    }

    @Test
    void overlappingSecretsAreHiddenCompletely() {
        secrets.add(List.of("password-one", "one-password"));
        assertThat(redacted("password-one-password!")).isEqualTo("[hidden]!");
    }

    @Test
    void memoryIsBoundedAndFormsOfDroppedSecretsGo() {
        KnownSecrets few = new KnownSecrets(1_000);
        for (int i = 0; i < 1_000; i++) {
            few.add(List.of(number(i)));
        }
        int hidden = 0;
        for (int i = 0; i < 1_000; i++) {
            String text = number(i) + ".";
            hidden += SensitiveValues.none().and(few).scrub(text).equals(text) ? 0 : 1;
        }
        assertThat(hidden).isBetween(1, 100);
    }

    private static String number(int i) {
        return "password-" + (1_000 + i);
    }
}
