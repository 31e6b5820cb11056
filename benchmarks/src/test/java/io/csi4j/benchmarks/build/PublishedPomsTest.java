package io.csi4j.benchmarks.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Checks that the poms have all that a public repository asks for, and that each module is either published or not. */
class PublishedPomsTest {
    private static final Path ROOT = Path.of("..");

    /** The elements that modules inherit from the parent. The bill of materials has no parent, so it has its own. */
    private static final List<String> ABOUT_PROJECT = List.of(
            "/project/url",
            "/project/licenses/license/name",
            "/project/licenses/license/url",
            "/project/developers/developer/name",
            "/project/scm/url",
            "/project/scm/connection");

    @ParameterizedTest
    @ValueSource(strings = {"pom.xml", "csi-bom/pom.xml"})
    void pomSaysAllAboutProject(String pom) throws Exception {
        Document document = read(ROOT.resolve(pom));

        assertThat(missing(document, ABOUT_PROJECT)).isEmpty();
        assertThat(missing(document, List.of("/project/name", "/project/description")))
                .isEmpty();
    }

    @Test
    void moduleInheritsAllAboutProjectAndHasItsOwnNameAndDescription() throws Exception {
        for (String module : modules()) {
            Document pom = pom(module);

            assertThat(missing(pom, List.of("/project/name", "/project/description")))
                    .as(module)
                    .isEmpty();
            assertThat(module.equals("csi-bom")
                            || texts(pom, "/project/parent/artifactId").equals(List.of("csi4j-parent")))
                    .as(module)
                    .isTrue();
        }
    }

    @Test
    void billOfMaterialsHasEveryModuleThatIsDeployed() throws Exception {
        TreeSet<String> deployed = new TreeSet<>();
        for (String module : modules()) {
            Document pom = pom(module);
            if (!texts(pom, "/project/properties/maven.deploy.skip").contains("true")) {
                deployed.addAll(texts(pom, "/project/artifactId"));
            }
        }
        deployed.remove("csi-bom");

        assertThat(texts(read(ROOT.resolve("csi-bom/pom.xml")), "//dependencyManagement//artifactId"))
                .containsExactlyInAnyOrderElementsOf(deployed)
                .hasSizeGreaterThan(10);
    }

    @Test
    void bothReleaseProfilesUseTheSameVersionsOfPlugins() throws Exception {
        Document parent = read(ROOT.resolve("pom.xml"));
        Document bom = read(ROOT.resolve("csi-bom/pom.xml"));
        for (String plugin : List.of("maven-gpg-plugin", "maven-deploy-plugin", "maven-install-plugin")) {
            String version = "//plugin[artifactId='" + plugin + "']/version";

            assertThat(texts(bom, version)).as(plugin).hasSize(1).isEqualTo(texts(parent, version));
        }
    }

    @Test
    void missingElementIsReported() throws Exception {
        Document pom = parse("<project><url> </url><scm><url>here</url></scm></project>");

        assertThat(missing(pom, List.of("/project/url", "/project/scm/url", "/project/name")))
                .containsExactly("/project/url", "/project/name");
    }

    private static List<String> missing(Document pom, List<String> paths) {
        return paths.stream().filter(path -> texts(pom, path).isEmpty()).toList();
    }

    private static List<String> modules() throws Exception {
        return texts(read(ROOT.resolve("pom.xml")), "/project/modules/module");
    }

    private static Document pom(String module) throws Exception {
        return read(ROOT.resolve(module.endsWith(".xml") ? module : module + "/pom.xml"));
    }

    private static Document read(Path file) throws Exception {
        return parse(Files.readString(file));
    }

    private static Document parse(String xml) throws Exception {
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the texts of the elements at a path, without empty ones. */
    private static List<String> texts(Document document, String path) {
        try {
            NodeList found = (NodeList)
                    XPathFactory.newDefaultInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
            return IntStream.range(0, found.getLength())
                    .mapToObj(i -> found.item(i).getTextContent().strip())
                    .filter(text -> !text.isEmpty())
                    .toList();
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(path, e);
        }
    }
}
