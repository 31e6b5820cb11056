package io.csi4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the walks of docs/ARCHITECTURE.md, so that they say what the code does. */
class WalksTest {
    private static final Path PAGE = Path.of("../docs/ARCHITECTURE.md");
    private static final Pattern WALK =
            Pattern.compile("(?ms)^### ([^\n]+?): (\\d+) classes( of the engine| of csi-node)?\n\n```walk\n(.*?)^```");
    /** The end of the names in a line; a comment may follow. */
    private static final Pattern COMMENT = Pattern.compile(" {2,}");

    private static final Pattern ARROW = Pattern.compile(" -> ");
    private static final Pattern COMMA = Pattern.compile(", ");

    private static final int MAX_LINES = 10;

    /** The packages whose classes a walk counts, and the largest number that it may have. Interfaces are not counted. */
    private enum Scope {
        ENGINE(" of the engine", "io.csi4j.core.", 24),
        NODE(" of csi-node", "io.csi4j.node", 15),
        ALL(null, "io.csi4j.", Integer.MAX_VALUE);

        private final String suffix;
        private final String packages;
        private final int max;

        Scope(String suffix, String packages, int max) {
            this.suffix = suffix;
            this.packages = packages;
            this.max = max;
        }

        boolean counts(JavaClass type) {
            return type.getPackageName().startsWith(packages) && !type.isInterface();
        }

        static Scope of(String suffix) {
            return Stream.of(values())
                    .filter(scope -> suffix == null ? scope == ALL : suffix.equals(scope.suffix))
                    .findFirst()
                    .orElseThrow();
        }
    }

    record Walk(String title, int number, Scope scope, List<List<List<String>>> lines) {
        @Override
        public String toString() {
            return title;
        }
    }

    /** The classes with a name that is not nested, by their simple name. Programs and test equipment are left out. */
    private static final Map<String, Set<JavaClass>> CLASSES = MainClasses.ALL.stream()
            .filter(type -> !type.getName().contains("$"))
            .filter(type -> Stream.of("testkit", "simulation", "examples", "benchmarks")
                    .noneMatch(program -> type.getPackageName().startsWith("io.csi4j." + program)))
            .collect(Collectors.groupingBy(JavaClass::getSimpleName, Collectors.toSet()));

    /** For each class that is not nested, the classes that it uses, those of its nested classes included. */
    private static final Map<String, Set<String>> USES = uses();

    private static Map<String, Set<String>> uses() {
        Map<String, Set<String>> uses = new HashMap<>();
        for (JavaClass type : MainClasses.ALL) {
            Set<String> used = uses.computeIfAbsent(outermost(type.getName()), name -> new HashSet<>());
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                used.add(outermost(dependency.getTargetClass().getName()));
            }
        }
        return uses;
    }

    private static String outermost(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    static List<Walk> walks() throws IOException {
        return walks(Files.readString(PAGE));
    }

    private static List<Walk> walks(String page) {
        List<Walk> walks = new ArrayList<>();
        Matcher matcher = WALK.matcher(page);
        while (matcher.find()) {
            List<List<List<String>>> lines = matcher.group(4)
                    .lines()
                    .map(line -> COMMENT.splitAsStream(line).findFirst().orElse(""))
                    .map(names -> ARROW.splitAsStream(names)
                            .map(group -> COMMA.splitAsStream(group).toList())
                            .toList())
                    .toList();
            walks.add(
                    new Walk(matcher.group(1), Integer.parseInt(matcher.group(2)), Scope.of(matcher.group(3)), lines));
        }
        return walks;
    }

    @ParameterizedTest
    @MethodSource("walks")
    void walkIsWhatTheCodeDoes(Walk walk) {
        assertThat(problems(walk)).isEmpty();
    }

    @Test
    void pageHasAllWalks() throws IOException {
        assertThat(walks()).hasSize(6);
        assertThat(walks()).extracting(Walk::scope).contains(Scope.ENGINE, Scope.NODE);
    }

    @Test
    void mistakesInWalksAreReported() {
        assertThat(mistakes("A: 2 classes", "VolumeClaims -> ClaimEngine")).isEmpty();
        assertThat(mistakes("A: 3 classes", "VolumeClaims -> ClaimEngine")).containsExactly("names 2 classes, not 3");
        assertThat(mistakes("A: 1 classes of the engine", "ClaimEngine -> NoSuchClass"))
                .containsExactly("NoSuchClass does not exist");
        assertThat(mistakes("A: 3 classes", "ClaimEngine -> ClaimQueue, VolumeClaims"))
                .isEmpty();
        assertThat(mistakes("A: 2 classes of the engine", "VolumeClaims -> AdaptiveLimiter"))
                .containsExactly("neither of VolumeClaims and AdaptiveLimiter uses the other");
        assertThat(mistakes("A: 2 classes", "VolumeClaims -> ClaimEngine", "ClaimQueue -> ClaimEngine"))
                .contains("ClaimQueue begins a line, but no line before has it");
        assertThat(mistakes(
                        "A: 2 classes",
                        Stream.generate(() -> "VolumeClaims -> ClaimEngine")
                                .limit(MAX_LINES + 1)
                                .toArray(String[]::new)))
                .containsExactly("has 11 lines");
    }

    private static List<String> mistakes(String title, String... lines) {
        List<Walk> walks = walks("### " + title + "\n\n```walk\n" + String.join("\n", lines) + "\n```\n");
        assertThat(walks).hasSize(1);
        return problems(walks.get(0));
    }

    private static List<String> problems(Walk walk) {
        List<String> problems = new ArrayList<>();
        if (walk.lines().size() > MAX_LINES) {
            problems.add("has " + walk.lines().size() + " lines");
        }
        Set<String> named = new LinkedHashSet<>();
        for (List<List<String>> line : walk.lines()) {
            String last = null;
            for (List<String> group : line) {
                for (String name : group) {
                    if (last == null && !named.isEmpty() && !named.contains(name)) {
                        problems.add(name + " begins a line, but no line before has it");
                    }
                    if (last != null && known(last) && known(name) && !connected(last, name)) {
                        problems.add("neither of " + last + " and " + name + " uses the other");
                    }
                }
                named.addAll(group);
                last = group.get(group.size() - 1);
            }
        }
        named.stream().filter(name -> !known(name)).forEach(name -> problems.add(name + " does not exist"));
        long count = named.stream()
                .filter(WalksTest::known)
                .filter(name -> CLASSES.get(name).stream().anyMatch(walk.scope()::counts))
                .count();
        if (count != walk.number()) {
            problems.add("names " + count + " classes, not " + walk.number());
        }
        if (count > walk.scope().max) {
            problems.add("passes " + count + " classes, and " + walk.scope().max + " is the limit");
        }
        return problems;
    }

    private static boolean known(String name) {
        return CLASSES.containsKey(name);
    }

    private static boolean connected(String one, String other) {
        return CLASSES.get(one).stream()
                .anyMatch(first ->
                        CLASSES.get(other).stream().anyMatch(second -> uses(first, second) || uses(second, first)));
    }

    private static boolean uses(JavaClass user, JavaClass used) {
        return USES.getOrDefault(user.getName(), Set.of()).contains(used.getName());
    }
}
