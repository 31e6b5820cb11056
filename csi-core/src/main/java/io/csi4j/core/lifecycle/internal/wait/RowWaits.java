package io.csi4j.core.lifecycle.internal.wait;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Volume;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waits of the callers on this server for rows of the state. It passes on what the rows cannot hold: the secrets of
 * the callers to the calls, and the failures of the calls to the callers. Thread-safe.
 */
public final class RowWaits {
    private final EnginePorts ports;

    // The maps are guarded by this object's monitor.
    private final Map<VolumeKey, Set<RowWait<?>>> waits = new HashMap<>();
    private final Map<VolumeKey, Set<RowCall>> calls = new HashMap<>();
    private final Map<Term, Set<RowWait<?>>> byTerm = new HashMap<>();

    public RowWaits(EnginePorts ports) {
        this.ports = ports;
    }

    /**
     * Begins a wait for the row of a volume. Call this before what the caller waits for is stored, because the worker
     * may be faster than the caller.
     */
    public <R> RowWait<R> begin(Caller caller, VolumeKey key, AwaitedCalls awaited) {
        RowWait<R> wait = new RowWait<>(ports, StateScope.volume(key), null, caller, awaited);
        synchronized (this) {
            waits.computeIfAbsent(key, none -> new LinkedHashSet<>(2)).add(wait);
        }
        var unused = wait.result().whenComplete((value, failure) -> remove(key, wait));
        return wait;
    }

    /**
     * Begins a wait for work of the leader for a volume. It also waits for calls that are in flight already. The row
     * counts only if the log has answered all commands of this engine for the volume. The wait does not watch the
     * state: the worker of the volume checks it after each plan, and plans after each change while a wait is open. The
     * wait fails with a {@link NotLeadingException} when the term ends.
     */
    public <R> RowWait<R> begin(Term term, VolumeKey key, AwaitedCalls awaited) {
        RowWait<R> wait = new RowWait<>(ports, null, key, Caller.ENGINE, awaited);
        synchronized (this) {
            waits.computeIfAbsent(key, none -> new LinkedHashSet<>(2)).add(wait);
            byTerm.computeIfAbsent(term, none -> new LinkedHashSet<>()).add(wait);
            calls.getOrDefault(key, Set.of()).forEach(call -> call.connect(wait));
        }
        var unused = wait.result().whenComplete((value, failure) -> remove(key, wait, term));
        if (term.ended()) {
            end(term);
        }
        return wait;
    }

    /** Begins a wait for rows that the engine makes no calls for. */
    public <R> RowWait<R> begin(StateScope scope) {
        return new RowWait<>(ports, scope, null, Caller.ENGINE, AwaitedCalls.NONE);
    }

    private synchronized void remove(VolumeKey key, RowWait<?> wait) {
        waits.computeIfPresent(key, (same, all) -> without(all, wait));
    }

    private synchronized void remove(VolumeKey key, RowWait<?> wait, Term term) {
        remove(key, wait);
        byTerm.computeIfPresent(term, (same, all) -> without(all, wait));
    }

    private static <T> @Nullable Set<T> without(Set<T> all, T one) {
        all.remove(one);
        return all.isEmpty() ? null : all;
    }

    /** Notes that a call for a volume begins, and returns its connection with the callers that wait for it. */
    public synchronized RowCall callBegins(CallTarget target, Volume volume) {
        RowCall call = new RowCall(this, volume, target);
        calls.computeIfAbsent(volume.key(), none -> new LinkedHashSet<>(2)).add(call);
        waits.getOrDefault(volume.key(), Set.of()).forEach(call::connect);
        return call;
    }

    synchronized void ended(RowCall call) {
        calls.computeIfPresent(call.volume().key(), (same, all) -> without(all, call));
    }

    /** Returns whether a caller waits for a volume. */
    public synchronized boolean isAwaited(VolumeKey key) {
        return waits.containsKey(key);
    }

    /** Returns the volumes that callers wait for. */
    public synchronized Set<VolumeKey> awaited() {
        return Set.copyOf(waits.keySet());
    }

    /** Checks the waits for a volume, because its worker has planned. */
    public void check(VolumeKey key) {
        List<RowWait<?>> all;
        synchronized (this) {
            all = List.copyOf(waits.getOrDefault(key, Set.of()));
        }
        all.forEach(RowWait::check);
    }

    /** Fails the waits for the work of a term of leadership, because the term has ended. */
    public void end(Term term) {
        List<RowWait<?>> all;
        synchronized (this) {
            all = List.copyOf(byTerm.getOrDefault(term, Set.of()));
        }
        all.forEach(wait -> wait.fail(new NotLeadingException()));
    }
}
