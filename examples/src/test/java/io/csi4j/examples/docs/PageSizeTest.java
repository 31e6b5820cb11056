package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageSizeTest {
    @Test
    void readmeIsAtMostTwoScreensLong() {
        assertThat(page("README.md").lines()).hasSizeLessThanOrEqualTo(110);
    }

    @Test
    void changelogHasAtMost500Words() {
        assertThat(page("CHANGELOG.md").split("\\s+")).hasSizeLessThanOrEqualTo(500);
    }

    private static String page(String name) {
        return ProjectFiles.read(ProjectFiles.ROOT.resolve(name));
    }
}
