package io.csi4j.simulation.internal.server;

import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.simulation.internal.time.SimProcess;
import java.util.function.BooleanSupplier;

/** An engine and the process in which it runs. */
public final class SimServerInstance {
    private final SimProcess process;
    private final VolumeLifecycle lifecycle;
    private boolean leads;

    public SimServerInstance(SimProcess process, VolumeLifecycle lifecycle) {
        this.process = process;
        this.lifecycle = lifecycle;
    }

    public SimProcess process() {
        return process;
    }

    public VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    public boolean leads() {
        return leads && process.alive();
    }

    public void startLeading(BooleanSupplier mayAct) {
        leads = true;
        process.leads();
        lifecycle.startLeading(mayAct);
    }

    public void stopLeading() {
        leads = false;
        lifecycle.stopLeading();
    }

    public void crash() {
        leads = false;
        process.crash();
    }
}
