package io.csi4j.node;

/**
 * The policy for a mount that had secrets, has to be mounted again, and gets no secrets from {@link MountSecretsProvider}.
 */
public enum MissingSecrets {
    /** Nothing is sent. The step fails, is reported, and is retried later. */
    REFUSE,
    /** The listener gets {@link NodeVolumeEvent.Kind#SECRETS_MISSING}, and the call is made without secrets. */
    TRY
}
