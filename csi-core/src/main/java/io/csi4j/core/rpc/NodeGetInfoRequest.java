package io.csi4j.core.rpc;

/**
 * Asks the plugin for the storage provider's id of the node, and for the volume limit and the topology of the node (CSI
 * {@code NodeGetInfo}, R93).
 */
public final class NodeGetInfoRequest extends CsiRequest {
    private static final NodeGetInfoRequest INSTANCE = new NodeGetInfoRequest();

    private NodeGetInfoRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static NodeGetInfoRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
