package io.csi4j.testkit.fault;

import java.util.ArrayList;
import java.util.List;

/** Divides a line of a script into words. */
final class ScriptWords {
    private final int number;
    private final String line;
    private final List<String> words = new ArrayList<>();
    private int at;

    private ScriptWords(int number, String line) {
        this.number = number;
        this.line = line;
    }

    /** Returns the words of a line up to its comment. A word in quotes is returned without the quotes. */
    static List<String> of(int number, String line) {
        ScriptWords script = new ScriptWords(number, line);
        while (script.at < line.length() && line.charAt(script.at) != '#') {
            script.next();
        }
        return script.words;
    }

    private void next() {
        char first = line.charAt(at);
        if (Character.isWhitespace(first)) {
            at++;
        } else if (first == '"') {
            quoted();
        } else {
            int begin = at;
            while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
                at++;
            }
            words.add(line.substring(begin, at));
        }
    }

    private void quoted() {
        StringBuilder word = new StringBuilder();
        at++;
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c == '"') {
                words.add(word.toString());
                return;
            }
            if (c == '\\' && at < line.length()) {
                char escaped = line.charAt(at++);
                word.append(escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped);
            } else {
                word.append(c);
            }
        }
        throw new FaultScriptException(number, "the quote before '" + word + "' is never closed; end it with \"");
    }
}
