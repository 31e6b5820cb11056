package io.csi4j.core.volume;

import io.csi4j.core.internal.text.Text;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A requested change of mutable parameters that the plugin has not confirmed yet (R74). The modification is stored
 * before the first call, so that a new leader can continue it. Immutable.
 */
public final class Modification {
    private final SortedMap<String, RequestedChange> requested;
    private final SortedMap<String, String> changes;
    private final long index;
    private final Retry retry;

    private Modification(SortedMap<String, RequestedChange> requested, long index, Retry retry) {
        if (index < 0) {
            throw new IllegalArgumentException("Modification: index is " + index + "; use the index of a command");
        }
        this.requested = Collections.unmodifiableSortedMap(requested);
        SortedMap<String, String> values = new TreeMap<>();
        requested.forEach((name, one) -> values.put(name, one.value()));
        Text.checked("Modification: changes", values);
        this.changes = Collections.unmodifiableSortedMap(values);
        this.index = index;
        this.retry = retry;
    }

    /**
     * The request to change one parameter. Several commands may request values for the same parameter before the plugin
     * confirms one.
     *
     * @param value the requested value
     * @param index the index of the command that requested this value. Only the response to a later call can confirm
     *     the value
     * @param since the index of the first command that requested a value for this parameter which is not confirmed yet.
     *     A call after this index may have set an older value than {@code value}
     */
    public record RequestedChange(String value, long index, long since) {
        /**
         * Checks that {@code since} is not greater than {@code index}.
         *
         * @throws IllegalArgumentException if {@code since} is greater than {@code index}
         */
        public RequestedChange {
            Objects.requireNonNull(value, "value");
            if (since > index) {
                throw new IllegalArgumentException("Modification: since=" + since + " is after index=" + index
                        + "; give the index of the first request");
            }
        }

        /** Leaves out the value, because it may be confidential. */
        @Override
        public String toString() {
            return "RequestedChange[value not shown, index=" + index + ", since=" + since + "]";
        }
    }

    /**
     * Returns a new modification.
     *
     * @param changes the parameters to change
     * @param index the index of the command that requests it
     */
    public static Modification of(Map<String, String> changes, long index) {
        return new Modification(widened(Map.of(), changes, index), index, Retry.none());
    }

    /**
     * Returns a modification as it was stored.
     *
     * @param requested the parameters to change
     * @param index the index of the last command that requested it
     * @param retry the failed attempts
     */
    public static Modification restore(Map<String, RequestedChange> requested, long index, Retry retry) {
        return new Modification(new TreeMap<>(requested), index, Objects.requireNonNull(retry, "retry"));
    }

    private static SortedMap<String, RequestedChange> widened(
            Map<String, RequestedChange> before, Map<String, String> changes, long index) {
        SortedMap<String, RequestedChange> all = new TreeMap<>(before);
        changes.forEach((name, value) -> {
            RequestedChange known = all.get(name);
            if (known == null) {
                all.put(name, new RequestedChange(value, index, index));
            } else if (!known.value().equals(value)) {
                all.put(name, new RequestedChange(value, index, known.since()));
            }
        });
        return all;
    }

    /**
     * Returns this modification with newly requested values, which replace earlier values of the same parameters. If
     * the plugin refused this modification, the result contains only the new values.
     *
     * @param newer the parameters to change
     * @param newIndex the index of the command that requests them
     */
    public Modification and(Map<String, String> newer, long newIndex) {
        if (retry.refused()) {
            return of(newer, newIndex);
        }
        SortedMap<String, RequestedChange> all = widened(requested, newer, newIndex);
        return new Modification(all, newIndex, all.equals(requested) ? retry : Retry.none());
    }

    /**
     * Returns this modification with the record of a call that is about to begin.
     *
     * @param callIndex the index of the command that records the start of the call
     * @return the object to store before the call
     */
    public Modification begun(long callIndex) {
        return new Modification(new TreeMap<>(requested), index, retry.begun(callIndex));
    }

    /**
     * Returns the parameters to which a successful call has given their requested values.
     *
     * @param done the parameters in the call
     * @param callIndex the {@link #index()} of the modification for which the call was made
     * @return those parameters of the call for which no other value was requested in the meantime
     */
    public Map<String, String> fulfilled(Map<String, String> done, long callIndex) {
        Map<String, String> confirmed = new TreeMap<>();
        requested.forEach((name, one) -> {
            if (one.index() <= callIndex && one.value().equals(done.get(name))) {
                confirmed.put(name, one.value());
            }
        });
        return confirmed;
    }

    /**
     * Returns this modification without confirmed parameters.
     *
     * @param confirmed the names of the confirmed parameters
     * @return a modification of the remaining parameters; it may have none
     */
    public Modification without(Iterable<String> confirmed) {
        NavigableMap<String, RequestedChange> left = new TreeMap<>(requested);
        confirmed.forEach(left::remove);
        return new Modification(left, index, retry);
    }

    /**
     * Returns this modification after a failed attempt.
     *
     * @param attempt the failure; without a next attempt, it counts as a refusal
     */
    public Modification failed(Attempt attempt) {
        return new Modification(new TreeMap<>(requested), index, retry.plus(attempt));
    }

    /** Returns the parameters to change with their requested values. */
    public SortedMap<String, String> changes() {
        return changes;
    }

    /**
     * Returns, for each parameter to change, its requested value and the indexes of its requests. The key is the
     * parameter's name.
     */
    public SortedMap<String, RequestedChange> requested() {
        return requested;
    }

    /** Returns the index of the last command that requested the modification. */
    public long index() {
        return index;
    }

    /**
     * Returns whether a refusal of a call means that none of the requested parameters has changed. This is certain if
     * no earlier call can have changed one of them.
     *
     * @param callIndex the index of the command that began the refused call
     * @return true if all parameters were requested by one command, and no other call has an unknown outcome
     */
    public boolean settledBy(long callIndex) {
        return requested.values().stream().allMatch(one -> one.since() == index)
                && retry.unresolved().filter(call -> call.isOnlyCall(callIndex)).isPresent();
    }

    /**
     * Returns the failed attempts. After a refusal ({@link Retry#refused()}) there is no further attempt until the
     * change is requested again.
     */
    public Retry retry() {
        return retry;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Modification that
                && requested.equals(that.requested)
                && index == that.index
                && retry.equals(that.retry);
    }

    @Override
    public int hashCode() {
        return Objects.hash(requested, index, retry);
    }

    /** Leaves out the values, because they may be confidential. */
    @Override
    public String toString() {
        return "Modification[changes=" + changes.size() + " not shown, index=" + index + ", retry=" + retry + "]";
    }
}
