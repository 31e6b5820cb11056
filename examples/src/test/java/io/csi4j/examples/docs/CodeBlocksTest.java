package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A reader who copies code finds its imports: in the block, or in a file that the same section links to. */
class CodeBlocksTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```java\\n(.*?)^ *```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ ");
    private static final Pattern LINK = Pattern.compile("\\]\\([^)]*\\.java");

    @Test
    void javaBlockShowsItsImportsOrItsSectionLinksToTheFile() {
        TreeSet<String> without = new TreeSet<>();
        int blocks = 0;
        for (Path page : ProjectFiles.pages()) {
            String name = ProjectFiles.ROOT.relativize(page).toString();
            if (name.startsWith("docs/decisions/")) {
                continue;
            }
            String text = ProjectFiles.read(page);
            for (MatchResult block : BLOCK.matcher(text).results().toList()) {
                blocks++;
                if (!block.group(1).contains("import ")
                        && !LINK.matcher(section(text, block)).find()) {
                    without.add(name + ": " + block.group(1).lines().findFirst().orElse(""));
                }
            }
        }
        assertThat(without).isEmpty();
        assertThat(blocks).isGreaterThan(30);
    }

    /** Returns the text from the heading before the block to the heading after it. */
    private static String section(String text, MatchResult block) {
        List<Integer> headings =
                HEADING.matcher(text).results().map(MatchResult::start).toList();
        int from = headings.stream()
                .filter(at -> at < block.start())
                .mapToInt(Integer::intValue)
                .max()
                .orElse(0);
        int until = headings.stream()
                .filter(at -> at > block.end())
                .mapToInt(Integer::intValue)
                .min()
                .orElse(text.length());
        return text.substring(from, until);
    }
}
