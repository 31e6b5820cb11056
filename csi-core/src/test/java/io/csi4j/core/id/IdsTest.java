package io.csi4j.core.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IdsTest {
    static List<Function<String, Object>> kinds() {
        return List.of(
                Namespace::of,
                VolumeId::of,
                NodeId::of,
                AllocationId::of,
                PluginId::of,
                text -> DeploymentId.of("default", text));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void invalidIdIsRejectedAndMessageNamesProblem(Function<String, Object> kind) {
        assertThatIllegalArgumentException().isThrownBy(() -> kind.apply("")).withMessageContaining("is empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.apply("a\u0000b"))
                .withMessageContaining("control character at position 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.apply("a\u0085"))
                .withMessageContaining("control character");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.apply("x".repeat(129)))
                .withMessageContaining("longer than 128 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.apply("€".repeat(43)))
                .withMessageContaining("longer than 128 bytes");
        assertThat(kind.apply("x".repeat(128))).isNotNull();
        assertThat(kind.apply("€".repeat(42))).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void idsAreEqualOnlyIfTheirTextsAreEqual(Function<String, Object> kind) {
        assertThat(kind.apply("a")).isEqualTo(kind.apply("a")).hasSameHashCodeAs(kind.apply("a"));
        assertThat(kind.apply("a")).isNotEqualTo(kind.apply("b"));
        assertThat(kind.apply("a").toString()).endsWith("a");
    }

    @Test
    void keysAreOrderedByNamespaceThenId() {
        assertThat(List.of(
                        VolumeKey.of("b", "a"),
                        VolumeKey.of("a", "b"),
                        VolumeKey.of("a", "B"),
                        VolumeKey.of("a", "a.")))
                .satisfies(keys -> assertThat(keys.stream().sorted().map(VolumeKey::toString))
                        .containsExactly("a/B", "a/a.", "a/b", "b/a"));
        assertThat(List.of(DeploymentId.of("b", "a"), DeploymentId.of("a", "z")).stream()
                        .sorted())
                .containsExactly(DeploymentId.of("a", "z"), DeploymentId.of("b", "a"));
    }

    @Test
    void sameVolumeIdInTwoNamespacesGivesTwoKeys() {
        assertThat(VolumeKey.of("a", "v")).isNotEqualTo(VolumeKey.of("b", "v"));
        assertThat(VolumeKey.of("a", "b/c")).isNotEqualTo(VolumeKey.of("a/b", "c"));
        assertThat(VolumeKey.of("a", "b/c").compareTo(VolumeKey.of("a/b", "c"))).isNotZero();
    }
}
