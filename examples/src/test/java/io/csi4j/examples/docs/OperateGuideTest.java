package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeException;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The guide for operators explains every reason and every exception that a user can meet. */
class OperateGuideTest {
    private static final Pattern EXCEPTION = Pattern.compile("\\bpublic [\\w ]*class (\\w+Exception)\\b");

    private final String page = ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/guide/operate.md"));

    static Stream<Class<? extends Enum<?>>> reasons() {
        return Stream.of(
                WaitReason.class,
                NeverReason.class,
                RemainingWork.Reason.class,
                NodeVolumeException.Reason.class,
                NodeVolumeEvent.Kind.class);
    }

    @ParameterizedTest
    @MethodSource("reasons")
    void guideExplainsEachReasonCode(Class<? extends Enum<?>> reasons) {
        for (Enum<?> reason : reasons.getEnumConstants()) {
            assertThat(rows())
                    .as("a row for %s", reason)
                    .anySatisfy(row -> assertThat(row).contains("`" + reason.name() + "`"));
        }
    }

    @Test
    void guideHasRowForEachPublicException() {
        List<String> exceptions = ProjectFiles.sources().stream()
                .filter(source -> {
                    String path = ProjectFiles.ROOT.relativize(source).toString();
                    return path.startsWith("csi-")
                            && path.contains("/src/main/")
                            && !path.contains("/internal/")
                            && !path.startsWith("csi-simulation")
                            && !path.startsWith("csi-testkit");
                })
                .flatMap(source -> EXCEPTION.matcher(ProjectFiles.read(source)).results())
                .map((MatchResult found) -> found.group(1))
                .toList();
        assertThat(exceptions).hasSizeGreaterThan(15);
        assertThat(exceptions)
                .allSatisfy(exception -> assertThat(rows())
                        .as("a row for %s", exception)
                        .anySatisfy(row -> assertThat(row).startsWith("| `" + exception + "` |")));
    }

    private List<String> rows() {
        return page.lines().filter(line -> line.startsWith("| ")).toList();
    }
}
