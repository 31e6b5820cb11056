package io.csi4j.registry;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One difference between two pictures.
 *
 * @param kind what happened
 * @param plugin the instance as it is now; as it was last, if it was removed
 */
public record PluginChange(Kind kind, RegisteredPlugin plugin) {
    /** What happened to an instance. */
    public enum Kind {
        /** It is new. */
        REGISTERED,
        /** It was registered anew, with another socket or mount root. */
        REPLACED,
        /** It stands elsewhere, or told something else. */
        CHANGED,
        /** It is no longer registered. */
        DEREGISTERED
    }

    /** Checks that all parts are there. */
    public PluginChange {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(plugin, "plugin");
    }

    /** What leads from one picture to the other: first what went, then the rest, the oldest first. */
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
