package io.csi4j.testkit.junit;

import io.csi4j.core.call.StatusCode;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import io.csi4j.testkit.history.CallResult;
import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Checks the calls of a fake plugin and the captured log after each test, and fails the test if they break a rule. */
final class StrictChecks {
    private static final Set<StatusCode> REFUSED = EnumSet.of(
            StatusCode.INVALID_ARGUMENT,
            StatusCode.FAILED_PRECONDITION,
            StatusCode.ALREADY_EXISTS,
            StatusCode.OUT_OF_RANGE,
            StatusCode.UNIMPLEMENTED);

    private StrictChecks() {}

    /**
     * Throws an AssertionError if a check fails. Its message has a sentence for each failed check, and the call
     * history.
     */
    static void require(FakeCsiPlugin plugin, Set<StrictCheck> checks, LogCapture logs) {
        CallHistory history = plugin.history();
        List<String> problems = new ArrayList<>();
        if (checks.contains(StrictCheck.LEAKS)) {
            add(problems, StrictCheck.LEAKS, "the test left something behind: ", plugin.leaks(), Leak::toString);
        }
        if (checks.contains(StrictCheck.UNEXPECTED_CALLS)) {
            List<CallRecord> refused = history.that(StrictChecks::wasRefused).calls();
            add(problems, StrictCheck.UNEXPECTED_CALLS, "the plugin refused: ", refused, StrictChecks::withReason);
        }
        if (checks.contains(StrictCheck.CONCURRENT_CALLS)) {
            add(
                    problems,
                    StrictCheck.CONCURRENT_CALLS,
                    "calls for one volume were in flight together (R26): ",
                    history.overlaps(),
                    pair -> pair.get(0) + " and " + pair.get(1));
        }
        if (checks.contains(StrictCheck.CHANGED_REQUESTS)) {
            add(
                    problems,
                    StrictCheck.CHANGED_REQUESTS,
                    "requests with the same name were different: ",
                    plugin.changedRequests(),
                    ChangedRequest::toString);
        }
        if (checks.contains(StrictCheck.SECRETS_IN_LOGS)) {
            List<String> loggers = logs.loggersThatShow(plugin.secretsOfCalls());
            add(problems, StrictCheck.SECRETS_IN_LOGS, "the value of a secret was logged by: ", loggers, name -> name);
        }
        if (!problems.isEmpty()) {
            throw new AssertionError(String.join("\n", problems) + "\n\n" + history.toTable());
        }
    }

    private static <T> void add(
            List<String> problems, StrictCheck check, String sentence, List<T> found, Function<T, String> text) {
        if (!found.isEmpty()) {
            problems.add(found.stream().map(text).collect(Collectors.joining("; ", sentence, ""))
                    + ". Correct it, or leave this check out with lenient = " + check);
        }
    }

    private static boolean wasRefused(CallRecord call) {
        return call.fault().isEmpty()
                && call.result().map(CallResult::code).filter(REFUSED::contains).isPresent();
    }

    private static String withReason(CallRecord call) {
        return call + call.result().map(result -> " (" + result.message() + ")").orElse("");
    }
}
