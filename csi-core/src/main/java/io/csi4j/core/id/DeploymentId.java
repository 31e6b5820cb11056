package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * The host's id of the job, daemon set or unit that runs a plugin. Its name is unique in its namespace.
 *
 * @param namespace the namespace
 * @param name not empty, at most 128 bytes of UTF-8, without control characters and unpaired surrogates
 */
public record DeploymentId(Namespace namespace, String name) implements Comparable<DeploymentId> {
    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if the name is empty, too long, or has control characters or an unpaired surrogate
     */
    public DeploymentId {
        Objects.requireNonNull(namespace, "namespace");
        IdText.check("DeploymentId", "name", name);
    }

    /**
     * Returns the id with these texts.
     *
     * @throws IllegalArgumentException if a text is not valid
     */
    public static DeploymentId of(String namespace, String name) {
        Objects.requireNonNull(namespace, "namespace");
        return new DeploymentId(Namespace.of(namespace), name);
    }

    /** Orders by namespace and then by name. Texts are ordered by their code units. */
    @Override
    public int compareTo(DeploymentId other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    /** Returns the id as text for operators, with the escapes of {@link VolumeKey#toString}. */
    @Override
    public String toString() {
        return Text.keyPart(namespace.value()).replace("/", Text.SLASH) + "/" + Text.keyPart(name);
    }
}
