package io.csi4j.shell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The lines of pages that begin with {@code csi}: in code between words, and in blocks of code. */
final class DocumentedCommands {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```[a-z]*\\n(.*?)^```$");
    private static final Pattern CODE = Pattern.compile("`(csi [^`\n]+)`");
    /** A pipe, a redirection or a comment ends the command. */
    private static final Pattern SHELL_SYNTAX = Pattern.compile(" +(?:[|>#].*)$");

    private DocumentedCommands() {}

    /** Returns a page. */
    static String page(String name) {
        try {
            return Files.readString(DOCS.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the names of all pages but decisions, below the folder docs. */
    static List<String> pages() {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.map(file -> DOCS.relativize(file).toString())
                    .filter(name -> name.endsWith(".md") && !name.startsWith("decisions"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the commands of a text, without what a shell of the system would do with their output. */
    static List<String> in(String text) {
        List<String> commands = new ArrayList<>();
        BLOCK.matcher(text)
                .results()
                .flatMap(block -> block.group(1).lines())
                .filter(line -> line.startsWith("csi "))
                .forEach(commands::add);
        CODE.matcher(BLOCK.matcher(text).replaceAll("")).results().forEach(code -> commands.add(code.group(1)));
        return commands.stream()
                .map(command -> SHELL_SYNTAX.matcher(command).replaceAll("").strip())
                .distinct()
                .toList();
    }

    /** Returns a section of a page, without the sections after it. */
    static String section(String page, String heading) {
        return Pattern.compile("(?m)^##+ ")
                .splitAsStream(page)
                .filter(section -> section.startsWith(heading + "\n"))
                .collect(Collectors.joining());
    }

    /** Returns the arguments of a command, with values in place of its words in capitals. */
    static String[] arguments(String command, Map<String, String> values) {
        return Pattern.compile(" +")
                .splitAsStream(command)
                .skip(1)
                .map(word -> values.getOrDefault(word, word))
                .toArray(String[]::new);
    }
}
