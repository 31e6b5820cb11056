package io.csi4j.core.volume;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A wish to change mutable parameters that the provider has not confirmed yet (R74). It is on record before the
 * first call, so that whoever leads goes on with it. Immutable.
 */
public final class Modification {
    private final SortedMap<String, String> changes;
    private final Retry retry;

    private Modification(SortedMap<String, String> changes, Retry retry) {
        this.changes = Collections.unmodifiableSortedMap(changes);
        this.retry = retry;
    }

    /**
     * A wish.
     *
     * @param changes the parameters that are to change
     * @param retry how it went so far
     * @return the value
     */
    public static Modification of(Map<String, String> changes, Retry retry) {
        return new Modification(new TreeMap<>(changes), Objects.requireNonNull(retry, "retry"));
    }

    /**
     * This wish and a newer one, whose values count. One that was refused is forgotten over a newer one.
     *
     * @param newer the parameters that are to change
     * @return the value to store; this, if nothing is new
     */
    public Modification and(Map<String, String> newer) {
        Map<String, String> all = new LinkedHashMap<>(retry.refused() ? Map.of() : changes);
        all.putAll(newer);
        return all.equals(changes) && !retry.refused() ? this : of(all, Retry.none());
    }

    /**
     * What is left of the wish once some of it was confirmed.
     *
     * @param done the parameters that the provider took
     * @return those whose wanted value is another one, or that were not among them
     */
    public Map<String, String> without(Map<String, String> done) {
        Map<String, String> left = new TreeMap<>(changes);
        left.entrySet().removeAll(done.entrySet());
        return left;
    }

    /**
     * The same after an attempt that failed.
     *
     * @param attempt what happened; without a time for the next attempt it was refused
     * @return the value to store
     */
    public Modification failed(Attempt attempt) {
        return new Modification(new TreeMap<>(changes), retry.plus(attempt));
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
     * How it went so far.
     *
     * @return failed attempts; {@link Retry#refused()}: it is not tried again until somebody wishes it anew
     */
    public Retry retry() {
        return retry;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Modification that && changes.equals(that.changes) && retry.equals(that.retry);
    }

    @Override
    public int hashCode() {
        return Objects.hash(changes, retry);
    }

    /** Leaves the values out: they are the plugin's and opaque. */
    @Override
    public String toString() {
        return "Modification[changes=" + changes.size() + " not shown, retry=" + retry + "]";
    }
}
