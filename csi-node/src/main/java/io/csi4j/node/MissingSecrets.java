package io.csi4j.node;

/**
 * The policy for a mount that was made with secrets and has to be made again, if {@link MountSecretsProvider} returns no secrets for it.
 */
public enum MissingSecrets {
    /** The call is not sent. The step fails, is reported, and is retried later. */
    REFUSE,
    /** The listener gets {@link NodeVolumeEvent.Kind#SECRETS_MISSING}, and the call is made without secrets. */
    TRY
}
