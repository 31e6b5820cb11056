package io.csi4j.node;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;

/**
 * The secrets for the calls of one mount. Never written to the ledger.
 *
 * @param stage the secrets for NodeStageVolume
 * @param publish the secrets for NodePublishVolume
 */
public record MountSecrets(Secrets stage, Secrets publish) {
    private static final MountSecrets NONE = new MountSecrets(Secrets.empty(), Secrets.empty());

    public MountSecrets {
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(publish, "publish");
    }

    /** Returns empty secrets for both calls. */
    public static MountSecrets none() {
        return NONE;
    }
}
