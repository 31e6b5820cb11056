package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LogPageTest {
    private static final Pattern LOGGER_FIELD = Pattern.compile("\\bLogger (\\w+) *= *System\\.getLogger");
    private static final Pattern CAUSES_FIELD = Pattern.compile("\\bCauseLog (\\w+)\\b");
    private static final Pattern WORD = Pattern.compile("[A-Za-z]{3,}");

    private static final String PAGE = ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/logs.md"));

    @Test
    void pageListsEachLineOfTheCodeOnce() {
        List<LogLine> onPage = LogLines.inPage(PAGE);
        assertThat(onPage).doesNotHaveDuplicates();
        assertThat(onPage).containsExactlyInAnyOrderElementsOf(LogLines.inCode());
    }

    @Test
    void eachLineHasWordsOfItsOwn() {
        Set<LogLine> lines = LogLines.inCode();
        assertThat(lines).hasSizeGreaterThan(50);
        assertThat(lines).allSatisfy(line -> assertThat(line.text()).containsPattern(WORD));
    }

    @Test
    void eachLineOnPageSaysWhatItMeansAndWhatToDo() {
        List<String[]> rows = PAGE.lines()
                .map(row -> row.split("\\s*\\|\\s*"))
                .filter(cells -> cells.length > 2 && cells[1].matches("INFO|WARNING|ERROR"))
                .toList();
        assertThat(rows).allSatisfy(cells -> {
            assertThat(cells).hasSize(5);
            assertThat(cells[3]).isNotBlank();
            assertThat(cells[4]).isNotBlank();
        });
    }

    @Test
    void readerOfLinesFindsAllLoggers() {
        for (var source : ProjectFiles.sources()) {
            if (!source.toString().contains("/src/main/")) {
                continue;
            }
            String text = ProjectFiles.read(source);
            assertThat(LOGGER_FIELD.matcher(text).results().map(field -> field.group(1)))
                    .as(source.toString())
                    .isSubsetOf("LOG", "LOGGER", "LINES");
            if (!source.toString().contains("/internal/log/")) {
                assertThat(CAUSES_FIELD.matcher(text).results().map(field -> field.group(1)))
                        .as(source.toString())
                        .isSubsetOf("causes", "import");
            }
        }
    }
}
