package io.csi4j.benchmarks.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/** Reads the reports of Surefire below all modules. */
final class TestReport {
    private static final String ASSUMPTION = "Assumption failed: ";
    private static final String CONDITION = " ==> ";

    private TestReport() {}

    /**
     * An entry of a report: one run of a test method.
     *
     * @param module the directory of the module
     * @param testClass the simple name of the outer class
     * @param method the name of the method, without parameters; empty: the whole class was skipped
     * @param skipReason the reason for which it was skipped; empty: it ran
     * @param written when the report was written
     */
    record Run(String module, String testClass, String method, Optional<String> skipReason, Instant written) {}

    /** Reads all reports, of this build and of earlier ones. */
    static List<Run> runs(Path root) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (Path report : reports(root)) {
            read(root.relativize(report).getName(0).toString(), report, runs);
        }
        return runs;
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

    private static void read(String module, Path report, List<Run> runs) throws IOException {
        Instant written = Files.getLastModifiedTime(report).toInstant();
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        try (InputStream in = Files.newInputStream(report)) {
            XMLStreamReader xml = factory.createXMLStreamReader(in);
            while (xml.hasNext()) {
                if (xml.next() != XMLStreamConstants.START_ELEMENT) {
                    continue;
                }
                if (xml.getLocalName().equals("testcase")) {
                    String testClass = testClass(xml.getAttributeValue(null, "classname"));
                    String method = method(xml.getAttributeValue(null, "name"));
                    runs.add(new Run(module, testClass, method, Optional.empty(), written));
                } else if (xml.getLocalName().equals("skipped")) {
                    Run run = runs.remove(runs.size() - 1);
                    String reason = reason(xml.getAttributeValue(null, "message"));
                    runs.add(new Run(module, run.testClass(), run.method(), Optional.of(reason), written));
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException(report + " is no report of Surefire: " + e.getMessage(), e);
        }
    }

    /** Returns {@code OneTest} for {@code a.b.OneTest}, {@code a.b.OneTest[2]} and {@code a.b.OneTest$Inner}. */
    private static String testClass(String name) {
        String outer = name.split("[\\[$]", 2)[0];
        return outer.substring(outer.lastIndexOf('.') + 1);
    }

    /** Returns {@code mounts} for {@code mounts} and {@code mounts(Order)[1]}; empty: the entry is of the whole class. */
    private static String method(@Nullable String name) {
        return name == null ? "" : name.split("\\W", 2)[0];
    }

    private static String reason(@Nullable String message) {
        if (message == null) {
            return "no reason given";
        }
        if (message.startsWith(ASSUMPTION)) {
            return message.substring(ASSUMPTION.length());
        }
        return message.contains(CONDITION)
                ? message.substring(message.indexOf(CONDITION) + CONDITION.length())
                : message;
    }
}
