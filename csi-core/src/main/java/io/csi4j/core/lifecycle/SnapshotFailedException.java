package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.VolumeSnapshot;

/** Reports that a plugin refused to create a snapshot (R78). The state keeps the row until the snapshot is deleted. */
public final class SnapshotFailedException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final transient VolumeSnapshot snapshot;

    public SnapshotFailedException(VolumeSnapshot snapshot) {
        super("snapshot " + snapshot.key() + " of volume " + snapshot.spec().source() + " failed: "
                + snapshot.retry().lastError().orElse("no reason is known")
                + (snapshot.phase() == SnapshotPhase.MAYBE_LEAKED
                        ? "; the storage provider may have a snapshot of the name "
                                + snapshot.spec().providerName()
                                + ": look there, remove it, and let an operator forget this one"
                        : "; delete it, and create another one when the cause is removed"));
        this.snapshot = snapshot;
    }

    /** Returns the row of the snapshot. */
    public VolumeSnapshot snapshot() {
        return snapshot;
    }
}
