package io.csi4j.client.registry;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Reports that a plugin cannot be stopped, because it is still needed to unmount volumes on its node. Stop the plugin
 * after these volumes are unmounted.
 */
public final class PluginInUseException extends CsiException {
    private static final long serialVersionUID = 1L;

    /** The largest number of volumes that the message names. */
    private static final int NAMED = 20;

    private final transient List<VolumeKey> volumes;

    PluginInUseException(InstanceKey key, List<VolumeKey> volumes) {
        super(message(key, volumes));
        this.volumes = List.copyOf(volumes);
    }

    /** Creates the exception for a plugin whose volumes could not be found. */
    PluginInUseException(InstanceKey key, Throwable unknown) {
        super(
                key
                        + " is the only node plugin of its kind here that is ready, and it is not known which volumes need it: "
                        + unknown.getMessage() + "; try again when that is known",
                unknown);
        this.volumes = List.of();
    }

    static String message(InstanceKey key, List<VolumeKey> volumes) {
        String names = volumes.stream().limit(NAMED).map(VolumeKey::toString).collect(Collectors.joining(", "));
        String more = volumes.size() > NAMED ? " and " + (volumes.size() - NAMED) + " more" : "";
        return key + " is the only node plugin of its kind here that is ready, and without it " + volumes.size()
                + " volume(s) cannot be unmounted: " + names + more
                + "; unmount them first, or start another instance of the plugin";
    }

    /** Returns the volumes that need the plugin; empty if they could not be found, or if this exception was deserialized. */
    public List<VolumeKey> volumes() {
        return volumes == null ? List.of() : volumes;
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
