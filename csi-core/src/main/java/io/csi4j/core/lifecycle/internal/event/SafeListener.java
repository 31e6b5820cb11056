package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.NodeReplacedEvent;
import io.csi4j.core.spi.PluginHealthEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import io.csi4j.core.spi.VolumeEvent;

/** Forwards events to a listener and logs its exceptions, so that they do not disturb the engine. */
public final class SafeListener implements EventListener {
    private final EventListener listener;

    public SafeListener(EventListener listener) {
        this.listener = listener;
    }

    @Override
    public void callFinished(CallEvent event) {
        publish(() -> listener.callFinished(event));
    }

    @Override
    public void volumeChanged(VolumeEvent event) {
        publish(() -> listener.volumeChanged(event));
    }

    @Override
    public void claimChanged(ClaimEvent event) {
        publish(() -> listener.claimChanged(event));
    }

    @Override
    public void claimWaiting(ClaimWaitingEvent event) {
        publish(() -> listener.claimWaiting(event));
    }

    @Override
    public void nodeChanged(NodeEvent event) {
        publish(() -> listener.nodeChanged(event));
    }

    @Override
    public void nodeReplaced(NodeReplacedEvent event) {
        publish(() -> listener.nodeReplaced(event));
    }

    @Override
    public void pluginHealthChanged(PluginHealthEvent event) {
        publish(() -> listener.pluginHealthChanged(event));
    }

    @Override
    public void secretsAbsent(SecretsAbsentEvent event) {
        publish(() -> listener.secretsAbsent(event));
    }

    @Override
    public void attachmentChanged(AttachmentEvent event) {
        publish(() -> listener.attachmentChanged(event));
    }

    @Override
    public void missedStepFound(MissedStepEvent event) {
        publish(() -> listener.missedStepFound(event));
    }

    @Override
    public void driftFound(DriftEvent event) {
        publish(() -> listener.driftFound(event));
    }

    private static void publish(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            FailureLog.warn("An event listener failed; the engine continues", e);
        }
    }
}
