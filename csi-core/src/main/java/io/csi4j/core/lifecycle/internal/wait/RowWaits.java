package io.csi4j.core.lifecycle.internal.wait;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The waits of the callers on this server for rows of the state. It passes on what the rows cannot hold: the secrets of
 * the callers to the calls, and the failures of the calls to the callers. Thread-safe.
 */
public final class RowWaits {
    private final EnginePorts ports;

    /** The rows with a wait or a call; guarded by this object's monitor. */
    private final Map<VolumeKey, Row> rows = new HashMap<>();

    /** The waits for one row, and the calls in flight for it, in their order. */
    private static final class Row {
        final List<RowWait<?>> waits = new ArrayList<>(1);
        final List<RowCall> calls = new ArrayList<>(1);
    }

    public RowWaits(EnginePorts ports) {
        this.ports = ports;
    }

    /**
     * Begins a wait for the row of a volume. Call this before what the caller waits for is stored, because the worker
     * may be faster than the caller.
     */
    public <R> RowWait<R> begin(Caller caller, VolumeKey key, AwaitedCalls awaited) {
        RowWait<R> wait = new RowWait<>(ports, StateScope.volume(key), null, null, caller, awaited);
        synchronized (this) {
            row(key).waits.add(wait);
        }
        var unused = wait.result().whenComplete((value, failure) -> ended(key, wait));
        return wait;
    }

    /**
     * Begins a wait for work of the leader for a volume. It also waits for calls that are in flight already. The row
     * counts only if the log has answered all commands of this engine for the volume. The wait does not watch the
     * state: the worker of the volume checks it after each plan, and plans after each change while a wait is open. The
     * wait fails with a {@link NotLeadingException} when the term ends.
     */
    public <R> RowWait<R> begin(Term term, VolumeKey key, AwaitedCalls awaited) {
        RowWait<R> wait = new RowWait<>(ports, null, term, key, Caller.ENGINE, awaited);
        synchronized (this) {
            Row row = row(key);
            row.waits.add(wait);
            row.calls.forEach(call -> call.connect(wait));
        }
        var unused = wait.result().whenComplete((value, failure) -> ended(key, wait));
        if (term.ended()) {
            wait.fail(new NotLeadingException());
        }
        return wait;
    }

    /** Begins a wait for rows that the engine makes no calls for. */
    public <R> RowWait<R> begin(StateScope scope) {
        return new RowWait<>(ports, scope, null, null, Caller.ENGINE, AwaitedCalls.NONE);
    }

    /** Notes that a call for a volume begins, and returns its connection with the callers that wait for it. */
    public synchronized RowCall callBegins(CallTarget target, Volume volume) {
        RowCall call = new RowCall(this, volume, target);
        Row row = row(volume.key());
        row.calls.add(call);
        row.waits.forEach(call::connect);
        return call;
    }

    private Row row(VolumeKey key) {
        return rows.computeIfAbsent(key, none -> new Row());
    }

    private synchronized void ended(VolumeKey key, RowWait<?> wait) {
        Row row = row(key);
        row.waits.remove(wait);
        forgetIfUnused(key, row);
    }

    synchronized void ended(RowCall call) {
        VolumeKey key = call.volume().key();
        Row row = row(key);
        row.calls.remove(call);
        forgetIfUnused(key, row);
    }

    private void forgetIfUnused(VolumeKey key, Row row) {
        if (row.waits.isEmpty() && row.calls.isEmpty()) {
            rows.remove(key);
        }
    }

    /** Returns whether a caller waits for a volume. */
    public synchronized boolean isAwaited(VolumeKey key) {
        Row row = rows.get(key);
        return row != null && !row.waits.isEmpty();
    }

    /** Returns the volumes that callers wait for. */
    public synchronized Set<VolumeKey> awaited() {
        Set<VolumeKey> keys = new HashSet<>();
        rows.forEach((key, row) -> {
            if (!row.waits.isEmpty()) {
                keys.add(key);
            }
        });
        return keys;
    }

    /** Checks the waits for a volume, because its worker has planned. */
    public void check(VolumeKey key) {
        List<RowWait<?>> all;
        synchronized (this) {
            Row row = rows.get(key);
            all = row == null ? List.of() : List.copyOf(row.waits);
        }
        all.forEach(RowWait::check);
    }

    /** Fails the waits for the work of a term of leadership, because the term has ended. */
    public void end(Term term) {
        List<RowWait<?>> all = new ArrayList<>();
        synchronized (this) {
            rows.values().forEach(row -> all.addAll(row.waits));
        }
        for (RowWait<?> wait : all) {
            if (wait.term() == term) {
                wait.fail(new NotLeadingException());
            }
        }
    }
}
