package io.csi4j.client.registry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One difference between two snapshots of the registry.
 *
 * @param kind the kind of change
 * @param plugin the instance now; for a removed instance, its last state
 */
public record PluginChange(Kind kind, RegisteredPlugin plugin) {
    /** The kind of a change. */
    public enum Kind {
        /** The instance was added. */
        REGISTERED,
        /** The instance was registered again, with another socket or mount root. */
        REPLACED,
        /** The state or the facts of the instance changed. */
        CHANGED,
        /** The instance was removed. */
        DEREGISTERED
    }

    public PluginChange {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(plugin, "plugin");
    }

    /**
     * Returns the changes between two snapshots: first the removed instances, then all others from the oldest to the
     * newest.
     */
    static List<PluginChange> between(List<RegisteredPlugin> before, RegistrySnapshot after) {
        List<PluginChange> changes = new ArrayList<>();
        for (RegisteredPlugin each : before) {
            if (after.instance(each.registration().key())
                    .filter(now -> now.registeredAt().equals(each.registeredAt()))
                    .isEmpty()) {
                changes.add(new PluginChange(Kind.DEREGISTERED, each));
            }
        }
        List<RegisteredPlugin> oldestFirst = new ArrayList<>(after.instances());
        Collections.reverse(oldestFirst);
        for (RegisteredPlugin each : oldestFirst) {
            kind(before, each).ifPresent(kind -> changes.add(new PluginChange(kind, each)));
        }
        return List.copyOf(changes);
    }

    private static Optional<Kind> kind(List<RegisteredPlugin> before, RegisteredPlugin now) {
        for (RegisteredPlugin then : before) {
            if (then.registration().key().equals(now.registration().key())
                    && then.registeredAt().equals(now.registeredAt())) {
                if (!then.registration().equals(now.registration())) {
                    return Optional.of(Kind.REPLACED);
                }
                return then.snapshot().equals(now.snapshot()) ? Optional.empty() : Optional.of(Kind.CHANGED);
            }
        }
        return Optional.of(Kind.REGISTERED);
    }
}
