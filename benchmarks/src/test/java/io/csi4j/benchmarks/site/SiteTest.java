package io.csi4j.benchmarks.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {
    @TempDir
    Path directory;

    @Test
    void everyPageOfProjectIsRenderedAndEveryLinkResolves() throws IOException {
        Path project = Path.of("..").toAbsolutePath().normalize();
        Path site = directory.resolve("site");
        Site.write(project, site);

        assertThat(LinkCheck.broken(site)).isEmpty();
        List<Path> sources = Site.sources(project);
        assertThat(sources).hasSizeGreaterThan(80).contains(Path.of("docs", "guide", "embed.md"));
        for (Path source : sources) {
            Path page = source.equals(Path.of("README.md"))
                    ? Path.of("index.html")
                    : Path.of(source.toString().replaceFirst("md$", "html"));
            assertThat(site.resolve(page)).content().contains("<h1 id=");
        }
        assertThat(site.resolve("docs/rules.html")).content().contains("<span id=\"r104\">");
        assertThat(site.resolve("docs/node-volumes.html")).content().contains("<a href=\"../docs/rules.html#r");
        assertThat(site.resolve("search-index.js"))
                .content()
                .contains("\"docs/rules.html\",\"Rules of CSI, by number\"");
    }

    @Test
    void linkToMissingPageOrAnchorIsReported() throws IOException {
        page("README.md", "# One\n\n[two](docs/two.md#there) [three](docs/two.md#not-there) [four](docs/four.md)\n");
        page("docs/two.md", "# Two\n\n## There\n");
        Path site = directory.resolve("site");
        Site.write(directory.resolve("project"), site);

        assertThat(LinkCheck.broken(site))
                .containsExactly("index.html -> docs/two.html#not-there", "index.html -> docs/four.html");
    }

    @Test
    void assetFromOutsideIsReported() throws IOException {
        Files.writeString(
                directory.resolve("page.html"),
                "<a href=\"https://example.org\">a</a><script src=\"https://example.org/x.js\"></script>");

        assertThat(LinkCheck.broken(directory)).containsExactly("page.html loads https://example.org/x.js");
    }

    @Test
    void fileOfTextAndDirectoryAreShownAndImageIsCopied() throws IOException {
        page("README.md", "# One\n\n[code](src/One.java) ![image](docs/one.svg) [all](docs/data)\n");
        page("docs/data/two.txt", "a & b");
        page("src/One.java", "class One<T> {}");
        page("docs/one.svg", "<svg/>");
        Path site = directory.resolve("site");
        Site.write(directory.resolve("project"), site);

        assertThat(LinkCheck.broken(site)).isEmpty();
        assertThat(site.resolve("src/One.java.html")).content().contains("class One&lt;T&gt; {}");
        assertThat(site.resolve("docs/data.html"))
                .content()
                .contains("<a href=\"../docs/data/two.txt.html\">two.txt</a>");
        assertThat(site.resolve("docs/data/two.txt.html")).content().contains("a &amp; b");
        assertThat(site.resolve("docs/one.svg")).hasContent("<svg/>");
    }

    @Test
    void numbersOfRulesInTextAreLinkedToTheirRow() {
        String rules = TextLinks.withAnchors("<td>R3, R4</td><td>R8-R10</td>");

        assertThat(rules).contains("id=\"r3\"", "id=\"r4\"", "id=\"r8\"", "id=\"r9\"", "id=\"r10\"");
        assertThat(TextLinks.toRules("<p title=\"R4\">R4, R5 and <a href=\"x\">R4</a></p>", Set.of(4), "rules.html"))
                .isEqualTo("<p title=\"R4\"><a href=\"rules.html#r4\">R4</a>, R5 and <a href=\"x\">R4</a></p>");
    }

    @Test
    void namesOfTypesInCodeAreLinkedToTheirJavadoc() {
        String html = "<code>VolumeKey</code> <a href=\"y\"><code>VolumeKey</code></a> <code>Other</code>";

        assertThat(TextLinks.toTypes(html, Map.of("VolumeKey", "javadoc/VolumeKey.html"), "../"))
                .isEqualTo("<a href=\"../javadoc/VolumeKey.html\"><code>VolumeKey</code></a>"
                        + " <a href=\"y\"><code>VolumeKey</code></a> <code>Other</code>");
    }

    private void page(String name, String text) throws IOException {
        Path file = directory.resolve("project").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
