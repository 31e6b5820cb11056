package io.csi4j.core.rpc;

/**
 * Asks what the node service offers (CSI {@code NodeGetCapabilities}).
 */
public final class NodeGetCapabilitiesRequest extends CsiRequest {
    private static final NodeGetCapabilitiesRequest INSTANCE = new NodeGetCapabilitiesRequest();

    private NodeGetCapabilitiesRequest() {}

    /** The only value: CSI gives this message no fields. */
    public static NodeGetCapabilitiesRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
