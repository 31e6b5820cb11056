package io.csi4j.core.rpc;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The response of GetPluginInfo: the plugin's name and version (R37).
 *
 * @param name the plugin's name in domain notation (R19)
 * @param vendorVersion the vendor's version; any text
 * @param manifest further information from the vendor
 */
public record GetPluginInfoResponse(String name, String vendorVersion, Map<String, String> manifest) {
    public GetPluginInfoResponse {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(vendorVersion, "vendorVersion");
        manifest = Collections.unmodifiableMap(new LinkedHashMap<>(Objects.requireNonNull(manifest, "manifest")));
    }
}
