package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.spi.AccessTokenEvent;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.NodeReplacedEvent;
import io.csi4j.core.spi.PluginConflictEvent;
import io.csi4j.core.spi.PluginHealthEvent;
import io.csi4j.core.spi.PluginProfileEvent;
import io.csi4j.core.spi.QuotaEvent;
import io.csi4j.core.spi.RepairStoppedEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import io.csi4j.core.spi.UndeclaredControllerEvent;
import io.csi4j.core.spi.VolumeClassEvent;
import io.csi4j.core.spi.VolumeEvent;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Forwards events to a listener of the host in tasks of their own, one after the other, so that a listener that fails or
 * blocks does not disturb the engine. If too many events wait, the newer ones are dropped.
 */
public final class SafeListener implements EventListener {
    /** The largest number of waiting events. */
    static final int CAPACITY = 10_000;

    private final EventListener listener;
    private final SerialExecutor events;
    private final HostCallbacks host;
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * Creates a listener.
     *
     * @param executor runs the tasks that call the host's listener
     */
    public SafeListener(EventListener listener, Executor executor, HostCallbacks host) {
        this.listener = listener;
        this.host = host;
        this.events = new SerialExecutor(executor, failure -> host.failed("EventListener", failure));
    }

    @Override
    public void callFinished(CallEvent event) {
        publish("callFinished", () -> listener.callFinished(event));
    }

    @Override
    public void volumeChanged(VolumeEvent event) {
        publish("volumeChanged", () -> listener.volumeChanged(event));
    }

    @Override
    public void volumeClassChanged(VolumeClassEvent event) {
        publish("volumeClassChanged", () -> listener.volumeClassChanged(event));
    }

    @Override
    public void quotaChanged(QuotaEvent event) {
        publish("quotaChanged", () -> listener.quotaChanged(event));
    }

    @Override
    public void pluginProfileChanged(PluginProfileEvent event) {
        publish("pluginProfileChanged", () -> listener.pluginProfileChanged(event));
    }

    @Override
    public void claimChanged(ClaimEvent event) {
        publish("claimChanged", () -> listener.claimChanged(event));
    }

    @Override
    public void claimWaiting(ClaimWaitingEvent event) {
        publish("claimWaiting", () -> listener.claimWaiting(event));
    }

    @Override
    public void accessTokenChanged(AccessTokenEvent event) {
        publish("accessTokenChanged", () -> listener.accessTokenChanged(event));
    }

    @Override
    public void nodeChanged(NodeEvent event) {
        publish("nodeChanged", () -> listener.nodeChanged(event));
    }

    @Override
    public void nodeReplaced(NodeReplacedEvent event) {
        publish("nodeReplaced", () -> listener.nodeReplaced(event));
    }

    @Override
    public void pluginHealthChanged(PluginHealthEvent event) {
        publish("pluginHealthChanged", () -> listener.pluginHealthChanged(event));
    }

    @Override
    public void pluginConflict(PluginConflictEvent event) {
        publish("pluginConflict", () -> listener.pluginConflict(event));
    }

    @Override
    public void undeclaredController(UndeclaredControllerEvent event) {
        publish("undeclaredController", () -> listener.undeclaredController(event));
    }

    @Override
    public void secretsAbsent(SecretsAbsentEvent event) {
        publish("secretsAbsent", () -> listener.secretsAbsent(event));
    }

    @Override
    public void attachmentChanged(AttachmentEvent event) {
        publish("attachmentChanged", () -> listener.attachmentChanged(event));
    }

    @Override
    public void missedStepFound(MissedStepEvent event) {
        publish("missedStepFound", () -> listener.missedStepFound(event));
    }

    @Override
    public void driftFound(DriftEvent event) {
        publish("driftFound", () -> listener.driftFound(event));
    }

    @Override
    public void repairStopped(RepairStoppedEvent event) {
        publish("repairStopped", () -> listener.repairStopped(event));
    }

    private void publish(String event, Runnable call) {
        if (waiting.incrementAndGet() > CAPACITY) {
            waiting.decrementAndGet();
            host.log(
                    "EventListener",
                    "has " + CAPACITY + " events waiting; new events are dropped until it returns from its method");
            return;
        }
        try {
            events.execute(() -> {
                waiting.decrementAndGet();
                try {
                    call.run();
                } catch (RuntimeException | Error e) {
                    host.failed("EventListener." + event, e);
                }
            });
        } catch (RejectedExecutionException e) {
            // The environment is closed, so the engine has ended.
            waiting.decrementAndGet();
        }
    }
}
