package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;

/** Decides what callers may do, by the access control of the host. */
public final class Permissions {
    private final EnginePorts ports;

    Permissions(EnginePorts ports) {
        this.ports = ports;
    }

    /**
     * Checks the caller's permissions. An operation calls this method first.
     *
     * @throws AccessDeniedException if the caller lacks one of the permissions
     */
    public void allow(Caller caller, Access... accesses) {
        for (Access access : accesses) {
            if (!allows(caller, access)) {
                throw new AccessDeniedException(caller.principal().getName(), access);
            }
        }
    }

    /** Returns whether the caller has a permission. */
    public boolean allows(Caller caller, Access access) {
        try {
            return ports.access().allows(caller.principal(), access);
        } catch (RuntimeException | Error e) {
            // A request that cannot be decided is not allowed.
            ports.host().failed("AccessControl.allows", e);
            return false;
        }
    }

    /** Returns whether the caller may read a volume. */
    public boolean mayRead(Caller caller, VolumeKey key) {
        return allows(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
    }

    /**
     * Returns whether the caller has a permission for a volume at the storage provider. If the state has a row for the
     * volume, the permission has to cover the namespace of the row. Otherwise the caller needs the permission
     * MANAGEMENT.
     */
    public boolean owns(Caller caller, PluginId plugin, ExternalVolumeId externalVolumeId, Permission permission) {
        Access access = ports.log()
                .state()
                .snapshot()
                .volumeByExternalId(plugin, externalVolumeId)
                .map(key -> Access.in(key.namespace(), permission))
                .orElse(Access.of(Permission.MANAGEMENT));
        return allows(caller, access);
    }
}
