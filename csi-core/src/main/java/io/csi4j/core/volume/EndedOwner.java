package io.csi4j.core.volume;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.WorkloadName;
import java.time.Instant;
import java.util.Objects;

/**
 * The last incarnation of a workload that has ended. No volume is made for this incarnation or an earlier one any more,
 * however late the claim arrives.
 *
 * @param endedAt the time in the command that ended it
 */
public record EndedOwner(Namespace namespace, WorkloadOwner workload, Instant endedAt) {
    public EndedOwner {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(workload, "workload");
        Objects.requireNonNull(endedAt, "endedAt");
    }

    /** Identifies the workloads of one name. */
    public record Key(Namespace namespace, WorkloadName name) implements Comparable<Key> {
        public Key {
            Objects.requireNonNull(namespace, "namespace");
            Objects.requireNonNull(name, "name");
        }

        @Override
        public int compareTo(Key other) {
            int byNamespace = namespace.compareTo(other.namespace);
            return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
        }
    }

    /** Returns the key of this row. */
    public Key key() {
        return new Key(namespace, workload.name());
    }
}
