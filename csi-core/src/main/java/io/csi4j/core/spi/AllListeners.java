package io.csi4j.core.spi;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes each event to several listeners. If a listener fails, the other listeners still get the event. */
record AllListeners(List<EventListener> listeners) implements EventListener {
    AllListeners {
        listeners = List.copyOf(listeners);
    }

    private void each(Consumer<EventListener> event) {
        Throwable failure = null;
        for (EventListener listener : listeners) {
            failure = publish(event, listener, failure);
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** Publishes an event to a listener, and returns its failure, a RuntimeException or an Error, or the earlier one. */
    private static @Nullable Throwable publish(
            Consumer<EventListener> event, EventListener listener, @Nullable Throwable earlier) {
        try {
            event.accept(listener);
            return earlier;
        } catch (RuntimeException | Error e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
            return earlier;
        }
    }

    @Override
    public void callFinished(CallEvent event) {
        each(listener -> listener.callFinished(event));
    }

    @Override
    public void volumeChanged(VolumeEvent event) {
        each(listener -> listener.volumeChanged(event));
    }

    @Override
    public void volumeClassChanged(VolumeClassEvent event) {
        each(listener -> listener.volumeClassChanged(event));
    }

    @Override
    public void quotaChanged(QuotaEvent event) {
        each(listener -> listener.quotaChanged(event));
    }

    @Override
    public void pluginProfileChanged(PluginProfileEvent event) {
        each(listener -> listener.pluginProfileChanged(event));
    }

    @Override
    public void claimChanged(ClaimEvent event) {
        each(listener -> listener.claimChanged(event));
    }

    @Override
    public void claimWaiting(ClaimWaitingEvent event) {
        each(listener -> listener.claimWaiting(event));
    }

    @Override
    public void accessTokenChanged(AccessTokenEvent event) {
        each(listener -> listener.accessTokenChanged(event));
    }

    @Override
    public void nodeChanged(NodeEvent event) {
        each(listener -> listener.nodeChanged(event));
    }

    @Override
    public void nodeReplaced(NodeReplacedEvent event) {
        each(listener -> listener.nodeReplaced(event));
    }

    @Override
    public void pluginHealthChanged(PluginHealthEvent event) {
        each(listener -> listener.pluginHealthChanged(event));
    }

    @Override
    public void pluginConflict(PluginConflictEvent event) {
        each(listener -> listener.pluginConflict(event));
    }

    @Override
    public void undeclaredController(UndeclaredControllerEvent event) {
        each(listener -> listener.undeclaredController(event));
    }

    @Override
    public void attachmentChanged(AttachmentEvent event) {
        each(listener -> listener.attachmentChanged(event));
    }

    @Override
    public void missedStepFound(MissedStepEvent event) {
        each(listener -> listener.missedStepFound(event));
    }

    @Override
    public void driftFound(DriftEvent event) {
        each(listener -> listener.driftFound(event));
    }

    @Override
    public void repairStopped(RepairStoppedEvent event) {
        each(listener -> listener.repairStopped(event));
    }

    @Override
    public void secretsAbsent(SecretsAbsentEvent event) {
        each(listener -> listener.secretsAbsent(event));
    }
}
