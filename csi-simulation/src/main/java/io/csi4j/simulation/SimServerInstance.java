package io.csi4j.simulation;

import io.csi4j.core.lifecycle.VolumeLifecycle;

/** An engine and the process in which it runs. */
final class SimServerInstance {
    private final SimProcess process;
    private final VolumeLifecycle lifecycle;
    private boolean leads;

    SimServerInstance(SimProcess process, VolumeLifecycle lifecycle) {
        this.process = process;
        this.lifecycle = lifecycle;
    }

    SimProcess process() {
        return process;
    }

    VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    boolean leads() {
        return leads && process.alive();
    }

    void startLeading() {
        leads = true;
        lifecycle.startLeading();
    }

    void stopLeading() {
        leads = false;
        lifecycle.stopLeading();
    }

    void crash() {
        leads = false;
        process.crash();
    }
}
