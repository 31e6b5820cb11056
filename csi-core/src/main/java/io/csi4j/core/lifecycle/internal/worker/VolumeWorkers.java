package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.PacedExecutor;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * The lanes of one term: one for each volume with something to do, none for the others. Safe for use by
 * many threads.
 */
public final class VolumeWorkers {
    private final ConcurrentMap<VolumeKey, VolumeWorker> lanes = new ConcurrentHashMap<>();
    private final Operations operations;
    private final Term term;
    private final WorkerCalls calls;
    private final InFlightCalls underWay;
    private final FenceRequests fences;
    private final WorkerEvents events;
    private final FollowUpCommands consequences;
    private final Executor looks;

    public VolumeWorkers(
            Operations operations, Term term, InFlightCalls underWay, IntentWork work, WorkerEvents events) {
        this.operations = operations;
        this.term = term;
        this.underWay = underWay;
        this.events = events;
        this.consequences = new FollowUpCommands(operations);
        this.calls = new WorkerCalls(operations, term, work, new CallResults(operations, term, underWay, events));
        this.looks = new PacedExecutor(operations.ports().executor());
        this.fences = new FenceRequests(operations.ports(), this::wakeOn);
    }

    Operations operations() {
        return operations;
    }

    public Term term() {
        return term;
    }

    WorkerCalls calls() {
        return calls;
    }

    InFlightCalls underWay() {
        return underWay;
    }

    FenceRequests fences() {
        return fences;
    }

    FollowUpCommands consequences() {
        return consequences;
    }

    WorkerEvents events() {
        return events;
    }

    /** Where volumes are looked at, because something may have changed. */
    Executor looks() {
        return looks;
    }

    /** Has a volume looked at. */
    public void wake(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(VolumeWorker.Urgency.NORMAL));
    }

    /** Has a volume looked at, unless its lane has seen it as it is at that index. */
    public void wake(VolumeKey key, long index) {
        if (lanes.containsKey(key) || unsettled(operations.state(), key)) {
            wakeUnsettled(key, index);
        }
    }

    /** The same for one that is known to be unsettled. */
    void wakeUnsettled(VolumeKey key, long index) {
        VolumeWorker lane = lanes.get(key);
        if (lane == null || lane.seen() < index) {
            wake(key);
        }
    }

    static boolean unsettled(StateReader state, VolumeKey key) {
        return state.volume(key).filter(Volume::unsettled).isPresent();
    }

    /** Has a volume looked at, claims that are held included. */
    public void sweep(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(VolumeWorker.Urgency.SWEEP));
    }

    /** Has a volume looked at, without waiting for the time of its next attempt. */
    public void tryNow(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(VolumeWorker.Urgency.NOW));
    }

    /** Has a volume looked at on behalf of somebody who waits. */
    public void await(VolumeKey key, StateWaiter waiter, VolumeWorker.Urgency urgency) {
        if (!lane(key, lane -> lane.await(waiter, urgency))) {
            waiter.over();
        }
    }

    /** Uses the lane of a volume. One that is being dropped refuses; then there is a new one. */
    private boolean lane(VolumeKey key, Predicate<VolumeWorker> use) {
        boolean used = false;
        while (!used && !term.over()) {
            VolumeWorker lane = lanes.computeIfAbsent(key, k -> new VolumeWorker(this, k));
            used = use.test(lane);
            if (!used) {
                lanes.remove(key, lane);
            }
        }
        if (term.over()) {
            close();
        }
        return used;
    }

    private void wakeOn(NodeId nodeId) {
        StateReader state = operations.state();
        for (VolumeKey key : state.volumesOn(nodeId)) {
            if (unsettled(state, key)) {
                wake(key);
            }
        }
    }

    /** Drops a lane that has nothing to do. */
    void retire(VolumeWorker lane) {
        if (lane.retired()) {
            lanes.remove(lane.key(), lane);
        }
    }

    public int size() {
        return lanes.size();
    }

    /** After the term is over: whoever waits is told, and nothing is begun any more. */
    public void close() {
        fences.close();
        // One by one: a lane that comes in between stays for whoever made it, who looks at the term after that.
        for (VolumeWorker lane : lanes.values()) {
            lane.close();
            lanes.remove(lane.key(), lane);
        }
    }
}
