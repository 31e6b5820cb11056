package io.csi4j.core.rpc;

/**
 * Asks the plugin for its id of the node, the node's limit of volumes and its topology (CSI {@code NodeGetInfo}, R93).
 */
public final class NodeGetInfoRequest extends CsiRequest {
    private static final NodeGetInfoRequest INSTANCE = new NodeGetInfoRequest();

    private NodeGetInfoRequest() {}

    /** Returns the only value, because this message has no fields. */
    public static NodeGetInfoRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
