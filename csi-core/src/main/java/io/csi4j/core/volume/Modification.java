package io.csi4j.core.volume;

import io.csi4j.core.csi.Text;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A requested change of mutable parameters that the provider has not confirmed (R74). Persisted before the first call, so that every
 * leader can continue it. Immutable.
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
     * One parameter that is to change.
     *
     * @param value the requested value
     * @param index the index of the request for this value; a response to an earlier call does not concern it
     * @param since the index of the first unconfirmed request for this parameter; calls since then may have set an earlier value
     */
    public record RequestedChange(String value, long index, long since) {
        /**
         * Checks the order of the indexes.
         *
         * @throws IllegalArgumentException if the first request is after the last
         */
        public RequestedChange {
            Objects.requireNonNull(value, "value");
            if (since > index) {
                throw new IllegalArgumentException(
                        "Modification: since=" + since + " is after index=" + index + "; give the first wish's index");
            }
        }

        /** Leaves out the value, which is opaque. */
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
     * Returns this modification merged with a newer one, whose values take precedence. A refused modification is replaced.
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
     * Returns this modification with a call in flight.
     *
     * @param callIndex the index of the command that begins the call
     * @return the value to store before the call
     */
    public Modification begun(long callIndex) {
        return new Modification(new TreeMap<>(requested), index, retry.begun(callIndex));
    }

    /**
     * Returns the parameters that a call has changed to their requested values.
     *
     * @param done the parameters that the provider confirmed
     * @param callIndex the {@link #index()} of the modification that the call was made for
     * @return the parameters that have been requested with these values since before the call
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
     * @return the rest; its changes may be empty
     */
    public Modification without(Iterable<String> confirmed) {
        NavigableMap<String, RequestedChange> left = new TreeMap<>(requested);
        confirmed.forEach(left::remove);
        return new Modification(left, index, retry);
    }

    /**
     * Returns this modification after a failed attempt.
     *
     * @param attempt the failure; without a next attempt it is a refusal
     */
    public Modification failed(Attempt attempt) {
        return new Modification(new TreeMap<>(requested), index, retry.plus(attempt));
    }

    /** Returns the parameters to change with their requested values. */
    public SortedMap<String, String> changes() {
        return changes;
    }

    /** Returns the parameters to change with the indexes of their requests, by name. */
    public SortedMap<String, RequestedChange> requested() {
        return requested;
    }

    /** Returns the index of the last command that requested the modification. */
    public long index() {
        return index;
    }

    /**
     * Returns whether a refusal of a call settles the modification, because no other call can have changed any of its parameters.
     *
     * @param callIndex the index of the command that began the call
     * @return true if all parameters were requested at {@link #index()}, nothing was left of an earlier request, and no other call has
     *     an unknown outcome
     */
    public boolean settledBy(long callIndex) {
        return requested.values().stream().allMatch(one -> one.since() == index)
                && retry.unresolved().filter(call -> call.isOnly(callIndex)).isPresent();
    }

    /** Returns the failed attempts; {@link Retry#refused()}: not tried again until requested again. */
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

    /** Leaves out the values, which are opaque. */
    @Override
    public String toString() {
        return "Modification[changes=" + changes.size() + " not shown, index=" + index + ", retry=" + retry + "]";
    }
}
