package io.csi4j.examples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the names of types and methods in the pages exist in the sources. */
class NamesTest {
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern TYPE = Pattern.compile("^([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\\.(\\w+))?\\b(?!/)");
    private static final Pattern CALL = Pattern.compile("\\b([a-z]\\w+)\\(");
    private static final Pattern DECLARATION =
            Pattern.compile("\\b(?:class|interface|record|enum|@interface) ([A-Z]\\w*)");
    private static final Pattern WORD = Pattern.compile("\\w+");

    /** A class that the reader writes, and a method that protoc would generate. */
    private static final Set<String> OTHERS = Set.of("AuditedMounter", "getMutableParameters");

    private static final List<String> JDK =
            List.of("java.lang.", "java.util.", "java.util.concurrent.", "java.util.random.", "java.time.", "java.io.");

    private final Map<String, List<Path>> types = new HashMap<>();
    private final Set<String> words = new HashSet<>();

    NamesTest() {
        for (Path source : ProjectFiles.sources()) {
            String code = ProjectFiles.read(source);
            Matcher declaration = DECLARATION.matcher(code);
            while (declaration.find()) {
                types.computeIfAbsent(declaration.group(1), name -> new ArrayList<>())
                        .add(source);
            }
            if (source.toString().contains("/src/main/")) {
                WORD.matcher(code).results().forEach(word -> words.add(word.group()));
            }
        }
    }

    @Test
    void codeNamesInDocumentationExistInSources() {
        List<String> unknown = new ArrayList<>();
        int checked = 0;
        for (Path page : ProjectFiles.pages()) {
            String text = FENCE.matcher(ProjectFiles.read(page)).replaceAll("");
            Matcher code = CODE.matcher(text);
            while (code.find()) {
                checked++;
                if (!known(code.group(1))) {
                    unknown.add(ProjectFiles.ROOT.relativize(page) + ": " + code.group(1));
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(checked).isGreaterThan(500);
    }

    @Test
    void nonexistentTypesAndMethodsAreReportedAsUnknown() {
        assertThat(known("VolumeLane")).isFalse();
        assertThat(known("LocalNode.teleport")).isFalse();
        assertThat(known("operator().obliterate(volume)")).isFalse();
        assertThat(known("LocalNode.prepare")).isTrue();
        assertThat(known("operator().detach(volume, node)")).isTrue();
    }

    private boolean known(String code) {
        Matcher type = TYPE.matcher(code);
        if (type.find() && !OTHERS.contains(type.group(1)) && !typeKnown(type.group(1), type.group(2))) {
            return false;
        }
        Matcher call = CALL.matcher(code);
        while (call.find()) {
            if (!words.contains(call.group(1)) && !OTHERS.contains(call.group(1))) {
                return false;
            }
        }
        return true;
    }

    private boolean typeKnown(String name, String member) {
        List<Path> sources = types.get(name);
        if (sources == null) {
            return isJdk(name) || words.contains(name);
        }
        return member == null
                || sources.stream()
                        .anyMatch(source -> Pattern.compile("\\b" + member + "\\b")
                                .matcher(ProjectFiles.read(source))
                                .find());
    }

    private static boolean isJdk(String name) {
        return JDK.stream().anyMatch(prefix -> {
            try {
                Class.forName(prefix + name);
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        });
    }
}
