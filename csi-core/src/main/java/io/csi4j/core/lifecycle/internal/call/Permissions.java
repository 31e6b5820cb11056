package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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

    /** Checks that the caller may use volumes of a namespace. */
    public void allowMount(Caller caller, Namespace namespace) {
        toMount(namespace).forEach(access -> allow(caller, access));
    }

    private static List<Access> toMount(Namespace namespace) {
        return List.of(Access.in(namespace, Permission.VOLUME_MOUNT), Access.of(Permission.PLUGIN_READ));
    }

    /**
     * Returns the permissions that the caller needs for submitting a workload but does not have.
     *
     * @param requests the volumes that the workload requests
     * @param deploys the plugins that the workload runs
     */
    public List<Access> missing(
            Caller caller, Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        List<Access> needed = new ArrayList<>();
        if (!requests.isEmpty()) {
            needed.addAll(toMount(namespace));
        }
        if (!deploys.isEmpty()) {
            needed.add(Access.of(Permission.PLUGIN_DEPLOY));
        }
        return needed.stream().filter(access -> !allows(caller, access)).toList();
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
        return owns(caller, plugin, Optional.of(externalVolumeId), permission);
    }

    private boolean owns(
            Caller caller, PluginId plugin, Optional<ExternalVolumeId> externalVolumeId, Permission permission) {
        Access access = externalVolumeId
                .flatMap(id -> ports.log().state().snapshot().volumeByExternalId(plugin, id))
                .map(key -> Access.in(key.namespace(), permission))
                .orElse(Access.of(Permission.MANAGEMENT));
        return allows(caller, access);
    }

    /**
     * Checks a permission for a volume at the storage provider, as {@link #owns} does. The refusal is the same for a
     * volume of another namespace and for a volume without a row.
     *
     * @param externalVolumeId the volume; empty if the provider does not know the object that the request names
     * @param what the object as the request names it, for example {@code snapshot s-1}
     * @throws AccessDeniedException if the caller lacks the permission
     */
    public void allowOwner(
            Caller caller,
            PluginId plugin,
            Optional<ExternalVolumeId> externalVolumeId,
            Permission permission,
            String what) {
        if (!owns(caller, plugin, externalVolumeId, permission)) {
            throw new AccessDeniedException(
                    caller.principal().getName(),
                    permission + " in the namespace of " + what + " of plugin " + plugin + ", or "
                            + Permission.MANAGEMENT + " if no registered volume stands for it");
        }
    }
}
