package io.csi4j.simulation.internal.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each check of the simulation has a test that plants its violation. A check is a call of {@code reportViolation}; its plant
 * is a test that expects its text, or a planted defect that expects the beginning of its text.
 */
class PlantedChecksTest {
    private static final Path MAIN = Path.of("src/main/java");
    private static final List<Path> TESTS =
            List.of(Path.of("src/test/java"), Path.of("../simulation-tests/src/test/java"));

    /** Passes on the violations of a log under test, which has tests of its own. */
    private static final String OF_LOG = "what";

    private static final Pattern CALL = Pattern.compile("\\breportViolation\\((?!String )");
    private static final Pattern RULE = Pattern.compile("(?:[INRSX]\\d+|placement)\\b.*", Pattern.DOTALL);
    private static final Pattern DEFECT = Pattern.compile("[A-Z_]+, (.+)");
    private static final Pattern LITERAL = Pattern.compile("\"((?:\\\\.|[^\"\\\\\n])*)\"");

    private static final Pattern PART = Pattern.compile(LITERAL + "|[()+,;]");

    /** Stands for a part of a text that is not constant. */
    private static final String VARIABLE = "\0";

    @Test
    void eachCheckHasPlantedViolation() throws IOException {
        List<String> checks = checks();
        Set<String> expected = new TreeSet<>();
        for (Path tests : TESTS) {
            for (String code : sources(tests)) {
                expected.addAll(texts(code));
            }
        }
        List<String> missing = checks.stream()
                .filter(check -> expected.stream().noneMatch(text -> plants(text, check, checks)))
                .map(check -> check.replace(VARIABLE, "…"))
                .toList();
        assertThat(missing).as("checks whose violation no test plants").isEmpty();
        assertThat(checks).doesNotHaveDuplicates().hasSizeGreaterThan(70);
    }

    @Test
    void textOfCheckIsFoundInFormOfTest() {
        assertThat(texts("world.reportViolation(\"R1: \" + a(\"x\", 1) + \" of \" + b);"))
                .containsExactly("R1: \0 of \0");
        assertThat(matches("R1: v of w", "R1: \0 of \0")).isTrue();
        assertThat(matches("R1: v at w", "R1: \0 of \0")).isFalse();
        List<String> checks = List.of("R1: \0 of \0", "I7: no end", "I7: a step of \0");
        assertThat(plants("ONE_DEFECT, R1", checks.get(0), checks)).isTrue();
        assertThat(plants("ONE_DEFECT, I7: a step", checks.get(2), checks)).isTrue();
        assertThat(plants("ONE_DEFECT, I7", checks.get(2), checks))
                .as("two checks begin so")
                .isFalse();
    }

    private static List<String> checks() throws IOException {
        List<String> checks = new ArrayList<>();
        for (String code : sources(MAIN)) {
            Matcher call = CALL.matcher(code);
            while (call.find()) {
                String rest = code.substring(call.end());
                if (!rest.startsWith(OF_LOG)) {
                    checks.add(text(rest));
                }
            }
        }
        return checks;
    }

    private static boolean plants(String text, String check, List<String> checks) {
        Matcher defect = DEFECT.matcher(text);
        return defect.matches()
                ? checks.stream()
                        .filter(one -> one.startsWith(defect.group(1)))
                        .toList()
                        .equals(List.of(check))
                : matches(text, check);
    }

    private static boolean matches(String text, String check) {
        String pattern = Pattern.quote(check).replace(VARIABLE, "\\E.+\\Q");
        return Pattern.compile(pattern, Pattern.DOTALL).matcher(text).matches();
    }

    /** Returns the texts that begin with a rule or a defect, in the order of the code. */
    private static List<String> texts(String code) {
        List<String> texts = new ArrayList<>();
        Matcher literal = LITERAL.matcher(code);
        while (literal.find()) {
            if (RULE.matcher(literal.group(1)).matches()
                    || DEFECT.matcher(literal.group(1)).matches()) {
                texts.add(text(code.substring(literal.start())));
            }
        }
        return texts;
    }

    /** Returns the text of the concatenation with which the code begins, up to a comma or a closing parenthesis. */
    private static String text(String code) {
        StringBuilder text = new StringBuilder();
        Matcher part = PART.matcher(code);
        int depth = 0;
        int end = 0;
        boolean constant = false;
        while (part.find()) {
            String found = part.group();
            if (depth == 0 && found.startsWith("\"")) {
                text.append(part.group(1));
                constant = true;
            } else if (depth == 0 && !found.equals("(")) {
                if (!constant && !code.substring(end, part.start()).isBlank()) {
                    text.append(VARIABLE);
                }
                constant = false;
                if (!found.equals("+")) {
                    return text.toString();
                }
            } else {
                depth += found.equals("(") ? 1 : found.equals(")") ? -1 : 0;
            }
            end = depth == 0 && found.equals("+") ? part.end() : end;
        }
        throw new IllegalArgumentException("no end of the text in " + code);
    }

    private static List<String> sources(Path root) throws IOException {
        List<String> sources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".java"))
                    .sorted()
                    .toList()) {
                sources.add(Files.readString(file));
            }
        }
        return sources;
    }
}
