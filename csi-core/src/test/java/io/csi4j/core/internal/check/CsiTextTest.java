package io.csi4j.core.internal.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The checks by hand against the rules as patterns: every text of up to three characters that matter. */
class CsiTextTest {
    private static final String ALPHABET =
            "aZ09-._/ \t\n\r\u0000\u0008\u000b\u001f\u007f\u009f\u00a0\u00e4\u4e00\ud83d\ude00";

    @Test
    void checksOfSecretKeysControlCharactersAndUtf8LengthsAgreeWithJdk() {
        Pattern control = Pattern.compile("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]");
        Pattern secretKey = Pattern.compile("[A-Za-z0-9_.-]+");
        int letters = ALPHABET.length() + 1;
        for (int i = 0; i < letters * letters * letters; i++) {
            String text = letter(i) + letter(i / letters) + letter(i / letters / letters);
            boolean right = CsiText.hasControlCharacters(text)
                            == control.matcher(text).find()
                    && CsiText.isSecretKey(text) == secretKey.matcher(text).matches()
                    && CsiText.utf8Length(text) == text.getBytes(StandardCharsets.UTF_8).length;
            assertThat(right).as("%s", text.chars().boxed().toList()).isTrue();
        }
    }

    private static String letter(int number) {
        int at = number % (ALPHABET.length() + 1);
        return at == 0 ? "" : ALPHABET.substring(at - 1, at);
    }
}
