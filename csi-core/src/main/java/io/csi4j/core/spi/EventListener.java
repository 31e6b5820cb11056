package io.csi4j.core.spi;

import java.util.List;

/**
 * Receives events of the engine, for metrics, audit logs and views of an operator. No event contains a secret, a
 * context, a mount flag or text from a plugin's answer.
 *
 * <p>The engine reports the changes that two kinds of commands make: its own, and those that the host submits through
 * {@link io.csi4j.core.lifecycle.VolumeLifecycle#log()}. It does not report changes by other servers, or by a command
 * whose outcome the log did not return. A listener that needs all changes has to read the state.
 *
 * <p>The engine calls the listener on its own threads, after the change, with one event at a time. Events of different
 * volumes come in no fixed order. The listener must return quickly and must not block. An exception of the listener is
 * logged and has no other effect. While the listener blocks, at most 10,000 events wait; newer ones are dropped, and
 * the log says so.
 */
public interface EventListener {
    /** Reports the end of a call to a plugin. */
    default void callFinished(CallEvent event) {}

    /** Reports a change of a volume in the state. */
    default void volumeChanged(VolumeEvent event) {}

    /** Reports a change of a volume class in the state. */
    default void volumeClassChanged(VolumeClassEvent event) {}

    /** Reports a change of a quota in the state, and a use that an answer of a provider lifted over the limit. */
    default void quotaChanged(QuotaEvent event) {}

    /** Reports a change of the profile of a plugin in the state. */
    default void pluginProfileChanged(PluginProfileEvent event) {}

    /** Reports a change of a claim in the state. */
    default void claimChanged(ClaimEvent event) {}

    /** Reports that a claim started to wait, or that its wait reason changed. Only the leader reports this event. */
    default void claimWaiting(ClaimWaitingEvent event) {}

    /** Reports that an access token was created or revoked. */
    default void accessTokenChanged(AccessTokenEvent event) {}

    /** Reports a new status of a node in the state. */
    default void nodeChanged(NodeEvent event) {}

    /**
     * Reports that another machine is behind a node, or that a plugin renamed the node, while volumes are still in use
     * there under the former external id.
     */
    default void nodeReplaced(NodeReplacedEvent event) {}

    /** Reports a new number of healthy instances of a plugin in the state. */
    default void pluginHealthChanged(PluginHealthEvent event) {}

    /** Reports that instances of a plugin began or ended to report another provider name than the plugin's volumes need. */
    default void pluginConflict(PluginConflictEvent event) {}

    /**
     * Reports that a node says that it runs a controller of a plugin, and {@link ControllerTrust} does not trust it. The
     * event comes once for a node and plugin, however often the node reports it.
     */
    default void undeclaredController(UndeclaredControllerEvent event) {}

    /** Reports a change of an attachment in the state. */
    default void attachmentChanged(AttachmentEvent event) {}

    /**
     * Reports a difference between the storage provider's attachments and those in the state: one of the two has an
     * attachment of a volume to a node, and the other has none.
     */
    default void driftFound(DriftEvent event) {}

    /** Reports that the periodic comparison with a provider stopped to repair a difference, because repairs changed nothing. */
    default void repairStopped(RepairStoppedEvent event) {}

    /**
     * Reports that a call is sent without secrets, because the source that is configured for it in {@link SecretSets}
     * had none.
     */
    default void secretsAbsent(SecretsAbsentEvent event) {}

    /**
     * Reports that a scan started a step that an event or a timer should have started. Only the leader reports this
     * event.
     */
    default void missedStepFound(MissedStepEvent event) {}

    /**
     * Returns a listener that passes each event to several listeners, in their order. If one of them fails, the others
     * still get the event, and the failure is thrown afterwards.
     */
    static EventListener all(EventListener... listeners) {
        return new AllListeners(List.of(listeners));
    }

    /** Returns a listener that does nothing. */
    static EventListener none() {
        return NoListener.NONE;
    }
}
