package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

/** The workers of one term: one for each volume with something to do. Thread-safe. */
public final class VolumeWorkers {
    private final ConcurrentMap<VolumeKey, VolumeWorker> lanes = new ConcurrentHashMap<>();
    private final Operations operations;
    private final Term term;
    private final WorkerCalls calls;
    private final InFlightCalls underWay;
    private final FenceRequests fences;
    private final WorkerEvents events;
    private final FollowUpCommands consequences;

    public VolumeWorkers(
            Operations operations, Term term, InFlightCalls underWay, IntentWork work, WorkerEvents events) {
        this.operations = operations;
        this.term = term;
        this.underWay = underWay;
        this.events = events;
        this.consequences = new FollowUpCommands(operations);
        this.calls = new WorkerCalls(operations, term, work, new CallResults(operations, term, underWay, events));
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

    /** Requests a plan of a volume. */
    public void wake(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(VolumeWorker.Urgency.NORMAL));
    }

    /** Requests a plan of a volume, unless its worker has already planned for the state of that index. */
    public void wake(VolumeKey key, long index) {
        if (lanes.containsKey(key) || unsettled(operations.state(), key)) {
            wakeUnsettled(key, index);
        }
    }

    /** Requests a plan of a volume that is known to be unsettled, unless its worker has planned for that index. */
    void wakeUnsettled(VolumeKey key, long index) {
        VolumeWorker lane = lanes.get(key);
        if (lane == null || lane.seen() < index) {
            wake(key);
        }
    }

    static boolean unsettled(StateReader state, VolumeKey key) {
        return state.volume(key).filter(Volume::unsettled).isPresent();
    }

    /** Requests a plan of a volume that includes its held claims. */
    public void sweep(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(VolumeWorker.Urgency.SWEEP));
    }

    /** Requests a plan of a volume that does not wait for the time of the next attempt. */
    public void tryNow(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(VolumeWorker.Urgency.NOW));
    }

    /** Adds a waiter to a volume, and requests a plan. */
    public void await(VolumeKey key, StateWaiter waiter, VolumeWorker.Urgency urgency) {
        if (!lane(key, lane -> lane.await(waiter, urgency))) {
            waiter.over();
        }
    }

    /** Uses the worker of a volume. If that worker was just removed, a new worker is used. */
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

    /** Removes a worker that has nothing to do. */
    void retire(VolumeWorker lane) {
        if (lane.retired()) {
            lanes.remove(lane.key(), lane);
        }
    }

    public int size() {
        return lanes.size();
    }

    /** Ends all workers and waiters after the term; nothing begins afterwards. */
    public void close() {
        fences.close();
        // A worker that is added in between ends itself: its creator checks the term afterwards.
        for (VolumeWorker lane : lanes.values()) {
            lane.close();
            lanes.remove(lane.key(), lane);
        }
    }
}
