package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.PluginId;

/**
 * Reports that no instance of a plugin can take a controller call now. The engine has sent nothing; a later attempt may
 * succeed.
 */
public final class NoControllerException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param reason the state of the plugin's instances, for operators
     */
    public NoControllerException(PluginId pluginId, String reason) {
        super("plugin " + pluginId + " has no healthy controller on a node that is ready: " + reason
                + "; start one, or wait for it");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
