package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.spi.DriftEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.PluginHealthEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import io.csi4j.core.spi.VolumeEvent;

/** Logs exceptions of a listener, so that they do not disturb the engine. */
public final class SafeListener implements EventListener {
    private final EventListener listener;

    public SafeListener(EventListener listener) {
        this.listener = listener;
    }

    @Override
    public void callFinished(CallEvent event) {
        tell(() -> listener.callFinished(event));
    }

    @Override
    public void volumeChanged(VolumeEvent event) {
        tell(() -> listener.volumeChanged(event));
    }

    @Override
    public void claimChanged(ClaimEvent event) {
        tell(() -> listener.claimChanged(event));
    }

    @Override
    public void claimWaiting(ClaimWaitingEvent event) {
        tell(() -> listener.claimWaiting(event));
    }

    @Override
    public void nodeChanged(NodeEvent event) {
        tell(() -> listener.nodeChanged(event));
    }

    @Override
    public void pluginHealthChanged(PluginHealthEvent event) {
        tell(() -> listener.pluginHealthChanged(event));
    }

    @Override
    public void secretsAbsent(SecretsAbsentEvent event) {
        tell(() -> listener.secretsAbsent(event));
    }

    @Override
    public void attachmentChanged(AttachmentEvent event) {
        tell(() -> listener.attachmentChanged(event));
    }

    @Override
    public void driftFound(DriftEvent event) {
        tell(() -> listener.driftFound(event));
    }

    private static void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException e) {
            FailureLog.warn("An event listener failed; the engine goes on", e);
        }
    }
}
