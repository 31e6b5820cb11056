package io.csi4j.core.rpc;

/** Asks the plugin for the capabilities of its controller service (CSI {@code ControllerGetCapabilities}). */
public final class ControllerGetCapabilitiesRequest extends CsiRequest {
    private static final ControllerGetCapabilitiesRequest INSTANCE = new ControllerGetCapabilitiesRequest();

    private ControllerGetCapabilitiesRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static ControllerGetCapabilitiesRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
