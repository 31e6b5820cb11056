package io.csi4j.core.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyTextTest {
    @Test
    void keysAreEqualIfBothPartsAre() {
        VolumeKey key = VolumeKey.of("a", "b");
        assertThat(key).isEqualTo(VolumeKey.of("a", "b")).hasSameHashCodeAs(VolumeKey.of("a", "b"));
        assertThat(key).isNotEqualTo(VolumeKey.of("a", "c")).isNotEqualTo(VolumeKey.of("c", "b"));
        assertThat(key).isNotEqualTo(DeploymentId.of("a", "b")).isNotEqualTo(null);
        assertThat(VolumeKey.of("b", "a")).isNotEqualTo(key).doesNotHaveSameHashCodeAs(key);
    }

    @Test
    void ordinaryKeysAreTextsWithASlash() {
        assertThat(VolumeKey.of("default", "db")).hasToString("default/db");
        assertThat(DeploymentId.of("infra", "csi")).hasToString("infra/csi");
    }

    @Test
    void slashInNamespaceDoesNotMoveTheBorder() {
        assertThat(VolumeKey.of("a", "b/c")).hasToString("a/b/c");
        assertThat(VolumeKey.of("a/b", "c")).hasToString("a\\u002Fb/c");
        assertThat(VolumeKey.of("a\\u002Fb", "c")).hasToString("a\\\\u002Fb/c");
        assertThat(DeploymentId.of("a", "b/c")).hasToString("a/b/c");
        assertThat(DeploymentId.of("a/b", "c")).hasToString("a\\u002Fb/c");
        assertThat(DeploymentId.of("a\\u002Fb", "c\\u202E")).hasToString("a\\\\u002Fb/c\\\\u202E");
    }

    @Test
    void differentKeysHaveDifferentTextsAndEachTextIsReadBack() {
        String[] parts = {"/", "\\", "u002F", "u", "a", "n", "\u202E", "\uD83D\uDE00", "\uE000", "\u00E9", "002F"};
        Random random = new Random(7);
        Map<String, VolumeKey> texts = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            VolumeKey key = VolumeKey.of(text(parts, random), text(parts, random));
            VolumeKey same = texts.put(key.toString(), key);
            assertThat(same == null || same.equals(key)).as("%s", key).isTrue();
            assertThat(VolumeKey.parse(key.toString())).isEqualTo(key);
        }
    }

    private static String text(String[] parts, Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    @Test
    void textThatIsNoKeyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VolumeKey.parse("db"))
                .withMessageContaining("NAMESPACE/VOLUME");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VolumeKey.parse("a\\b/c"))
                .withMessageContaining("backslash");
        assertThatIllegalArgumentException().isThrownBy(() -> VolumeKey.parse("/c"));
    }
}
