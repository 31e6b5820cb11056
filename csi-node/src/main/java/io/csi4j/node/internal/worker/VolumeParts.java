package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountInspector;
import java.util.function.Consumer;

/** The parts that the worker of one volume shares between its requests, its steps and their results. */
final class VolumeParts {
    final VolumeKey key;
    final NodePorts ports;
    final MountInspector inspector;
    final LedgerRecord record;
    final VolumeWaiters waiters;
    final NodeCalls calls;
    final VolumeDirectories directories;
    final VolumeRetries retries;
    final UnmountPatience patience;
    final VolumeQueries queries = new VolumeQueries();
    final CurrentView view;
    final Renewals renewals;

    /**
     * Creates the parts for a record.
     *
     * @param thenAdvance runs a task in the serial execution of the worker, which then plans again
     */
    VolumeParts(
            VolumeEntry entry,
            NodePorts ports,
            MountInspector inspector,
            WorkerTasks tasks,
            Consumer<Runnable> thenAdvance) {
        this.key = entry.key();
        this.ports = ports;
        this.inspector = inspector;
        this.retries = new VolumeRetries(ports, thenAdvance);
        this.patience = new UnmountPatience(ports, thenAdvance);
        this.view = new CurrentView(entry, inspector.unlooked(), ports.timer());
        this.record = new LedgerRecord(entry, ports, retries);
        this.calls = new NodeCalls(ports, tasks::callUnlessClosed, record::entry);
        this.renewals = new Renewals(key, ports, thenAdvance);
        this.directories = new VolumeDirectories(ports, key);
        this.waiters = new VolumeWaiters(ports.paths(), record, calls, tasks::afterTask, thenAdvance);
    }
}
