package io.csi4j.core.call;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The table that says, for every RPC and every status code, which outcome the call has and whether it is retried (R31-R34). Immutable.
 *
 * <p>A plugin that uses a code differently from CSI gets its own table:
 *
 * <pre>{@code
 * CallRules rules = CallRules.defaults()
 *         .with(
 *                 Rpc.CREATE_VOLUME,
 *                 StatusCode.RESOURCE_EXHAUSTED,
 *                 CallRule.here(CallOutcome.RETRY_AFTER_CAUSE, "this provider throttles with it"));
 * }</pre>
 */
public final class CallRules {
    private static final CallRules DEFAULTS = new CallRules(Map.of());

    private final Map<Cell, CallRule> changed;

    private record Cell(Rpc rpc, StatusCode code) {
        @Override
        public String toString() {
            return rpc.csiName() + " " + code;
        }
    }

    private CallRules(Map<Cell, CallRule> changed) {
        this.changed = changed;
    }

    /** Returns the table of the CSI specification. */
    public static CallRules defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the same table with another rule for one RPC and code. For an RPC that returns a list, the rule applies
     * to the first page and to all later pages.
     *
     * @param code a status other than OK
     * @throws IllegalArgumentException if the code is OK; if the outcome is DONE, which only OK has; or if the rule
     *     retries after UNIMPLEMENTED (R33), or after FAILED_PRECONDITION of NodeExpandVolume (R95)
     */
    public CallRules with(Rpc rpc, StatusCode code, CallRule rule) {
        Cell cell = new Cell(Objects.requireNonNull(rpc, "rpc"), Objects.requireNonNull(code, "code"));
        if (code == StatusCode.OK) {
            throw new IllegalArgumentException("code: OK is done, for every RPC; only failures have rules");
        }
        if (rule.outcome() == CallOutcome.DONE) {
            throw new IllegalArgumentException("rule: " + cell + " is no success; only OK is DONE");
        }
        if (code == StatusCode.UNIMPLEMENTED && rule.repeat() != Repeat.NEVER) {
            throw new IllegalArgumentException("rule: " + cell + " must not be repeated (R33)");
        }
        if (rpc == Rpc.NODE_EXPAND_VOLUME && code == StatusCode.FAILED_PRECONDITION && rule.repeat() != Repeat.NEVER) {
            throw new IllegalArgumentException("rule: " + cell + " must not be repeated while in use (R95)");
        }
        Map<Cell, CallRule> all = new LinkedHashMap<>(changed);
        all.put(cell, rule);
        return new CallRules(all);
    }

    /**
     * Returns the rule for an RPC and a status code.
     *
     * @param continuesPage whether the request asked with a token for a further page of a list (R72)
     */
    public CallRule of(Rpc rpc, StatusCode code, boolean continuesPage) {
        CallRule own = changed.isEmpty() ? null : own(rpc, code);
        return own == null ? DefaultRules.of(rpc, code, continuesPage) : own;
    }

    /**
     * Returns whether the same request may be sent to another instance of the plugin after the retries at one instance
     * have failed. That is so if the failure may be specific to that instance, or if the instance is unreachable.
     *
     * @return true if another instance may help; the caller tries each instance once
     */
    public boolean nextInstance(Rpc rpc, StatusCode code) {
        Repeat repeat = of(rpc, code, false).repeat();
        return repeat == Repeat.ELSEWHERE || (repeat == Repeat.HERE && code == StatusCode.UNAVAILABLE);
    }

    private @Nullable CallRule own(Rpc rpc, StatusCode code) {
        return changed.get(new Cell(rpc, code));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CallRules that && that.changed.equals(changed);
    }

    @Override
    public int hashCode() {
        return changed.hashCode();
    }

    /** Returns a text with the rules that differ from the defaults. */
    @Override
    public String toString() {
        return "CallRules["
                + (changed.isEmpty()
                        ? "defaults"
                        : changed.entrySet().stream()
                                .map(cell ->
                                        cell.getKey() + "=" + cell.getValue().outcome() + " "
                                                + cell.getValue().repeat())
                                .collect(Collectors.joining(", ")))
                + "]";
    }
}
