package io.csi4j.core.spi;

import io.csi4j.core.id.Namespace;
import java.util.Objects;
import java.util.Optional;

/**
 * One permission that an operation needs, with the namespace in which it is needed.
 *
 * @param permission the permission
 * @param namespace the namespace of the object that is accessed, which may differ from the namespace in the request;
 *     empty for a cluster-wide permission
 */
public record Access(Permission permission, Optional<Namespace> namespace) {
    /**
     * @throws IllegalArgumentException if a namespace is missing for a permission that needs one, or given for a
     *     permission that needs none
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
     * Returns a permission in a namespace.
     *
     * @param permission a permission that is granted for single namespaces, see {@link Permission#namespaced}
     * @param namespace the namespace of the object
     * @throws IllegalArgumentException if the permission is for the whole cluster
     */
    public static Access in(Namespace namespace, Permission permission) {
        return new Access(permission, Optional.of(namespace));
    }

    /**
     * Returns a cluster-wide permission.
     *
     * @param permission a permission that is granted for the whole cluster, see {@link Permission#namespaced}
     * @throws IllegalArgumentException if the permission is for single namespaces
     */
    public static Access of(Permission permission) {
        return new Access(permission, Optional.empty());
    }

    @Override
    public String toString() {
        return permission + namespace.map(name -> " in namespace " + name).orElse("");
    }
}
