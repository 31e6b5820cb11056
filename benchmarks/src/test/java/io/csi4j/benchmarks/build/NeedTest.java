package io.csi4j.benchmarks.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each test that can be skipped states a need of {@link Need}, so that the build can say what the machine lacks. */
class NeedTest {
    /** The ways of JUnit to skip a test. Text blocks of tests about source code are left out. */
    private static final Pattern SKIP = Pattern.compile(
            "\\b(?:assumeTrue|assumeFalse|assumeThat|assumingThat|Assumptions\\s*\\.\\s*abort|TestAbortedException)\\s*\\("
                    + "|^\\s*@(?:Disabled|Enabled)\\w*",
            Pattern.MULTILINE);

    private static final Pattern TEXT_BLOCK = Pattern.compile("\"\"\".*?\"\"\"", Pattern.DOTALL);
    private static final Pattern LITERAL = Pattern.compile("\"((?:\\\\.|[^\"\\\\\n])*)\"");
    private static final Pattern PART = Pattern.compile("[()]|" + LITERAL + "|'(?:\\\\.|[^'])'");
    private static final Pattern ALLOWED =
            Pattern.compile("\\s*(?:assumeTrue\\(|@EnabledOnOs\\(\\s*value = .*, disabledReason =).*", Pattern.DOTALL);

    @Test
    void eachSkipStatesKnownNeedAndEachNeedIsStated() throws IOException {
        List<String> wrong = new ArrayList<>();
        Set<Need> stated = EnumSet.noneOf(Need.class);
        for (Path file : tests()) {
            for (String skip : skips(Files.readString(file))) {
                need(skip).ifPresentOrElse(stated::add, () -> wrong.add(file + ": " + skip.strip()));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(stated).containsExactly(Need.values());
    }

    @Test
    void skipWithoutKnownNeedIsFound() {
        assertThat(skips("""
                assumeTrue(a(")"), "needs root");
                assumeTrue(b);
                Assumptions.assumeFalse(c, "needs root");
                @Disabled("needs root")
                @EnabledOnOs(OS.LINUX)
                @EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux")
                assumeTrue(d, "needs time");
                """))
                .map(NeedTest::need)
                .containsExactly(
                        Optional.of(Need.ROOT),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(Need.LINUX),
                        Optional.empty());
    }

    private static List<Path> tests() throws IOException {
        List<Path> tests = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path sources : Stream.concat(
                            modules.map(module -> module.resolve("src/test/java")),
                            // Code that tests of several modules share.
                            Stream.of(Path.of("..", "postgres", "src", "main", "java")))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(sources)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(tests::add);
                }
            }
        }
        return tests;
    }

    /** Returns the code of each skip, up to the closing parenthesis. */
    private static List<String> skips(String code) {
        String text = TEXT_BLOCK.matcher(code).replaceAll("");
        List<String> skips = new ArrayList<>();
        Matcher matcher = SKIP.matcher(text);
        while (matcher.find()) {
            int open = matcher.group().endsWith("(") ? matcher.end() - 1 : matcher.end();
            skips.add(text.substring(matcher.start(), text.startsWith("(", open) ? end(text, open) : open));
        }
        return skips;
    }

    /** Returns the position after the parenthesis that closes the one at a position. */
    private static int end(String text, int open) {
        int depth = 0;
        Matcher part = PART.matcher(text);
        for (int from = open; part.find(from); from = part.end()) {
            depth += part.group().equals("(") ? 1 : part.group().equals(")") ? -1 : 0;
            if (depth == 0) {
                return part.end();
            }
        }
        return text.length();
    }

    private static Optional<Need> need(String skip) {
        if (!ALLOWED.matcher(skip).matches()) {
            return Optional.empty();
        }
        return LITERAL.matcher(skip)
                .results()
                .reduce((first, second) -> second)
                .flatMap(last -> Need.of(last.group(1)));
    }
}
