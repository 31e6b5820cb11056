package io.csi4j.client.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.internal.text.Text;
import org.junit.jupiter.api.Test;

class TextSanitizerTest {
    @Test
    void plainTextIsUnchanged() {
        assertThat(TextSanitizer.clean("volume vol-1 is in use (100 %)", SensitiveValues.none()))
                .isEqualTo("volume vol-1 is in use (100 %)");
        assertThat(Text.printable("größer als 日本 \ud83d\ude00")).isEqualTo("größer als 日本 \ud83d\ude00");
    }

    @Test
    void textOfThousandCharactersIsNotCut() {
        String longest = "x".repeat(TextSanitizer.MAX_CHARS);
        assertThat(TextSanitizer.clean(longest, SensitiveValues.none())).isEqualTo(longest);
        assertThat(TextSanitizer.clean(longest + "y", SensitiveValues.none()))
                .isEqualTo(longest + "... (cut; it had 1001 characters)");
    }

    @Test
    void invisibleCharactersAreEscaped() {
        assertThat(Text.printable("a\tb\u0007c\u007fd\u0085e\u200bf\u2028g\ufeffh\ud800i\ue000j"))
                .isEqualTo("a\\tb\\u0007c\\u007Fd\\u0085e\\u200Bf\\u2028g\\uFEFFh\\uD800i\\uE000j");
    }

    @Test
    void truncatedTextContainsNoPartOfSecret() {
        String secret = "0123456789".repeat(10);
        for (int at = TextSanitizer.MAX_CHARS - 110; at <= TextSanitizer.MAX_CHARS + 10; at++) {
            String text = "x".repeat(at) + secret + "y".repeat(5_000);
            String cleaned = TextSanitizer.clean(text, SensitiveValues.none().add(secret));
            assertThat(cleaned).doesNotContain("0123").contains("(cut; it had " + text.length() + " characters)");
            assertThat(cleaned.length()).isLessThan(TextSanitizer.MAX_CHARS + 50);

            // Removing secrets shortens the text; the characters that move before the cut must not contain a part of a
            // secret.
            String many = "x".repeat(at % 100) + secret.repeat(50);
            assertThat(TextSanitizer.clean(many, SensitiveValues.none().add(secret)))
                    .doesNotContain("0123")
                    .doesNotContain("6789");
        }
    }
}
