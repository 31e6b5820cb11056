package io.csi4j.core.spi;

/**
 * Is told what the engine does, for metrics, audit and an operator's view. No event holds a secret, a
 * context, a mount flag or a plugin's text (I10).
 *
 * <p>Changes of state are told by the engine that proposed them: its own, and those that the host submits through {@link
 * io.csi4j.core.lifecycle.VolumeLifecycle#log()}. What is written past the engine, or by another server, is not told here.
 * A command whose answer was lost may have changed something that nobody is told of: what has to be exact is read from
 * the state.
 *
 * <p>A listener is called on the engine's threads, after the fact, in no particular order across
 * volumes. It must be quick and must not block; what it throws is logged and changes nothing.
 */
public interface EventListener {
    /**
     * A call to a plugin ended.
     *
     * @param event which, and how
     */
    default void callFinished(CallEvent event) {}

    /**
     * A volume changed in the state.
     *
     * @param event which, and how
     */
    default void volumeChanged(VolumeEvent event) {}

    /**
     * A claim changed in the state.
     *
     * @param event which, and how
     */
    default void claimChanged(ClaimEvent event) {}

    /**
     * A claim waits, or waits for something else than before. The engine that leads tells it.
     *
     * @param event which, and for what
     */
    default void claimWaiting(ClaimWaitingEvent event) {}

    /**
     * The status of a node changed in the state.
     *
     * @param event which, and how it is now
     */
    default void nodeChanged(NodeEvent event) {}

    /**
     * The number of healthy instances of a plugin changed in the state.
     *
     * @param event which plugin, and how many there are now
     */
    default void pluginHealthChanged(PluginHealthEvent event) {}

    /**
     * An attachment changed in the state.
     *
     * @param event which, and how
     */
    default void attachmentChanged(AttachmentEvent event) {}

    /**
     * The provider and the state disagree on where a volume is attached (N8).
     *
     * @param event which volume, and where
     */
    default void driftFound(DriftEvent event) {}

    /**
     * A call is made without the secrets it should have ({@link SecretSets}).
     *
     * @param event which
     */
    default void secretsAbsent(SecretsAbsentEvent event) {}

    /**
     * Nobody listens.
     *
     * @return a listener that does nothing
     */
    static EventListener none() {
        return NoListener.NONE;
    }
}
