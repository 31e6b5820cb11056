package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountPointsTest {
    private static final Path ROOT = Path.of("/");
    private static final Path VAR = Path.of("/var");
    private static final Path LIB = Path.of("/var/lib");

    /** The characters before and after the slash sort directly beside the paths below. */
    private final MountPoints points = MountPoints.of(
            List.of(LIB, Path.of("/var-x"), VAR, Path.of("/var.x"), Path.of("/var0"), Path.of("/var/lib/a"), ROOT));

    @Test
    void onlyMountPointsThemselvesAreContained() {
        assertThat(points.contains(VAR)).isTrue();
        assertThat(points.contains(ROOT)).isTrue();
        assertThat(points.contains(Path.of("/var/li"))).isFalse();
        assertThat(points.contains(Path.of("/var/lib/a/b"))).isFalse();
    }

    @Test
    void mountPointsWithinPathAreItselfAndThoseBelowAndNoSiblings() {
        assertThat(points.within(VAR)).containsExactly(VAR, LIB, Path.of("/var/lib/a"));
        assertThat(points.within(Path.of("/var/lib/a"))).containsExactly(Path.of("/var/lib/a"));
        assertThat(points.within(Path.of("/va"))).isEmpty();
        assertThat(points.within(ROOT)).hasSize(7).startsWith(ROOT);
    }
}
