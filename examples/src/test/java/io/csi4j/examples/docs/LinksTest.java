package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]*)(#[^)\\s]*)?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");

    @Test
    void relativeLinksInPagesPointToExistingFilesAndHeadings() {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : ProjectFiles.pages()) {
            Matcher link = LINK.matcher(withoutCode(page));
            while (link.find()) {
                if (!link.group(1).contains("://")) {
                    links++;
                    check(page, link.group(1), link.group(2), broken);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    private static void check(Path page, String target, String anchor, List<String> broken) {
        Path file = target.isEmpty() ? page : page.resolveSibling(target).normalize();
        String link = ProjectFiles.ROOT.relativize(page) + " -> " + target + (anchor == null ? "" : anchor);
        if (!Files.exists(file)) {
            broken.add(link);
        } else if (anchor != null && !headings(file).contains(anchor.substring(1))) {
            broken.add(link);
        }
    }

    /** Returns the anchors of a page's headings, as code hosts make them. */
    private static Set<String> headings(Path page) {
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(withoutCode(page));
        while (heading.find()) {
            anchors.add(heading.group(1)
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\w\\- ]", "")
                    .replace(' ', '-'));
        }
        return anchors;
    }

    private static String withoutCode(Path page) {
        return FENCE.matcher(ProjectFiles.read(page)).replaceAll("");
    }
}
