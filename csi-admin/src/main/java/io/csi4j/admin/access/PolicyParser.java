package io.csi4j.admin.access;

import io.csi4j.core.internal.text.Text;
import io.csi4j.core.spi.Permission;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads policy files: UTF-8, one rule on each line, {@code namespace PATTERN allow|deny PERMISSION...} or {@code cluster
 * allow|deny PERMISSION...}. A {@code #} at the beginning of a word begins a comment.
 */
final class PolicyParser {
    private static final String FORM =
            "write 'namespace PATTERN allow|deny PERMISSION...' or 'cluster allow|deny PERMISSION...'";

    private final String file;
    private final List<Policy.Rule> rules = new ArrayList<>();
    private final List<PolicyProblem> problems = new ArrayList<>();

    private PolicyParser(String file) {
        this.file = file;
    }

    /** The rules of a file, and all its problems; the rules are complete only if there is no problem. */
    record Result(Policy policy, List<PolicyProblem> problems) {}

    /**
     * Reads a file.
     *
     * @param file its name, for problems
     */
    static Result parse(String file, byte[] bytes) {
        PolicyParser parser = new PolicyParser(file);
        int number = 0;
        for (int begin = 0; begin < bytes.length; ) {
            int end = begin;
            while (end < bytes.length && bytes[end] != '\n') {
                end++;
            }
            parser.line(++number, bytes, begin, end > begin && bytes[end - 1] == '\r' ? end - 1 : end);
            begin = end + 1;
        }
        return new Result(new Policy(parser.rules), List.copyOf(parser.problems));
    }

    private void line(int number, byte[] bytes, int begin, int end) {
        try {
            // The decoder reports malformed bytes; it does not replace them.
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, begin, end - begin))
                    .toString();
            List<PolicyWord> words = PolicyWord.split(text);
            if (!words.isEmpty()) {
                rules.add(rule(words));
            }
        } catch (CharacterCodingException e) {
            problems.add(new PolicyProblem(file, number, "is not UTF-8", "store the file as UTF-8"));
        } catch (MistakeException e) {
            problems.add(new PolicyProblem(file, number, e.problem, e.remedy));
        }
    }

    private static Policy.Rule rule(List<PolicyWord> words) throws MistakeException {
        String scope = words.get(0).plain();
        boolean namespaced = scope.equals("namespace");
        if (!namespaced && !scope.equals("cluster")) {
            throw new MistakeException("begins with " + words.get(0), FORM);
        }
        int next = 1;
        Optional<NamespacePattern> namespaces = Optional.empty();
        if (namespaced) {
            if (words.size() == next || words.get(next).texts().equals(List.of(""))) {
                throw new MistakeException("has no namespace", "name one, or write * for all");
            }
            namespaces = Optional.of(new NamespacePattern(words.get(next).texts()));
            next++;
        }
        if (words.size() == next) {
            throw new MistakeException("has neither allow nor deny", FORM);
        }
        String verb = words.get(next).plain();
        if (!verb.equals("allow") && !verb.equals("deny")) {
            throw new MistakeException("has " + words.get(next) + " in place of allow or deny", FORM);
        }
        next++;
        if (words.size() == next) {
            throw new MistakeException("names no permission", "use " + names(namespaced));
        }
        Set<Permission> permissions = EnumSet.noneOf(Permission.class);
        for (PolicyWord word : words.subList(next, words.size())) {
            permissions.addAll(permissions(word, namespaced));
        }
        return new Policy.Rule(namespaces, verb.equals("allow"), permissions);
    }

    private static Set<Permission> permissions(PolicyWord word, boolean namespaced) throws MistakeException {
        String name = word.plain();
        if (name.equals("all")) {
            return all(namespaced);
        }
        if (name.equals("read")) {
            return namespaced
                    ? EnumSet.of(Permission.VOLUME_LIST, Permission.VOLUME_READ)
                    : EnumSet.of(Permission.PLUGIN_LIST, Permission.PLUGIN_READ);
        }
        for (Permission permission : Permission.values()) {
            if (permission.name().equals(name)) {
                if (permission.namespaced() != namespaced) {
                    throw new MistakeException(
                            "has " + name + ", which is "
                                    + (namespaced ? "a permission of the cluster" : "given by namespace"),
                            namespaced
                                    ? "write it on a line that begins with cluster"
                                    : "write it on a line that begins with namespace");
                }
                return EnumSet.of(permission);
            }
        }
        throw new MistakeException("has the unknown permission " + word, "use " + names(namespaced));
    }

    private static Set<Permission> all(boolean namespaced) {
        return Arrays.stream(Permission.values())
                .filter(permission -> permission.namespaced() == namespaced)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Permission.class)));
    }

    private static String names(boolean namespaced) {
        return all(namespaced).stream().map(Permission::name).collect(Collectors.joining(", ")) + ", read or all";
    }

    /** A mistake in a line. */
    static final class MistakeException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String problem;
        private final String remedy;

        MistakeException(String problem, String remedy) {
            super(problem);
            this.problem = problem;
            this.remedy = remedy;
        }
    }

    /**
     * A word of a line, or a text in quotation marks.
     *
     * @param texts the texts between the wildcards
     * @param quoted whether it is in quotation marks, so that it is no keyword
     */
    record PolicyWord(List<String> texts, boolean quoted) {
        /** Returns the text, if it can be a keyword or a permission; otherwise a text that is none. */
        String plain() {
            return quoted || texts.size() > 1 ? "" : texts.get(0);
        }

        @Override
        public String toString() {
            return "'" + Text.printable(String.join("*", texts)) + "'";
        }

        static List<PolicyWord> split(String line) throws MistakeException {
            List<PolicyWord> words = new ArrayList<>();
            int at = 0;
            while (true) {
                while (at < line.length() && isSpace(line.charAt(at))) {
                    at++;
                }
                if (at == line.length() || line.charAt(at) == '#') {
                    return words;
                }
                boolean quoted = line.charAt(at) == '"';
                int end = quoted ? endOfQuoted(line, at + 1) : endOfPlain(line, at);
                words.add(
                        quoted
                                ? new PolicyWord(unescaped(line.substring(at + 1, end)), true)
                                : new PolicyWord(List.of(line.substring(at, end).split("\\*", -1)), false));
                at = quoted ? end + 1 : end;
                if (at < line.length() && !isSpace(line.charAt(at))) {
                    throw new MistakeException(
                            "has no space after a closing quotation mark", "put a space between the words");
                }
            }
        }

        private static boolean isSpace(char c) {
            return c == ' ' || c == '\t';
        }

        private static int endOfPlain(String line, int from) throws MistakeException {
            int end = from;
            while (end < line.length() && !isSpace(line.charAt(end))) {
                char c = line.charAt(end);
                if (c == '"' || c == '\\') {
                    throw new MistakeException(
                            "has " + c + " in a word without quotation marks",
                            "write the word in quotation marks, with \\\" and \\\\ for these characters");
                }
                end++;
            }
            return end;
        }

        private static int endOfQuoted(String line, int from) throws MistakeException {
            for (int at = from; at < line.length(); at++) {
                char c = line.charAt(at);
                if (c == '"') {
                    return at;
                }
                if (c == '\\') {
                    at++;
                }
            }
            throw new MistakeException("has no closing quotation mark", "close the text with \"");
        }

        /** Divides a text at its wildcards, and replaces its escapes. */
        private static List<String> unescaped(String text) throws MistakeException {
            List<String> texts = new ArrayList<>();
            StringBuilder part = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '*') {
                    texts.add(part.toString());
                    part.setLength(0);
                } else if (c == '\\') {
                    // A text ends after the character that a backslash escapes.
                    char escaped = text.charAt(++i);
                    if (escaped != '"' && escaped != '\\' && escaped != '*') {
                        throw new MistakeException(
                                "has the unknown escape \\" + Text.printable(String.valueOf(escaped)),
                                "use \\\" for a quotation mark, \\\\ for a backslash, and \\* for a star");
                    }
                    part.append(escaped);
                } else {
                    part.append(c);
                }
            }
            texts.add(part.toString());
            return texts;
        }
    }
}
