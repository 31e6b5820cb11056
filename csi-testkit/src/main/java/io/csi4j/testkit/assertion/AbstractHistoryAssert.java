package io.csi4j.testkit.assertion;

import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.CallRecord;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the calls that a plugin got.
 *
 * @param <S> the type of the assertion
 * @param <A> the type of the tested object
 */
public abstract class AbstractHistoryAssert<S extends AbstractHistoryAssert<S, A>, A> extends AbstractAssert<S, A> {
    AbstractHistoryAssert(A actual, Class<?> self) {
        super(actual, self);
    }

    /** Returns the calls that the assertions are about. */
    abstract CallHistory history();

    /** Fails the assertion with a message: a sentence, followed by the calls as a table. */
    final S failing(CallHistory history, String sentence) {
        failWithMessage("%s%n%n%s", sentence, history.toTable());
        return myself;
    }

    private S require(boolean fulfilled, CallHistory history, String sentence) {
        return fulfilled ? myself : failing(history, sentence);
    }

    /** Verifies that there was at least one call of an RPC. */
    public S saw(Rpc rpc) {
        isNotNull();
        CallHistory history = history();
        return require(
                history.last(rpc).isPresent(), history, "expected a call of " + rpc.csiName() + ", but there was none");
    }

    /** Verifies the number of calls of an RPC. */
    public S saw(Rpc rpc, int times) {
        isNotNull();
        CallHistory history = history();
        int found = history.of(rpc).calls().size();
        return require(
                found == times,
                history,
                "expected " + times + " calls of " + rpc.csiName() + ", but there were " + found);
    }

    /** Verifies that there was no call of the RPCs. */
    public S sawNo(Rpc first, Rpc... more) {
        isNotNull();
        CallHistory history = history();
        CallHistory found = history.of(first, more);
        return require(
                found.calls().isEmpty(),
                history,
                "expected no call of " + names(EnumSet.of(first, more)) + ", but there was call "
                        + first(found.calls()));
    }

    /** Verifies that calls of these RPCs succeeded in this order; other calls may come between them. */
    public S sawInOrder(Rpc... rpcs) {
        isNotNull();
        CallHistory history = history();
        int next = 0;
        for (CallRecord call : history.calls()) {
            if (next < rpcs.length && call.rpc() == rpcs[next] && call.succeeded()) {
                next++;
            }
        }
        return require(
                next == rpcs.length,
                history,
                "expected successful calls in the order " + names(List.of(rpcs)) + ", but "
                        + (next == rpcs.length
                                ? ""
                                : rpcs[next].csiName()
                                        + (next == 0
                                                ? " never came"
                                                : " did not come after " + rpcs[next - 1].csiName())));
    }

    /** Verifies that no two changing calls for one volume were in flight at one time (R26). */
    public S sawNoConcurrentCallsPerVolume() {
        isNotNull();
        CallHistory history = history();
        List<List<CallRecord>> overlaps = history.overlaps();
        return require(
                overlaps.isEmpty(),
                history,
                "expected one call at a time for each volume (R26), but these were in flight together: "
                        + overlaps.stream()
                                .map(pair -> pair.get(0) + " and " + pair.get(1))
                                .collect(Collectors.joining("; ")));
    }

    /** Verifies that no call contained secrets except calls of these RPCs. */
    public S sawSecretsOnlyIn(Rpc... rpcs) {
        isNotNull();
        CallHistory history = history();
        Set<Rpc> allowed = EnumSet.noneOf(Rpc.class);
        allowed.addAll(Arrays.asList(rpcs));
        CallHistory others = history.that(call -> call.withSecrets() && !allowed.contains(call.rpc()));
        return require(
                others.calls().isEmpty(),
                history,
                "expected secrets in " + (allowed.isEmpty() ? "no call" : names(allowed)) + " only, but they came with "
                        + first(others.calls()));
    }

    /** Verifies that no call failed, neither because the plugin refused it nor because of a fault. */
    public S sawNoFailedCall() {
        isNotNull();
        CallHistory history = history();
        List<CallRecord> failed = history.failed().calls();
        return require(
                failed.isEmpty(),
                history,
                "expected that no call fails, but there was call " + first(failed)
                        + (failed.isEmpty()
                                ? ""
                                : failed.get(0)
                                        .result()
                                        .map(result -> " (" + result.message() + ")")
                                        .orElse("")));
    }

    private static String first(List<CallRecord> calls) {
        return calls.isEmpty() ? "" : calls.get(0).toString();
    }

    private static String names(Iterable<Rpc> rpcs) {
        StringBuilder names = new StringBuilder();
        rpcs.forEach(rpc -> names.append(names.isEmpty() ? "" : ", ").append(rpc.csiName()));
        return names.toString();
    }
}
