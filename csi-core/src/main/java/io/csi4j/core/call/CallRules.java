package io.csi4j.core.call;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What every status code means for every RPC, and whether the call is repeated: the one table that decides it
 * (R31-R34). Total. Immutable.
 *
 * <p>A plugin that uses a code otherwise than CSI has it gets a table of its own:
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

    /**
     * The table as CSI has it.
     *
     * @return the rules for plugins that keep to CSI
     */
    public static CallRules defaults() {
        return DEFAULTS;
    }

    /**
     * The same table but for one cell. For a listing the new rule holds with and without a continuation token.
     *
     * @param rpc the RPC
     * @param code a status other than OK
     * @param rule what it means, and what is done about it
     * @return a new table
     * @throws IllegalArgumentException if the code is OK; if the outcome is DONE, which only OK is; or if UNIMPLEMENTED
     *     (R33), or FAILED_PRECONDITION of NodeExpandVolume (R95), is to be repeated
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
     * The rule of a cell.
     *
     * @param rpc the RPC
     * @param code how the call ended
     * @param continuesPage whether the request carried a continuation token (R72)
     * @return never null
     */
    public CallRule of(Rpc rpc, StatusCode code, boolean continuesPage) {
        CallRule own = changed.isEmpty() ? null : own(rpc, code);
        return own == null ? DefaultRules.of(rpc, code, continuesPage) : own;
    }

    /**
     * Whether another instance of the plugin is asked, with the same request, once the client at this one has given up:
     * where the fault is this instance's, and where it cannot be reached however often it is tried.
     *
     * @param rpc the RPC
     * @param code how the call ended
     * @return true if so; each instance is asked once
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

    /** Tells what differs from the defaults. */
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
