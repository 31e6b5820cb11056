package io.csi4j.benchmarks.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes all pages of the project as a site. A link to a page leads to the rendered page, and a link to another file to
 * its copy or to a page that shows it.
 */
public final class Site {
    private static final Path RULES = Path.of("docs", "rules.md");
    private static final Path README = Path.of("README.md");
    private static final Pattern OUTSIDE = Pattern.compile("^(\\w+:|#).*");
    private static final Pattern RULE = Pattern.compile("<span id=\"r(\\d+)\">");
    private static final Pattern TYPE = Pattern.compile("\\{\"p\":\"([^\"]+)\",\"l\":\"([^\"]+)\"");
    /** The list of constants links to its headings, and the Javadoc of JDK 17 gives them no anchors. */
    private static final Pattern HEADING_WITHOUT_ANCHOR = Pattern.compile("<h2 title=\"([^\"]*)\">");

    private static final Set<String> IMAGES = Set.of("png", "svg");
    private static final List<String> ASSETS = List.of("site.css", "site.js", "pictures.js");

    /** The drawer of pictures, a library for browsers: only the build of the site has it on its class path. */
    private static final String MERMAID = "/META-INF/resources/webjars/mermaid/";

    private static final String MERMAID_VERSION = "/META-INF/maven/org.webjars.npm/mermaid/pom.properties";

    private final Path project;
    private final Path site;
    /** Files that are no pages, and that a page leads to. */
    private final TreeSet<Path> linked = new TreeSet<>();

    private Site(Path project, Path site) {
        this.project = project;
        this.site = site;
    }

    /**
     * Writes the site and checks its links.
     *
     * @param args the directory of the project, and that of the site, which may have the Javadoc in {@code javadoc}
     */
    public static void main(String[] args) throws IOException {
        Path site = Path.of(args[1]).toAbsolutePath().normalize();
        int pages = write(Path.of(args[0]).toAbsolutePath().normalize(), site);
        List<String> broken = LinkCheck.broken(site);
        System.out.println(pages + " pages in " + site + ", " + broken.size() + " broken links");
        if (!broken.isEmpty()) {
            broken.stream().limit(20).forEach(System.err::println);
            System.exit(1);
        }
    }

    /** Writes the site, and returns the number of its pages. */
    static int write(Path project, Path site) throws IOException {
        return new Site(project, site).write();
    }

    /** Returns all pages of the project, relative to it. */
    static List<Path> sources(Path project) throws IOException {
        List<Path> pages = new ArrayList<>();
        // Directories of builds are not entered: their files come and go while other modules are built.
        Files.walkFileTree(project, new SimpleFileVisitor<>() {
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
                    pages.add(project.relativize(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return pages.stream().sorted().toList();
    }

    private int write() throws IOException {
        Map<String, String> types = types();
        List<Page> pages = new ArrayList<>();
        for (Path source : sources(project)) {
            pages.add(page(source));
        }
        Set<Integer> rules = pages.stream()
                .filter(page -> page.source().equals(RULES))
                .flatMap(page -> RULE.matcher(page.html()).results())
                .map(rule -> Integer.valueOf(rule.group(1)))
                .collect(Collectors.toSet());
        pages.replaceAll(page -> withLinks(page, rules, types));
        for (Path file = linked.pollFirst(); file != null; file = linked.pollFirst()) {
            if (isText(file)) {
                pages.add(shown(file));
            } else {
                copy(Files.newInputStream(project.resolve(file)), file.toString());
            }
        }
        Layout layout = new Layout(pages, !types.isEmpty());
        for (Page page : pages) {
            write(page.address(), layout.html(page));
        }
        List<Page> found = pages.stream()
                .filter(page -> page.source().toString().endsWith(".md"))
                .toList();
        write("search-index.js", SearchIndex.script(found, types));
        writeAssets();
        linkJavadoc(rules);
        return pages.size();
    }

    private Page page(Path source) throws IOException {
        String html = Markdown.toHtml(Files.readString(project.resolve(source)), link -> address(source, link));
        return Page.of(source, address(source), source.equals(RULES) ? TextLinks.withAnchors(html) : html);
    }

    private static Page withLinks(Page page, Set<Integer> rules, Map<String, String> types) {
        String html = TextLinks.toTypes(page.html(), types, page.toRoot());
        if (!page.source().equals(RULES)) {
            html = TextLinks.toRules(html, rules, page.toRoot() + address(RULES));
        }
        return new Page(page.source(), page.address(), page.title(), html);
    }

    /** Returns the link of a page in the site. */
    private String address(Path source, String link) {
        if (OUTSIDE.matcher(link).matches()) {
            return link;
        }
        int hash = link.indexOf('#');
        String anchor = hash < 0 ? "" : link.substring(hash);
        Path file = project.relativize(project.resolve(source)
                .resolveSibling(hash < 0 ? link : link.substring(0, hash))
                .normalize());
        if (!file.toString().endsWith(".md")) {
            linked.add(file);
        }
        return up(source) + address(file) + anchor;
    }

    private static String up(Path source) {
        return "../".repeat(source.getNameCount() - 1);
    }

    private static String address(Path file) {
        if (file.equals(README)) {
            return "index.html";
        }
        String name = file.toString();
        return name.endsWith(".md") ? name.replaceFirst("\\.md$", ".html") : isText(file) ? name + ".html" : name;
    }

    private static boolean isText(Path file) {
        return IMAGES.stream().noneMatch(ending -> file.toString().endsWith("." + ending));
    }

    /** Returns a page that shows a file of text, or the list of a directory. */
    private Page shown(Path file) throws IOException {
        String title = "<h1 id=\"file\">" + Layout.escape(file.toString()) + "</h1>\n";
        String content = Files.isDirectory(project.resolve(file))
                ? list(file)
                : "<pre tabindex=\"0\"><code>" + Layout.escape(Files.readString(project.resolve(file)))
                        + "</code></pre>\n";
        return Page.of(file, address(file), title + content);
    }

    private String list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(project.resolve(directory))) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString())
                    .sorted()
                    .map(name -> "<li><a href=\"" + address(directory, directory.getFileName() + "/" + name) + "\">"
                            + name + "</a></li>\n")
                    .collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
        }
    }

    private void write(String address, String text) throws IOException {
        Path file = site.resolve(address);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void copy(InputStream from, String address) throws IOException {
        Path file = site.resolve(address);
        Files.createDirectories(file.getParent());
        try (from) {
            Files.copy(from, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void writeAssets() throws IOException {
        for (String asset : ASSETS) {
            copy(resource(asset), asset);
        }
        try (InputStream version = Site.class.getResourceAsStream(MERMAID_VERSION)) {
            if (version == null) {
                // Without the drawer, the pages show the text of their pictures.
                write("mermaid.min.js", "");
            } else {
                Properties properties = new Properties();
                properties.load(version);
                copy(resource(MERMAID + properties.getProperty("version") + "/dist/mermaid.min.js"), "mermaid.min.js");
            }
        }
    }

    private static InputStream resource(String name) throws IOException {
        InputStream from = Site.class.getResourceAsStream(name);
        if (from == null) {
            throw new IOException(name + " is not on the class path");
        }
        return from;
    }

    /** Returns the addresses of the public types of which only one has the name, from the index of the Javadoc. */
    private Map<String, String> types() throws IOException {
        Path index = site.resolve("javadoc").resolve("type-search-index.js");
        Map<String, String> types = new TreeMap<>();
        Set<String> ambiguous = new TreeSet<>();
        if (Files.exists(index)) {
            Matcher type = TYPE.matcher(Files.readString(index));
            while (type.find()) {
                String address = "javadoc/" + type.group(1).replace('.', '/') + "/" + type.group(2) + ".html";
                if (types.put(type.group(2), address) != null) {
                    ambiguous.add(type.group(2));
                }
            }
        }
        types.keySet().removeAll(ambiguous);
        return types;
    }

    private void linkJavadoc(Set<Integer> rules) throws IOException {
        Path javadoc = site.resolve("javadoc");
        if (!Files.isDirectory(javadoc)) {
            return;
        }
        try (Stream<Path> files = Files.walk(javadoc)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".html")).toList()) {
                String html = Files.readString(file);
                String whole = HEADING_WITHOUT_ANCHOR.matcher(html).replaceAll("<h2 id=\"$1\" title=\"$1\">");
                String linked = TextLinks.toRules(whole, rules, up(site.relativize(file)) + address(RULES));
                if (!linked.equals(html)) {
                    Files.writeString(file, linked);
                }
            }
        }
    }
}
