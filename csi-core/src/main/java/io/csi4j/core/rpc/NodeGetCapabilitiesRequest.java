package io.csi4j.core.rpc;

/** Asks the plugin for the capabilities of its node service (CSI {@code NodeGetCapabilities}). */
public final class NodeGetCapabilitiesRequest extends CsiRequest {
    private static final NodeGetCapabilitiesRequest INSTANCE = new NodeGetCapabilitiesRequest();

    private NodeGetCapabilitiesRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static NodeGetCapabilitiesRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
