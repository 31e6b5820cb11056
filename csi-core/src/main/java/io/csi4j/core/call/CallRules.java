package io.csi4j.core.call;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
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
    private static final CallRules DEFAULTS = new CallRules(Map.of(), false);

    private final Map<Cell, CallRule> changed;
    private final boolean notFoundDone;

    /** The rule for one RPC and status code that differs from the table of CSI. */
    public record Change(Rpc rpc, StatusCode code, CallRule rule) {
        public Change {
            Objects.requireNonNull(rpc, "rpc");
            Objects.requireNonNull(code, "code");
            Objects.requireNonNull(rule, "rule");
        }
    }

    private record Cell(Rpc rpc, StatusCode code) {
        @Override
        public String toString() {
            return rpc.csiName() + " " + code;
        }
    }

    private CallRules(Map<Cell, CallRule> changed, boolean notFoundDone) {
        this.changed = changed;
        this.notFoundDone = notFoundDone;
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
        return new CallRules(all, notFoundDone);
    }

    /**
     * Returns the same table with the rule that the engine takes NOT_FOUND for success when a controller answers
     * ControllerUnpublishVolume or DeleteVolume with it. By default the engine retries these calls, because CSI asks for
     * OK if nothing is left to do, and NOT_FOUND may have another cause. Use this rule for a provider that answers
     * NOT_FOUND for ever after it has deleted the machine or the volume.
     *
     * <p><b>The risk:</b> a plugin that answers NOT_FOUND although the volume is there, for example because it asks the
     * wrong region, project or account, or because its view of the provider is late. The engine then counts the volume
     * as detached, and attaches it to another node while the first one may still write, so data may be lost; or it
     * forgets a volume that still exists and costs money. An operator's override of a single volume or node has no such
     * effect on others.
     *
     * <p>No rule is needed for NodeUnpublishVolume and NodeUnstageVolume: on a node, the mount table decides. NOT_FOUND
     * counts as done there if nothing is mounted at the path, and never if something is.
     */
    public CallRules withNotFoundAsDone() {
        return new CallRules(changed, true);
    }

    /** Returns whether NOT_FOUND counts as success, as {@link #withNotFoundAsDone} says. */
    public boolean notFoundAsDone() {
        return notFoundDone;
    }

    /** Returns the rules that {@link #with} set, in the order of their RPCs and status codes. */
    public List<Change> changes() {
        return changed.entrySet().stream()
                .map(cell -> new Change(cell.getKey().rpc(), cell.getKey().code(), cell.getValue()))
                .sorted(Comparator.comparing(Change::rpc).thenComparing(Change::code))
                .toList();
    }

    /** Returns whether a call that failed with a status code counts as done by {@link #withNotFoundAsDone}. */
    public boolean countsAsDone(Rpc rpc, StatusCode code) {
        return notFoundDone
                && code == StatusCode.NOT_FOUND
                && (rpc == Rpc.CONTROLLER_UNPUBLISH_VOLUME || rpc == Rpc.DELETE_VOLUME);
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
        return other instanceof CallRules that && that.changed.equals(changed) && that.notFoundDone == notFoundDone;
    }

    @Override
    public int hashCode() {
        return 31 * changed.hashCode() + Boolean.hashCode(notFoundDone);
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
                + (notFoundDone ? ", NOT_FOUND is done" : "")
                + "]";
    }
}
