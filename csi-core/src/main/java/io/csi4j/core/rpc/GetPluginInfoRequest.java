package io.csi4j.core.rpc;

/** Asks the plugin for its name and its vendor version (CSI {@code GetPluginInfo}, R37). */
public final class GetPluginInfoRequest extends CsiRequest {
    private static final GetPluginInfoRequest INSTANCE = new GetPluginInfoRequest();

    private GetPluginInfoRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static GetPluginInfoRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
