package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.VolumeClassCommand.PutVolumeClass;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.proto.command.v1.CommandProto;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The secrets, parameters and mount flags of volume classes are encoded in encrypted form only, and belong to one class. */
class ClassSecretsTest {
    private static final SecretsCipher CIPHER = StateEncodingTest.cipher("k1", StateEncodingTest.key(1));
    private static final Command PUT =
            new PutVolumeClass(RichState.volumeClass(), 0, Instant.parse("2026-11-01T12:00:00Z"));

    private static StateStore withClass(SecretsCipher cipher, VolumeClass row) {
        return StateEncodingTest.written(cipher, state -> state.put(RowType.VOLUME_CLASSES, row.stored(3, 4)));
    }

    @Test
    void encodedClassContainsNoConfidentialValue() {
        try (StateStore clear = withClass(ClearTextSecretsCipher.secretsStayReadable(), RichState.volumeClass());
                StateStore hidden = withClass(CIPHER, RichState.volumeClass());
                StateStore read = StateEncodingTest.store(CIPHER)) {
            String[] values = {"horse battery", "noatime", "ssd", "iops"};
            assertThat(text(StateEncodingTest.encode(clear))).contains(values);
            byte[] bytes = StateEncodingTest.encode(hidden);
            assertThat(text(bytes)).contains("fast", "ext4").doesNotContain(values);
            StateEncodingTest.restore(read, bytes);
            assertThat(read.snapshot().volumeClasses())
                    .containsExactly(RichState.volumeClass().stored(3, 4));
            assertThat(text(CommandCodecTest.codec(CIPHER).encodeCommand(PUT)))
                    .contains("fast", "ext4")
                    .doesNotContain(values);
        }
    }

    @Test
    void classWithoutConfidentialValuesNeedsNoCipher() {
        VolumeClass plain = VolumeClass.builder(VolumeClassName.of("plain"), PluginId.of("p1"))
                .requestedCapabilities(RichState.volumeClass().requestedCapabilities())
                .build();
        try (StateStore store = withClass(CIPHER, plain);
                StateStore read = StateEncodingTest.store(StateEncodingTest.cipher("k2", StateEncodingTest.key(2)))) {
            StateEncodingTest.restore(read, StateEncodingTest.encode(store));
            assertThat(read.snapshot().volumeClasses()).containsExactly(plain.stored(3, 4));
        }
    }

    @Test
    void wrongKeyNamesTheClass() {
        try (StateStore store = withClass(CIPHER, RichState.volumeClass());
                StateStore wrong = StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(2)))) {
            byte[] bytes = StateEncodingTest.encode(store);
            assertThatThrownBy(() -> StateEncodingTest.restore(wrong, bytes))
                    .isInstanceOf(CsiException.class)
                    .hasMessageContaining("Volume class fast")
                    .hasMessageNotContaining("horse");
        }
    }

    @Test
    void valuesOfAClassAreNotReadAsThoseOfAnother() throws Exception {
        CommandCodec codec = CommandCodecTest.codec(CIPHER);
        CommandProto.EncodedCommand encoded = CommandProto.EncodedCommand.parseFrom(codec.encodeCommand(PUT));
        CommandProto.EncodedCommand.Builder renamed = encoded.toBuilder();
        renamed.getCommandBuilder()
                .getPutVolumeClassBuilder()
                .getVolumeClassBuilder()
                .setName("slow");
        assertThat(codec.decodeCommand(encoded.toByteArray())).isEqualTo(PUT);
        assertThatThrownBy(() -> codec.decodeCommand(renamed.build().toByteArray()))
                .isInstanceOf(CsiException.class)
                .hasMessageContaining("Volume class slow");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
