package io.csi4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps words out of identifiers that docs/GLOSSARY.md replaces by the terms of the field. Reads the sources of all modules. */
class IdentifierWordsTest {
    /** The banned words; docs/GLOSSARY.md has the terms to use instead. */
    private static final Set<String> BANNED = Set.of(
            "lane",
            "lanes",
            "look",
            "looks",
            "looked",
            "looker",
            "wish",
            "wishes",
            "wished",
            "tell",
            "tells",
            "told",
            "teller",
            "errand",
            "errands",
            "doubt",
            "doubtful",
            "stray",
            "strays",
            "astray",
            "surroundings",
            "outlook",
            "encore",
            "excuse",
            "excuses",
            "grounds",
            "whoever",
            "somebody",
            "nobody",
            "anybody");

    /** Names that other libraries define. */
    private static final Set<String> ALLOWED = Set.of("disableServiceConfigLookUp");

    private static final Pattern NO_CODE = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])*'|/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_$][\\w$]*");
    private static final Pattern WORD = Pattern.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+");

    private static Set<String> bannedIdentifiers(String source) {
        Set<String> found = new TreeSet<>();
        Matcher identifiers = IDENTIFIER.matcher(NO_CODE.matcher(source).replaceAll(" "));
        while (identifiers.find()) {
            String identifier = identifiers.group();
            boolean banned = WORD.matcher(identifier)
                    .results()
                    .anyMatch(word -> BANNED.contains(word.group().toLowerCase(Locale.ROOT)));
            if (banned && !ALLOWED.contains(identifier)) {
                found.add(identifier);
            }
        }
        return found;
    }

    @Test
    void identifiersContainNoBannedWords() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file :
                    files.filter(IdentifierWordsTest::isSource).sorted().toList()) {
                bannedIdentifiers(Files.readString(file))
                        .forEach(identifier -> found.add(file.getFileName() + ": " + identifier));
            }
        }
        assertThat(found)
                .as("identifiers with words that docs/GLOSSARY.md replaces")
                .isEmpty();
    }

    private static boolean isSource(Path file) {
        return file.toString().endsWith(".java") && file.toString().contains("/src/");
    }

    @Test
    void bannedWordIsFoundInCamelCaseAndUpperCaseIdentifiers() {
        assertThat(bannedIdentifiers("int volumeLane; class WishList {} static final int NOT_TOLD = 1; look();"))
                .containsExactly("NOT_TOLD", "WishList", "look", "volumeLane");
    }

    @Test
    void bannedWordsInCommentsStringsAndLongerWordsAreIgnored() {
        assertThat(bannedIdentifiers("/* lane */ String planes = \"lane\"; // told\n char c = '\"'; int outlooking;"))
                .isEmpty();
    }

    @Test
    void sourcesOfAllModulesAreScanned() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            assertThat(files.filter(IdentifierWordsTest::isSource)
                            .map(file ->
                                    Path.of("..").relativize(file).getName(0).toString()))
                    .contains("csi-core", "csi-state", "csi-plugin-client", "csi-node", "csi-agent", "csi-testkit")
                    .contains("csi-simulation", "csi-proto", "examples", "benchmarks");
        }
    }
}
