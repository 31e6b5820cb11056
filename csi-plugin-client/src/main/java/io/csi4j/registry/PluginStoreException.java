package io.csi4j.registry;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/** The instances of a node could not be kept, or what was kept could not be read. */
public final class PluginStoreException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure of a store.
     *
     * @param message what failed, with which file, and what to do
     * @param cause why, or null
     */
    public PluginStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
