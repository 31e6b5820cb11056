package io.csi4j.core.lifecycle;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The list of cases that claims, releases and placement have to get right, with the tests of each. */
public final class CaseList {
    record Case(String name, String meaning, String tests) {
        boolean leftOut() {
            return tests.startsWith("not here: ");
        }
    }

    private CaseList() {}

    static List<Case> cases() throws IOException {
        try (InputStream in = CaseList.class.getResourceAsStream("cases.tsv")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t", -1))
                    .map(parts -> new Case(parts[0], parts[1], parts[2]))
                    .toList();
        }
    }

    /**
     * Returns the listed tests that JUnit would not run, because there is no such class or test, or because the test is
     * disabled.
     *
     * @param inThisModule chooses the tests by the names of their classes, because each module knows only its own
     */
    public static List<String> testsThatWouldNotRun(Predicate<String> inThisModule) throws IOException {
        return cases().stream()
                .filter(one -> !one.leftOut())
                .flatMap(one -> Stream.of(one.tests().split(" ", -1)))
                .filter(test -> inThisModule.test(test.split("#", -1)[0]))
                .filter(test -> !runs(test))
                .toList();
    }

    private static boolean runs(String test) {
        String[] parts = test.split("#", -1);
        try {
            Class<?> type = Class.forName(parts[0], false, CaseList.class.getClassLoader());
            return !AnnotationSupport.isAnnotated(type, Disabled.class)
                    && Arrays.stream(type.getDeclaredMethods())
                            .filter(method -> method.getName().equals(parts[1]))
                            .anyMatch(CaseList::isEnabledTest);
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static boolean isEnabledTest(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class)
                && !AnnotationSupport.isAnnotated(method, Disabled.class);
    }
}
