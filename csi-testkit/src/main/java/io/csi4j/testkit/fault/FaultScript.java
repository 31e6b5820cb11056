package io.csi4j.testkit.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads fault rules from text, one in each line. Empty lines, and texts after {@code #}, are ignored.
 *
 * <pre>
 * on ControllerPublishVolume volume vol-1 times 2 fail UNAVAILABLE "the storage is away"
 * on NodeStageVolume skip 1 times 1 lose-reply
 * on any probability 0.05 seed 7 delay 200ms
 * </pre>
 *
 * <p>A line begins with {@code on} and the name of an RPC in CSI, or {@code any}. Conditions follow in any order: {@code volume ID}, {@code node ID}, {@code skip
 * N}, {@code times N}, {@code probability P}, {@code seed N}, {@code delay 200ms} (or {@code s}, {@code m}). One action ends it: {@code fail CODE ["TEXT"]}, {@code
 * fail-echoing-secrets [CODE]}, {@code hang}, {@code lose-reply}, {@code drop-connection before} or {@code after}, {@code crash before} or {@code after}, {@code
 * answer-wrong} with {@code empty}, {@code other-ids}, {@code tiny-sizes}, {@code undecodable}, {@code unknown-fields}, {@code long-ids}, {@code large-contexts}, {@code large-topology}, {@code long-texts}, {@code same-token}, {@code new-tokens} or {@code endless-stream}, {@code answer-oversized [BYTES]}, {@code
 * answer-without-effect}, {@code link-target PATH} (NodePublishVolume only). A rule
 * with a delay needs no action. Words with spaces stand in double quotes.
 */
public final class FaultScript {
    private FaultScript() {}

    /**
     * Reads a script.
     *
     * @return the rules, in the order of their lines
     * @throws FaultScriptException if a line cannot be read
     */
    public static List<FaultRule> parse(String script) {
        List<FaultRule> rules = new ArrayList<>();
        int number = 0;
        for (String line : script.lines().toList()) {
            number++;
            ScriptLine words = ScriptLine.of(number, line);
            if (!words.isEmpty()) {
                rules.add(words.rule());
            }
        }
        return List.copyOf(rules);
    }

    /** Returns the text as one word of a script. */
    static String quoted(String text) {
        boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '\\' || c == '#');
        if (plain) {
            return text;
        }
        return '"'
                + text.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                + '"';
    }

    static String text(Duration delay) {
        return delay.toMillis() + "ms";
    }
}
