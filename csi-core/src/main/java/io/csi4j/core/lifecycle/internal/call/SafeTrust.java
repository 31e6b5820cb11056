package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;

/** The host's word about controllers. If it fails, the controller is not trusted, and the log says so. */
public final class SafeTrust implements ControllerTrust {
    private final ControllerTrust trust;
    private final HostCallbacks host;

    public SafeTrust(ControllerTrust trust, HostCallbacks host) {
        this.trust = trust;
        this.host = host;
    }

    @Override
    public boolean trusts(StateReader state, InstanceKey controller) {
        try {
            return trust.trusts(state, controller);
        } catch (RuntimeException | LinkageError failure) {
            host.failed("ControllerTrust.trusts", failure);
            return false;
        }
    }
}
