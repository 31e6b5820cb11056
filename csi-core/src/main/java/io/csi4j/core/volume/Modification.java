package io.csi4j.core.volume;

import io.csi4j.core.csi.Text;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A wish to change mutable parameters that the provider has not confirmed yet (R74). It is on record before the
 * first call, so that whoever leads goes on with it. Immutable.
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
     * @param value the value it should have
     * @param index the log index of the wish for that value: an answer to a call from before it says nothing about it
     * @param since the log index of the first wish for this parameter that was not confirmed: calls since then may have
     *     changed it to what was wished before
     */
    public record Wished(String value, long index, long since) {
        /**
         * Checks the order of the indexes.
         *
         * @throws IllegalArgumentException if it was wished first after it was wished last
         */
        public Wished {
            Objects.requireNonNull(value, "value");
            if (since > index) {
                throw new IllegalArgumentException(
                        "Modification: since=" + since + " is after index=" + index + "; give the first wish's index");
            }
        }

        /** Leaves the value out: it is the plugin's and opaque. */
        @Override
        public String toString() {
            return "Wished[value not shown, index=" + index + ", since=" + since + "]";
        }
    }

    /**
     * A new wish.
     *
     * @param changes the parameters that are to change
     * @param index the log index of the command that wishes it
     * @return the value
     */
    public static Modification of(Map<String, String> changes, long index) {
        return new Modification(widened(Map.of(), changes, index), index, Retry.none());
    }

    /**
     * A wish as it was stored.
     *
     * @param wished the parameters that are to change
     * @param index the log index of the last command that wished it
     * @param retry how it went so far
     * @return the value
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
     * This wish and a newer one, whose values count. One that was refused is forgotten over a newer one.
     *
     * @param newer the parameters that are to change
     * @param newIndex the log index of the command that wishes it
     * @return the value to store
     */
    public Modification and(Map<String, String> newer, long newIndex) {
        if (retry.refused()) {
            return of(newer, newIndex);
        }
        SortedMap<String, Wished> all = widened(wished, newer, newIndex);
        return new Modification(all, newIndex, all.equals(wished) ? retry : Retry.none());
    }

    /**
     * The same once a call for it has begun.
     *
     * @param callIndex the log index of the command that begins the call
     * @return the value to store before the call
     */
    public Modification begun(long callIndex) {
        return new Modification(new TreeMap<>(wished), index, retry.begun(callIndex));
    }

    /**
     * What of the wish a call fulfilled.
     *
     * @param done the parameters that the provider took
     * @param callIndex the {@link #index()} of the wish that the call was made for
     * @return those that are wished with these values, and have been since before the call
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
     * What is left of the wish once some of it was confirmed.
     *
     * @param confirmed the names of what was
     * @return the rest; its changes may be empty
     */
    public Modification without(Iterable<String> confirmed) {
        NavigableMap<String, Wished> left = new TreeMap<>(wished);
        confirmed.forEach(left::remove);
        return new Modification(left, index, retry);
    }

    /**
     * The same after an attempt that failed.
     *
     * @param attempt what happened; without a time for the next attempt it was refused
     * @return the value to store
     */
    public Modification failed(Attempt attempt) {
        return new Modification(new TreeMap<>(wished), index, retry.plus(attempt));
    }

    /**
     * The parameters that are to change.
     *
     * @return with the values they should have
     */
    public SortedMap<String, String> changes() {
        return changes;
    }

    /**
     * The parameters that are to change, and since when.
     *
     * @return by name
     */
    public SortedMap<String, Wished> wished() {
        return wished;
    }

    /**
     * The last command that wished it.
     *
     * @return the log index
     */
    public long index() {
        return index;
    }

    /**
     * Whether a refusal of a call settles the wish: no other call for it can have changed any of its parameters.
     *
     * @param callIndex the log index of the command that began the call
     * @return true if the whole of it was wished at {@link #index()}, nothing was left of an earlier wish, and no other
     *     call has an unknown outcome
     */
    public boolean settledBy(long callIndex) {
        return wished.values().stream().allMatch(one -> one.since() == index)
                && retry.unresolved().filter(call -> call.isOnly(callIndex)).isPresent();
    }

    /**
     * How it went so far.
     *
     * @return failed attempts; {@link Retry#refused()}: it is not tried again until somebody wishes it anew
     */
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

    /** Leaves the values out: they are the plugin's and opaque. */
    @Override
    public String toString() {
        return "Modification[changes=" + changes.size() + " not shown, index=" + index + ", retry=" + retry + "]";
    }
}
