package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.PluginId;

/** No instance of a plugin can take a controller call now. Nothing was sent; it may be tried again later. */
public final class NoControllerException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Nobody to call.
     *
     * @param pluginId the plugin
     * @param why what is the matter with its instances, for an operator
     */
    public NoControllerException(PluginId pluginId, String why) {
        super("plugin " + pluginId + " has no healthy controller on a node that is ready: " + why
                + "; start one, or wait for it");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
