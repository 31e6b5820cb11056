package io.csi4j.core.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.Problem;
import io.csi4j.core.id.PluginId;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OwnershipSettingsTest {
    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                Arguments.of(List.of(""), "ownershipExcludes[0]", "is empty"),
                Arguments.of(List.of("a", "."), "ownershipExcludes[1]", "is '.', which is no entry"),
                Arguments.of(List.of(".."), "ownershipExcludes[0]", "is '..', which is no entry"),
                Arguments.of(List.of("a/b"), "ownershipExcludes[0]", "contains '/'"),
                Arguments.of(List.of("a\0"), "ownershipExcludes[0]", "contains a zero byte"),
                Arguments.of(
                        List.of("\u00e4".repeat(128)),
                        "ownershipExcludes[0]",
                        "has 256 bytes of UTF-8, and 255 are possible"),
                Arguments.of(List.of("a", "b", "a"), "ownershipExcludes[2]", "is there twice"),
                Arguments.of(names(33), "ownershipExcludes", "are 33 names"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void badNameIsAProblemWithARemedy(List<String> excludes, String field, String problem) {
        PluginProfile profile = PluginProfile.builder(PluginId.of("nfs"))
                .workloadInfo(true)
                .ownershipExcludes(excludes)
                .build();
        assertThat(profile.problems()).singleElement().satisfies(found -> {
            assertThat(found.field()).isEqualTo(field);
            assertThat(found.problem()).isEqualTo(problem);
            assertThat(found.remedy()).isNotEmpty();
        });
    }

    @Test
    void eachBadNameIsAProblem() {
        assertThat(new OwnershipSettings(false, List.of("", "good", "/")).problems())
                .extracting(Problem::field)
                .containsExactly("ownershipExcludes[0]", "ownershipExcludes[2]");
    }

    @Test
    void namesThatAFileSystemCanHaveAreGood() {
        List<String> odd = List.of("\u00e4".repeat(127) + "a", "*", "...", " ", "a\n", "\ud83d\ude00", "lost+found");
        assertThat(new OwnershipSettings(false, odd).problems()).isEmpty();
        assertThat(new OwnershipSettings(false, names(32)).problems()).isEmpty();
    }

    @Test
    void fixedOwnershipHasNoExcludes() {
        assertThat(new OwnershipSettings(true, List.of("a")).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.remedy()).isEqualTo("leave one of them out"));
        assertThat(new OwnershipSettings(true, List.of()).problems()).isEmpty();
    }

    @Test
    void unpairedSurrogateIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OwnershipSettings(false, List.of("a", "\ud83d")))
                .withMessageContaining("excludes[1]");
    }

    @Test
    void profileThatOnlyHasTheseSettingsChangesSomething() {
        PluginId nfs = PluginId.of("nfs");
        assertThat(PluginProfile.builder(nfs).ownershipFixed(true).build().problems())
                .isEmpty();
        PluginProfile excluding = PluginProfile.builder(nfs)
                .ownershipExcludes(List.of(".snapshot"))
                .build();
        assertThat(excluding.problems()).isEmpty();
        assertThat(excluding.ownership()).isEqualTo(new OwnershipSettings(false, List.of(".snapshot")));
        assertThat(excluding.stored(3, 4).ownership()).isEqualTo(excluding.ownership());
        assertThat(excluding.sameValues(PluginProfile.builder(nfs).build())).isFalse();
    }
}
