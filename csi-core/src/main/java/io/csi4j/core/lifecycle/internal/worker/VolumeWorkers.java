package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.step.CallSteps;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The workers of one term of leadership: one for each volume with something to do. Thread-safe. */
public final class VolumeWorkers {
    private final ConcurrentMap<VolumeKey, VolumeWorker> workers = new ConcurrentHashMap<>();
    private final Operations operations;
    private final RowWaits waits;
    private final Term term;
    private final CallSteps steps;
    private final CallRunner calls;
    private final FenceRequests fences;
    private final NodeTimes nodeTimes;
    private final WorkerEvents events;
    private final FollowUpCommands followUps;
    private final PluginStates pluginStates;
    private final SourceWaits sources;

    public VolumeWorkers(Operations operations, RowWaits waits, Term term, WorkerEvents events) {
        this.operations = operations;
        this.waits = waits;
        this.term = term;
        this.events = events;
        this.nodeTimes = new NodeTimes(operations.ports().timer(), term);
        this.pluginStates = new PluginStates(operations.ports().trust());
        this.followUps = new FollowUpCommands(operations, nodeTimes);
        this.steps = new CallSteps(operations, events);
        this.calls = new CallRunner(this);
        this.sources = new SourceWaits(operations::state, this::wake);
        this.fences = new FenceRequests(operations.ports(), this::wakeOn);
    }

    Operations operations() {
        return operations;
    }

    RowWaits waits() {
        return waits;
    }

    public Term term() {
        return term;
    }

    CallSteps steps() {
        return steps;
    }

    CallRunner calls() {
        return calls;
    }

    FenceRequests fences() {
        return fences;
    }

    NodeTimes nodeTimes() {
        return nodeTimes;
    }

    FollowUpCommands followUps() {
        return followUps;
    }

    PluginStates pluginStates() {
        return pluginStates;
    }

    SourceWaits sources() {
        return sources;
    }

    /** Wakes the volumes whose deletion waited for a snapshot that is not being created any more. */
    public void snapshotsChanged() {
        sources.changed();
    }

    WorkerEvents events() {
        return events;
    }

    /**
     * Returns the facts for a plan of a volume, except the calls in flight.
     *
     * @param state the snapshot from which the volume was read
     */
    public PlanFacts.Builder facts(StateReader state, Volume volume, Instant now) {
        return facts(operations.ports(), state, volume, now)
                .fenceRequested(fences.asked(state))
                .inStatus(nodeTimes::inStatus)
                .backoff(retry -> retryTimes(volume.key()).left(retry));
    }

    private RetryTimes retryTimes(VolumeKey key) {
        VolumeWorker worker = workers.get(key);
        return worker == null ? new RetryTimes(operations) : worker.retryTimes();
    }

    /**
     * Returns the facts for a plan of a volume without those that only the leader knows: the calls in flight, the
     * requests to fence nodes, and the time for which nodes were out of reach.
     */
    public static PlanFacts.Builder facts(EnginePorts ports, StateReader state, Volume volume, Instant now) {
        return PlanFacts.from(state, ports.trust(), volume, now)
                .defaultFencing(ports.options().fencingPolicy())
                .maxControllerCalls(
                        EnginePorts.callSettings(state, volume.pluginId()).callsPerVolume());
    }

    /** Returns the retries of all steps of a volume. */
    public static Set<Retry> retries(Volume volume) {
        Set<Retry> retries = new HashSet<>();
        retries.add(volume.retry());
        volume.claims().forEach(claim -> retries.add(claim.retry()));
        volume.attachments().forEach(attachment -> retries.add(attachment.retry()));
        volume.modification().ifPresent(change -> retries.add(change.retry()));
        volume.verification().ifPresent(known -> retries.add(known.retry()));
        volume.expansion().ifPresent(change -> {
            retries.add(change.retry());
            change.nodes().values().forEach(step -> retries.add(step.retry()));
        });
        return retries;
    }

    /** Requests a plan of a volume. */
    public void wake(VolumeKey key) {
        worker(key, worker -> worker.wake(VolumeWorker.Urgency.NORMAL));
    }

    /**
     * Requests a plan of a changed volume if there is work for it or a caller waits for it, unless its worker has already
     * planned for the state of that index.
     */
    public void wake(VolumeKey key, long index) {
        VolumeWorker worker = workers.get(key);
        if (worker != null
                ? worker.plannedIndex() < index
                : waits.isAwaited(key) || unsettled(operations.state(), key)) {
            wake(key);
        }
    }

    /**
     * Requests a plan of a volume that is known to have remaining work, unless its worker has already planned for the
     * state of the given index.
     */
    void wakeUnsettled(VolumeKey key, long index) {
        VolumeWorker worker = workers.get(key);
        if (worker == null || worker.plannedIndex() < index) {
            wake(key);
        }
    }

    static boolean unsettled(StateReader state, VolumeKey key) {
        return state.volume(key).filter(Volume::unsettled).isPresent();
    }

    /** Requests a plan of a volume. The plan also checks whether held claims belong to ended allocations. */
    public void sweep(VolumeKey key) {
        worker(key, worker -> worker.wake(VolumeWorker.Urgency.SWEEP));
    }

    /** Requests a plan of a volume. The plan does not wait for the end of a backoff. */
    public void tryNow(VolumeKey key) {
        worker(key, worker -> worker.wake(VolumeWorker.Urgency.NOW));
    }

    /**
     * Passes the end of a call to the worker of the volume, which then plans again. A call is no longer in flight when
     * this method is called. So the worker may just have found nothing to do, although its plan counted on the end of
     * the call, and may have been removed. Then a new worker plans for the end of the call.
     */
    void callEnded(VolumeKey key, @Nullable Throwable failure) {
        worker(key, worker -> worker.callEnded(failure));
    }

    /** Returns whether the worker of a volume has a task, a timer or a write, and so will plan by itself. */
    boolean attends(VolumeKey key) {
        VolumeWorker worker = workers.get(key);
        return worker != null && worker.attends();
    }

    /**
     * Passes the worker of a volume to a function. If that worker was just removed, creates a new worker and passes
     * that one.
     */
    private void worker(VolumeKey key, Predicate<VolumeWorker> use) {
        boolean used = false;
        while (!used && !term.ended()) {
            VolumeWorker worker = workers.computeIfAbsent(key, k -> new VolumeWorker(this, k));
            used = use.test(worker);
            if (!used) {
                workers.remove(key, worker);
            }
        }
        if (term.ended()) {
            close();
        }
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
    void retire(VolumeKey key, VolumeWorker worker) {
        if (worker.retired()) {
            workers.remove(key, worker);
        }
    }

    public int size() {
        return workers.size();
    }

    /** Ends all workers, and the waits for their work, after the end of the term of leadership. No worker begins a task afterwards. */
    public void close() {
        fences.close();
        nodeTimes.close();
        waits.end(term);
        // If another thread adds a worker during this loop, that thread then finds that the term has ended and calls
        // close() again.
        workers.forEach((key, worker) -> {
            worker.close();
            workers.remove(key, worker);
        });
    }
}
