package io.csi4j.examples.lifecycle;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses maps of the command line and of files. Its messages never contain values, because they may be secrets. */
final class KeyValues {
    private KeyValues() {}

    /** Parses elements like {@code k=v[,k=v...]}; a comma within a value is written as {@code \,}. */
    static Map<String, String> fromOptions(List<String> given) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String element : given) {
            for (String pair : element.split("(?<!\\\\),", -1)) {
                if (!put(map, pair.replace("\\,", ","))) {
                    throw new IllegalArgumentException(
                            "holds something that is not key=value; a comma within a value is written \\,");
                }
            }
        }
        return map;
    }

    /**
     * Parses a file with one {@code key=value} in each line; blank lines and lines that begin with # or ! are comments.
     */
    static Map<String, String> fromFile(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(file + " is not UTF-8 text", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    file + " cannot be read (" + e.getClass().getSimpleName()
                            + "); check that it exists and is readable",
                    e);
        }
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            boolean comment = line.isEmpty() || line.startsWith("#") || line.startsWith("!");
            if (!comment && !put(map, line)) {
                throw new IllegalArgumentException("line " + (i + 1) + " of " + file + " is not key=value");
            }
        }
        return map;
    }

    private static boolean put(Map<String, String> map, String pair) {
        int equals = pair.indexOf('=');
        if (equals <= 0) {
            return false;
        }
        map.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
        return true;
    }
}
