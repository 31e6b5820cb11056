package io.csi4j.examples.scheduler;

import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;

/** Records each step that only the engine's regular scan has found as a violation, because it begins too late. */
final class MissedSteps implements EventListener {
    private final ClusterLayout layout;

    MissedSteps(ClusterLayout layout) {
        this.layout = layout;
    }

    @Override
    public void missedStepFound(MissedStepEvent event) {
        Workload.append(
                layout.report("violations"),
                "a scan found a step of volume " + event.volume() + " that nothing had started");
    }
}
