package io.csi4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keeps the lists in docs/api equal to the public API of each module, with all signatures. A change of the API changes
 * a list in the same commit: {@code -Dcsi4j.docs.write=true} writes the lists.
 */
class ApiListTest {
    private static final Path LISTS = Path.of("..", "docs", "api");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "csi-core",
                "csi-state",
                "csi-plugin-client",
                "csi-node",
                "csi-agent",
                "csi-replication-ratis",
                "csi-replication-jdbc",
                "csi-server",
                "csi-admin",
                "csi-micrometer",
                "csi-testkit"
            })
    void publicApiOfModuleIsListed(String module) throws IOException {
        List<String> api = api(module);
        Path list = LISTS.resolve(module + ".txt");
        if (Boolean.getBoolean("csi4j.docs.write")) {
            Files.createDirectories(LISTS);
            Files.write(list, api);
        }
        assertThat(api).as(module).hasSizeGreaterThan(3);
        assertThat(String.join("\n", api))
                .as(
                        "docs/api/%s.txt is out of date; write it with -Dcsi4j.docs.write=true, and check the change",
                        module)
                .isEqualTo(Files.readString(list).stripTrailing());
    }

    private static List<String> api(String module) throws IOException {
        Path sources = Path.of("..", module, "src", "main", "java");
        try (Stream<Path> files = Files.walk(sources)) {
            return files.map(file -> sources.relativize(file).toString())
                    .filter(file -> file.endsWith(".java") && !file.contains("-info") && !file.contains("/internal/"))
                    .map(file -> file.replace(".java", "").replace('/', '.'))
                    .sorted()
                    .flatMap(type -> ApiSignatures.of(load(type)).stream())
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ApiListTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void listHasEachKindOfMemberAndItsSignature() {
        assertThat(ApiSignatures.of(Sample.class))
                .containsExactly(
                        "io.csi4j.architecture: public interface ApiListTest.Sample<T extends Comparable<T>>"
                                + " permits ApiListTest.Sample.Pair",
                        "    public <X extends Exception> List<? extends T> all(String...) throws IOException, X",
                        "    public default @Nullable T first(Class<?>, int[])",
                        "io.csi4j.architecture: public record ApiListTest.Sample.Pair(@Nullable String one, List<@Nullable Long> two)"
                                + " implements ApiListTest.Sample<String>",
                        "    public <X extends Exception> List<String> all(String...)",
                        "    public Pair(@Nullable String, List<@Nullable Long>)",
                        "    public static final long serial");
    }

    @Test
    void typeThatIsNotVisibleHasNoLines() {
        assertThat(ApiSignatures.of(ApiListTest.class)).isEmpty();
    }

    /** A type with members of each kind. */
    public sealed interface Sample<T extends Comparable<T>> {
        <X extends Exception> List<? extends T> all(String... names) throws IOException, X;

        default @Nullable T first(Class<?> type, int[] numbers) {
            return null;
        }

        /** A nested record. */
        record Pair(@Nullable String one, List<@Nullable Long> two) implements Sample<String> {
            public static final long serial = 1;

            static final int NOT_VISIBLE = 2;

            @Override
            public <X extends Exception> List<String> all(String... names) {
                return List.of(names);
            }

            @Override
            public String toString() {
                return "";
            }
        }
    }
}
