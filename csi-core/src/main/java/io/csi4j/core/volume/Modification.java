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
    private final SortedMap<String, Wished> wished;
    private final SortedMap<String, String> changes;
    private final long index;
    private final Retry retry;

    private Modification(SortedMap<String, Wished> wished, long index, Retry retry) {
        this.wished = Collections.unmodifiableSortedMap(wished);
        SortedMap<String, String> values = new TreeMap<>();
        wished.forEach((name, one) -> values.put(name, one.value()));
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
    public record Wished(String value, long index, long since) {
        /**
         * Checks the order of the indexes.
         *
         * @throws IllegalArgumentException if the first request is after the last
         */
        public Wished {
            Objects.requireNonNull(value, "value");
            if (since > index) {
                throw new IllegalArgumentException(
                        "Modification: since=" + since + " is after index=" + index + "; give the first wish's index");
            }
        }

        /** Leaves out the value, which is opaque. */
        @Override
        public String toString() {
            return "Wished[value not shown, index=" + index + ", since=" + since + "]";
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
     * @param wished the parameters to change
     * @param index the index of the last command that requested it
     * @param retry the failed attempts
     */
    public static Modification restore(Map<String, Wished> wished, long index, Retry retry) {
        return new Modification(new TreeMap<>(wished), index, Objects.requireNonNull(retry, "retry"));
    }

    private static SortedMap<String, Wished> widened(
            Map<String, Wished> before, Map<String, String> changes, long index) {
        SortedMap<String, Wished> all = new TreeMap<>(before);
        changes.forEach((name, value) -> {
            Wished known = all.get(name);
            if (known == null) {
                all.put(name, new Wished(value, index, index));
            } else if (!known.value().equals(value)) {
                all.put(name, new Wished(value, index, known.since()));
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
        SortedMap<String, Wished> all = widened(wished, newer, newIndex);
        return new Modification(all, newIndex, all.equals(wished) ? retry : Retry.none());
    }

    /**
     * Returns this modification with a call in flight.
     *
     * @param callIndex the index of the command that begins the call
     * @return the value to store before the call
     */
    public Modification begun(long callIndex) {
        return new Modification(new TreeMap<>(wished), index, retry.begun(callIndex));
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
        wished.forEach((name, one) -> {
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
        NavigableMap<String, Wished> left = new TreeMap<>(wished);
        confirmed.forEach(left::remove);
        return new Modification(left, index, retry);
    }

    /**
     * Returns this modification after a failed attempt.
     *
     * @param attempt the failure; without a next attempt it is a refusal
     */
    public Modification failed(Attempt attempt) {
        return new Modification(new TreeMap<>(wished), index, retry.plus(attempt));
    }

    /** Returns the parameters to change with their requested values. */
    public SortedMap<String, String> changes() {
        return changes;
    }

    /** Returns the parameters to change with the indexes of their requests, by name. */
    public SortedMap<String, Wished> wished() {
        return wished;
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
        return wished.values().stream().allMatch(one -> one.since() == index)
                && retry.unresolved().filter(call -> call.isOnly(callIndex)).isPresent();
    }

    /** Returns the failed attempts; {@link Retry#refused()}: not tried again until requested again. */
    public Retry retry() {
        return retry;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Modification that
                && wished.equals(that.wished)
                && index == that.index
                && retry.equals(that.retry);
    }

    @Override
    public int hashCode() {
        return Objects.hash(wished, index, retry);
    }

    /** Leaves out the values, which are opaque. */
    @Override
    public String toString() {
        return "Modification[changes=" + changes.size() + " not shown, index=" + index + ", retry=" + retry + "]";
    }
}
