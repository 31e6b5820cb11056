package io.csi4j.testkit.fault;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The words of one line of a script, read from left to right. */
final class ScriptLine {
    private static final String CONDITIONS = "volume, node, skip, times, probability, seed or delay";
    private static final String ACTIONS =
            "fail, fail-echoing-secrets, hang, lose-reply, drop-connection, crash, answer-wrong, answer-oversized,"
                    + " answer-without-effect or link-target";

    private final int number;
    private final List<String> words;
    private int next;

    private Optional<String> volume = Optional.empty();
    private Optional<String> node = Optional.empty();
    private long skip;
    private long times = FaultRule.ALWAYS;
    private double probability = 1;
    private long seed = 1;
    private Duration delay = Duration.ZERO;

    private ScriptLine(int number, List<String> words) {
        this.number = number;
        this.words = words;
    }

    static ScriptLine of(int number, String line) {
        return new ScriptLine(number, ScriptWords.of(number, line));
    }

    boolean isEmpty() {
        return words.isEmpty();
    }

    FaultRule rule() {
        if (!"on".equals(take())) {
            throw problem("'" + words.get(0) + "' is no beginning of a rule; write: on RPC [CONDITION ...] ACTION");
        }
        Optional<Rpc> rpc = rpc(required("on", "the name of an RPC, or any"));
        FaultAction action = null;
        while (action == null) {
            String word = take();
            if (word == null) {
                if (delay.isZero()) {
                    throw problem("the rule has no action; end it with " + ACTIONS + ", or give a delay");
                }
                action = FaultAction.of(FaultAction.Kind.CONTINUE);
            } else if (!condition(word)) {
                action = action(word);
            }
        }
        String more = take();
        if (more != null) {
            throw problem("'" + more + "' comes after the action; write conditions before it, and each rule in a line");
        }
        try {
            return new FaultRule(rpc, volume, node, skip, times, probability, seed, delay, action);
        } catch (IllegalArgumentException wrong) {
            throw problem(String.valueOf(wrong.getMessage()));
        }
    }

    private Optional<Rpc> rpc(String name) {
        if (name.equals("any")) {
            return Optional.empty();
        }
        return Optional.of(
                Arrays.stream(Rpc.values())
                        .filter(rpc -> rpc.csiName().equals(name) || rpc.name().equals(name))
                        .findFirst()
                        .orElseThrow(
                                () -> problem(
                                        "'" + name
                                                + "' is no RPC of CSI; write its name as in CSI, for example ControllerPublishVolume, or any")));
    }

    private boolean condition(String word) {
        switch (word) {
            case "volume" -> volume = Optional.of(required(word, "a volume id"));
            case "node" -> node = Optional.of(required(word, "a node id"));
            case "skip" -> skip = whole(word);
            case "times" -> times = whole(word);
            case "seed" -> seed = whole(word);
            case "probability" -> probability = fraction(required(word, "a number from 0 to 1"));
            case "delay" -> delay = duration(required(word, "a time like 200ms"));
            default -> {
                return false;
            }
        }
        return true;
    }

    private FaultAction action(String word) {
        return switch (word) {
            case "fail" -> {
                StatusCode code = code(required(word, "a status code like UNAVAILABLE"));
                String text = take();
                yield FaultAction.fail(code, text == null ? "" : text);
            }
            case "fail-echoing-secrets" -> {
                String code = take();
                yield FaultAction.failEchoingSecrets(code == null ? StatusCode.INVALID_ARGUMENT : code(code));
            }
            case "hang" -> FaultAction.of(FaultAction.Kind.HANG);
            case "lose-reply" -> FaultAction.of(FaultAction.Kind.LOSE_REPLY);
            case "drop-connection" ->
                FaultAction.of(
                        before(word)
                                ? FaultAction.Kind.DROP_CONNECTION_BEFORE
                                : FaultAction.Kind.DROP_CONNECTION_AFTER);
            case "crash" -> FaultAction.of(before(word) ? FaultAction.Kind.CRASH_BEFORE : FaultAction.Kind.CRASH_AFTER);
            case "answer-wrong" -> FaultAction.answerWrong(wrong(required(word, wrongAnswers())));
            case "answer-oversized" -> {
                String bytes = take();
                yield FaultAction.answerOversized(bytes == null ? FaultAction.OVERSIZED_BYTES : size(bytes));
            }
            case "answer-without-effect" -> FaultAction.of(FaultAction.Kind.ANSWER_WITHOUT_EFFECT);
            case "link-target" -> FaultAction.linkTarget(required(word, "the path to which the link leads"));
            default ->
                throw problem("'" + word + "' is neither a condition (" + CONDITIONS + ") nor an action (" + ACTIONS
                        + "); correct the word");
        };
    }

    private boolean before(String word) {
        String when = required(word, "before or after");
        return switch (when) {
            case "before" -> true;
            case "after" -> false;
            default -> throw problem("'" + when + "' after '" + word + "' must be before or after (the effect)");
        };
    }

    private WrongAnswer wrong(String word) {
        return Arrays.stream(WrongAnswer.values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> problem("'" + word + "' is no wrong answer; use " + wrongAnswers()));
    }

    private static String wrongAnswers() {
        return Arrays.stream(WrongAnswer.values()).map(WrongAnswer::word).collect(Collectors.joining(", "));
    }

    private StatusCode code(String word) {
        return Arrays.stream(StatusCode.values())
                .filter(code -> code != StatusCode.OK && code.name().equals(word))
                .findFirst()
                .orElseThrow(() ->
                        problem("'" + word + "' is no error code of gRPC; write one like UNAVAILABLE or ABORTED"));
    }

    private long whole(String condition) {
        String word = required(condition, "a whole number");
        try {
            return Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw problem("'" + word + "' after '" + condition + "' is no whole number; write one like 2");
        }
    }

    private int size(String word) {
        try {
            return Math.max(1, Integer.parseInt(word));
        } catch (NumberFormatException e) {
            throw problem("'" + word + "' after 'answer-oversized' is no number of bytes; write one like 20000000");
        }
    }

    private double fraction(String word) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException e) {
            throw problem("'" + word + "' after 'probability' is no number; write one like 0.25");
        }
    }

    private Duration duration(String word) {
        int digits = 0;
        while (digits < word.length() && Character.isDigit(word.charAt(digits))) {
            digits++;
        }
        try {
            long amount = Long.parseLong(word.substring(0, digits));
            switch (word.substring(digits)) {
                case "ms" -> {
                    return Duration.ofMillis(amount);
                }
                case "s" -> {
                    return Duration.ofSeconds(amount);
                }
                case "m" -> {
                    return Duration.ofMinutes(amount);
                }
                default -> throw problem("'" + word + "' after 'delay' has no unit; write one like 200ms, 2s or 1m");
            }
        } catch (NumberFormatException e) {
            throw problem("'" + word + "' after 'delay' is no time; write one like 200ms, 2s or 1m");
        }
    }

    private String required(String before, String meaning) {
        String word = take();
        if (word == null) {
            throw problem("'" + before + "' is the last word; " + meaning + " has to follow");
        }
        return word;
    }

    private @Nullable String take() {
        return next < words.size() ? words.get(next++) : null;
    }

    private FaultScriptException problem(String text) {
        return new FaultScriptException(number, text);
    }
}
