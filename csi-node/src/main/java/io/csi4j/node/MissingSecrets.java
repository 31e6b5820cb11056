package io.csi4j.node;

/**
 * Says how to repeat a mount that was first made with secrets, when {@link MountSecretsProvider} returns no secrets for
 * it.
 */
public enum MissingSecrets {
    /**
     * The call to the plugin is not sent. The step counts as failed, the listener is notified, and the step is retried
     * later.
     */
    REFUSE,
    /** The listener gets {@link NodeVolumeEvent.Kind#SECRETS_MISSING}, and the call is made without secrets. */
    TRY
}
