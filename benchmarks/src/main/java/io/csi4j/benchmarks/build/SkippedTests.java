package io.csi4j.benchmarks.build;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * The last step of a build with tests: prints the skipped tests of all modules with their reasons. It reads the reports
 * of Surefire. A report from before the start of the build is left out, because its class may have been removed.
 */
public final class SkippedTests {
    private static final String LINE = "=".repeat(100);

    private final SortedMap<String, SortedSet<String>> classesByReason = new TreeMap<>();
    private final Map<String, Integer> countByReason = new TreeMap<>();
    private int tests;
    private int skipped;

    private SkippedTests() {}

    /** Prints the list. Arguments: the root of the repository, and the start of the build, as ISO 8601 in UTC. */
    public static void main(String[] args) throws IOException {
        System.out.println(of(Path.of(args[0]), Instant.parse(args[1])));
    }

    static String of(Path root, Instant start) throws IOException {
        SkippedTests found = new SkippedTests();
        for (Path report : reports(root)) {
            if (!Files.getLastModifiedTime(report).toInstant().isBefore(start)) {
                String module = root.relativize(report).getName(0).toString();
                found.read(module, report);
            }
        }
        return found.text();
    }

    private static List<Path> reports(Path root) throws IOException {
        List<Path> reports = new ArrayList<>();
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.sorted().toList()) {
                for (String target : List.of("target", "target/plain")) {
                    Path directory = module.resolve(target).resolve("surefire-reports");
                    if (Files.isDirectory(directory)) {
                        try (Stream<Path> files = Files.list(directory)) {
                            files.filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
                                    .sorted()
                                    .forEach(reports::add);
                        }
                    }
                }
            }
        }
        return reports;
    }

    private void read(String module, Path report) throws IOException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        try (InputStream in = Files.newInputStream(report)) {
            XMLStreamReader xml = factory.createXMLStreamReader(in);
            String testClass = "";
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                if (xml.getLocalName().equals("testcase")) {
                    tests++;
                    String name = xml.getAttributeValue(null, "classname");
                    testClass = name.substring(name.lastIndexOf('.') + 1);
                } else if (xml.getLocalName().equals("skipped")) {
                    skipped++;
                    String message = xml.getAttributeValue(null, "message");
                    String reason = message == null ? "no reason given" : reason(message);
                    countByReason.merge(reason, 1, Integer::sum);
                    classesByReason
                            .computeIfAbsent(reason, key -> new TreeSet<>())
                            .add(module + " " + testClass);
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException(report + " is no report of Surefire: " + e.getMessage(), e);
        }
    }

    private static String reason(String message) {
        String prefix = "Assumption failed: ";
        return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
    }

    private String text() {
        if (skipped == 0) {
            return String.join("\n", "", LINE, "All " + tests + " tests ran, none was skipped.", LINE, "");
        }
        String list = classesByReason.entrySet().stream()
                .map(entry -> "%6d  %s%n%s"
                        .formatted(
                                countByReason.get(entry.getKey()),
                                entry.getKey(),
                                entry.getValue().stream()
                                        .map(name -> "        in " + name)
                                        .collect(joining("\n"))))
                .collect(joining("\n"));
        return String.join(
                "\n",
                "",
                LINE,
                "WARNING: " + skipped + " of " + tests
                        + " tests were SKIPPED. This build has not shown what they test:",
                list,
                LINE,
                "");
    }
}
