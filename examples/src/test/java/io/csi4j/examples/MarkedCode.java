package io.csi4j.examples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of an example that pages show: the lines between two {@code // DOC} comments. */
public final class MarkedCode {
    private static final String MARK = "// DOC\n";

    private MarkedCode() {}

    /** Returns the marked lines as a Java block of a page, without their common indentation. */
    public static String block(Path source) throws IOException {
        String code = Files.readString(source);
        int begin = code.indexOf(MARK) + MARK.length();
        int end = code.lastIndexOf(MARK);
        if (begin > end) {
            throw new IllegalArgumentException(source + " has no two lines " + MARK.strip());
        }
        return "```java\n" + code.substring(begin, end).stripIndent().strip() + "\n```";
    }
}
