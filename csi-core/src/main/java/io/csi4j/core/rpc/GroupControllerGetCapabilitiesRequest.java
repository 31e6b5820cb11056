package io.csi4j.core.rpc;

/**
 * Asks the plugin for the capabilities of its group controller service (CSI {@code GroupControllerGetCapabilities}).
 */
public final class GroupControllerGetCapabilitiesRequest extends CsiRequest {
    private static final GroupControllerGetCapabilitiesRequest INSTANCE = new GroupControllerGetCapabilitiesRequest();

    private GroupControllerGetCapabilitiesRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static GroupControllerGetCapabilitiesRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
