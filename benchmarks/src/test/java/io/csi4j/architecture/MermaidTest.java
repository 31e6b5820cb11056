package io.csi4j.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every Mermaid picture of the pages can be drawn. */
class MermaidTest {
    private static final Pattern PICTURE = Pattern.compile("```mermaid\n(.*?)```", Pattern.DOTALL);

    @Test
    void everyDiagramInDocumentationParses() throws IOException {
        TreeMap<String, String> problems = new TreeMap<>();
        int pictures = 0;
        for (Path page : pages(Path.of(".."))) {
            Matcher matcher = PICTURE.matcher(Files.readString(page));
            while (matcher.find()) {
                pictures++;
                Mermaid.problem(matcher.group(1))
                        .ifPresent(problem -> problems.merge(page.toString(), problem, (one, two) -> one + "; " + two));
            }
        }
        assertThat(problems).isEmpty();
        assertThat(pictures).isGreaterThanOrEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "flowchart LR\n  a[csi-core] --> b[\"csi-state (memory)\"]\n  a & b -.-> c",
                "stateDiagram-v2\n  [*] --> TAKEN : the claim is admitted\n  TAKEN --> [*]",
                "sequenceDiagram\n  participant W as worker\n  W->>N: detach\n  alt no answer\n    W->>N: detach again\n  end"
            })
    void correctPictureHasNoProblem(String picture) {
        assertThat(Mermaid.problem(picture)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "pie\n  \"a\" : 1",
                "flowchart LR\n  a --> ",
                "flowchart LR\n  a[text (with) brackets] --> b",
                "stateDiagram-v2\n  [*] -> TAKEN",
                "sequenceDiagram\n  W->>N detach",
                "sequenceDiagram\n  alt no answer\n    W->>N: detach",
                "sequenceDiagram\n  W->>N: detach\n  end"
            })
    void brokenPictureHasProblem(String picture) {
        assertThat(Mermaid.problem(picture)).isPresent();
    }

    private static List<Path> pages(Path root) throws IOException {
        List<Path> pages = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = String.valueOf(directory.getFileName());
                return name.equals("target") || name.equals(".git")
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".md")) {
                    pages.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return pages;
    }
}
