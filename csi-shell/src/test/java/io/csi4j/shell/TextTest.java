package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
    /** ESC, the one-character CSI, BEL, DEL, a direction, a carriage return, a line separator, a lone surrogate, a tag. */
    @ParameterizedTest
    @ValueSource(ints = {0x1b, 0x9b, 0x07, 0x7f, 0x202e, 0x0d, 0x2028, 0xd800, 0xe0041})
    void noControlCharacterIsLeft(int c) {
        String hostile = "a" + Character.toString(c) + "[31m";
        assertThat(Text.safe(hostile)).doesNotContain(Character.toString(c)).matches("a[? ]\\[31m");
        String json = JsonInput.text(new JsonPrimitive(hostile));
        assertThat(json).doesNotContain(Character.toString(c)).contains("\\");
        assertThat(JsonParser.parseString(json).getAsString()).isEqualTo(hostile);
    }

    @Test
    void otherTextStays() {
        String text = "Größe 大きさ 😀 é";
        assertThat(Text.safe(text)).isSameAs(text);
        assertThat(JsonInput.text(new JsonPrimitive(text))).isEqualTo("\"" + text + "\"");
    }

    @Test
    void widthIsThatOfTheTerminal() {
        assertThat(Text.width("abc")).isEqualTo(3);
        assertThat(Text.width("大き")).isEqualTo(4);
        assertThat(Text.width("e\u0301")).isEqualTo(1);
        assertThat(Text.cut("abcdef", 4)).isEqualTo("abc…");
        assertThat(Text.cut("abcd", 4)).isEqualTo("abcd");
        assertThat(Text.cut("大大大", 4)).isEqualTo("大…");
        assertThat(Text.pad("大", 4, true)).isEqualTo("  大");
    }
}
