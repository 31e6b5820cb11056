package io.csi4j.node;

/** What is done if a mount had secrets, has to be made again, and {@link MountSecretsProvider} gives none for it. */
public enum MissingSecrets {
    /** Nothing is sent: the step has failed, is reported, and is tried again later. */
    REFUSE,
    /** The listener is told with {@link NodeVolumeEvent.Kind#SECRETS_MISSING}, and it is tried without. */
    TRY
}
