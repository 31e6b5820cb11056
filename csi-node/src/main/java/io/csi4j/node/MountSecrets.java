package io.csi4j.node;

import io.csi4j.core.csi.Secrets;
import java.util.Objects;

/**
 * What authenticates the calls of one mount. Never written to the ledger.
 *
 * @param stage for NodeStageVolume
 * @param publish for NodePublishVolume
 */
public record MountSecrets(Secrets stage, Secrets publish) {
    private static final MountSecrets NONE = new MountSecrets(Secrets.empty(), Secrets.empty());

    /** Checks that both parts are there. */
    public MountSecrets {
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(publish, "publish");
    }

    /**
     * No secrets.
     *
     * @return the empty value
     */
    public static MountSecrets none() {
        return NONE;
    }
}
