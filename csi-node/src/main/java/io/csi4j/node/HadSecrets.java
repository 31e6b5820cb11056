package io.csi4j.node;

import io.csi4j.core.csi.Secrets;

/**
 * Whether a mount was asked for with secrets; never what they are. Made again without them it may fail, or be another
 * mount.
 */
record HadSecrets(boolean stage, boolean publish) {
    static final HadSecrets NONE = new HadSecrets(false, false);

    static HadSecrets of(MountSecrets secrets) {
        return new HadSecrets(!none(secrets.stage()), !none(secrets.publish()));
    }

    HadSecrets or(HadSecrets other) {
        return new HadSecrets(stage || other.stage, publish || other.publish);
    }

    private static boolean none(Secrets secrets) {
        return secrets.equals(Secrets.empty());
    }

    boolean missingIn(MountSecrets secrets) {
        return (stage && none(secrets.stage())) || (publish && none(secrets.publish()));
    }
}
