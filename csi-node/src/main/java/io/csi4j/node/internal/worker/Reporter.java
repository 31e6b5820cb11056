package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeListener;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reports events to the host's listener. If the listener throws, the exception is logged and the work continues. */
public final class Reporter {
    private static final System.Logger LOG = System.getLogger(Reporter.class.getName());

    private final NodeVolumeListener listener;
    private final Clock clock;

    public Reporter(NodeVolumeListener listener, Clock clock) {
        this.listener = listener;
        this.clock = clock;
    }

    void report(Kind kind, @Nullable VolumeKey volume, @Nullable AllocationId allocation, String message) {
        try {
            listener.onEvent(new NodeVolumeEvent(
                    kind, Optional.ofNullable(volume), Optional.ofNullable(allocation), message, clock.instant()));
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "A listener of node volumes failed; the work continues", e);
        }
    }
}
