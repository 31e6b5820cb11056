package io.csi4j.core.lifecycle.internal.wait;

import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call in flight for the row of a volume, and the waits of the callers on this server that it is for. Thread-safe. */
public final class RowCall {
    private final RowWaits waits;
    private final Volume volume;
    private final CallTarget target;
    private final List<RowWait<?>> waiting = new ArrayList<>(0);
    private @Nullable Object answer;

    RowCall(RowWaits waits, Volume volume, CallTarget target) {
        this.waits = waits;
        this.volume = volume;
        this.target = target;
    }

    Volume volume() {
        return volume;
    }

    /** Connects a wait with this call if it is for the wait. From now on, the wait waits for the end of the call. */
    synchronized void connect(RowWait<?> wait) {
        if (wait.calls().include(target, volume)) {
            waiting.add(wait);
            wait.callBegins();
            wait.calls().begin(target);
        }
    }

    /** Returns the last waiting caller that passed secrets, whose secrets the call uses; the engine if none did. */
    public synchronized Caller secretsOf() {
        return Caller.lastWithSecrets(waiting.stream().map(RowWait::caller));
    }

    /** Returns whether a caller on this server waits for the call. */
    public synchronized boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /** Notes the answer of the call. Its end follows when the result is stored. */
    public synchronized void answers(@Nullable Object given) {
        answer = given;
    }

    /** Notes that the call has failed. Its end follows when the result is stored. */
    public synchronized void fails(Throwable failure) {
        waiting.forEach(wait -> wait.callFails(failure));
    }

    /**
     * Notes that the call has ended and that its result is stored.
     *
     * @param failure the failure for the callers; null if there is none
     */
    public void ended(@Nullable Throwable failure) {
        waits.ended(this);
        List<RowWait<?>> connected;
        Object given;
        synchronized (this) {
            connected = List.copyOf(waiting);
            given = failure == null ? answer : null;
        }
        for (RowWait<?> wait : connected) {
            wait.calls().end(target, given);
            wait.callEnded(failure);
            wait.check();
        }
    }
}
