package io.csi4j.core.rpc;

/**
 * Asks the plugin for its services, which are the same at all its instances (CSI {@code GetPluginCapabilities}, R38).
 */
public final class GetPluginCapabilitiesRequest extends CsiRequest {
    private static final GetPluginCapabilitiesRequest INSTANCE = new GetPluginCapabilitiesRequest();

    private GetPluginCapabilitiesRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static GetPluginCapabilitiesRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
