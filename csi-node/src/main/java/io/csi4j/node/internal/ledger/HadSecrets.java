package io.csi4j.node.internal.ledger;

import io.csi4j.core.csi.Secrets;
import io.csi4j.node.MountSecrets;

/**
 * Records whether a mount request had secrets for NodeStageVolume, and whether it had secrets for NodePublishVolume.
 * Does not contain the secrets.
 */
public record HadSecrets(boolean stage, boolean publish) {
    public static final HadSecrets NONE = new HadSecrets(false, false);

    public static HadSecrets of(MountSecrets secrets) {
        return new HadSecrets(!none(secrets.stage()), !none(secrets.publish()));
    }

    public HadSecrets or(HadSecrets other) {
        return new HadSecrets(stage || other.stage, publish || other.publish);
    }

    private static boolean none(Secrets secrets) {
        return secrets.equals(Secrets.empty());
    }

    public boolean missingIn(MountSecrets secrets) {
        return (stage && none(secrets.stage())) || (publish && none(secrets.publish()));
    }
}
