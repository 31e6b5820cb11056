package io.csi4j.core.spi;

import io.csi4j.core.id.Namespace;
import java.util.Objects;
import java.util.Optional;

/**
 * One thing a caller wants to do.
 *
 * @param permission what
 * @param namespace in the namespace of the object itself, whatever the request said (S24); empty for
 *     permissions that are not given by namespace
 */
public record Access(Permission permission, Optional<Namespace> namespace) {
    /**
     * Checks that the permission and the namespace fit.
     *
     * @throws IllegalArgumentException if a namespace is missing, or of no account
     */
    public Access {
        Objects.requireNonNull(permission, "permission");
        Objects.requireNonNull(namespace, "namespace");
        if (permission.namespaced() != namespace.isPresent()) {
            throw new IllegalArgumentException("Access: " + permission
                    + (permission.namespaced()
                            ? " is given by namespace; name it"
                            : " has no namespace; leave it out"));
        }
    }

    /**
     * Something in a namespace.
     *
     * @param permission one that is given by namespace
     * @param namespace the namespace of the object
     * @return the access
     * @throws IllegalArgumentException if the permission is not given by namespace
     */
    public static Access in(Namespace namespace, Permission permission) {
        return new Access(permission, Optional.of(namespace));
    }

    /**
     * Something in the whole cluster.
     *
     * @param permission one that is not given by namespace
     * @return the access
     * @throws IllegalArgumentException if the permission is given by namespace
     */
    public static Access of(Permission permission) {
        return new Access(permission, Optional.empty());
    }

    @Override
    public String toString() {
        return permission + namespace.map(name -> " in namespace " + name).orElse("");
    }
}
