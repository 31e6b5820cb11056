package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps words out of the pages that the glossary has replaced, and idioms that hide the subject. */
class WordsTest {
    private static final Pattern REPLACED = Pattern.compile(
            "\\b(wish|wishes|wished|told|tells|nobody|somebody|everybody|whoever|lanes?|errands?|stray|astray"
                    + "|anew|under way|on record|for good|goes on|gone on|went on|made again)\\b",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
    private static final Pattern LINK_TARGET = Pattern.compile("]\\([^)]*\\)");

    @Test
    void pagesUseGlossaryTermsInsteadOfReplacedWords() {
        List<String> found = new ArrayList<>();
        for (Path page : ProjectFiles.pages()) {
            Matcher word = REPLACED.matcher(prose(ProjectFiles.read(page)));
            while (word.find()) {
                found.add(ProjectFiles.ROOT.relativize(page) + ": " + word.group());
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void checkedProseExcludesCodeAndLinkTargets() {
        assertThat(prose("a `wish` in [code](docs/wishes.md)\n```\nwish\n```\n").strip())
                .doesNotContain("wish");
        assertThat(REPLACED.matcher(prose("Nobody waits.")).find()).isTrue();
    }

    private static String prose(String page) {
        return LINK_TARGET.matcher(CODE.matcher(page).replaceAll("")).replaceAll("]");
    }
}
