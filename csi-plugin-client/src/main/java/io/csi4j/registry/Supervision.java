package io.csi4j.registry;

import io.csi4j.registry.PluginTaskEvent.Kind;
import io.csi4j.registry.instance.ExceededLimit;
import io.csi4j.registry.instance.PluginSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One task through all its restarts: what was said about it, and so what is news. In one thread at a time. */
final class Supervision {
    private boolean healthy;
    private boolean advised;

    List<PluginTaskEvent> see(PluginSnapshot snapshot, RestartPolicy policy, Instant now) {
        List<PluginTaskEvent> events = new ArrayList<>();
        if (snapshot.ready() != healthy) {
            healthy = snapshot.ready();
            Kind kind = healthy ? Kind.HEALTHY : Kind.UNHEALTHY;
            events.add(new PluginTaskEvent(snapshot.key(), kind, snapshot.description(), now));
        }
        Optional<ExceededLimit> exceeded = snapshot.exceeded().filter(policy::advises);
        if (exceeded.isEmpty()) {
            // Well again, another process, or started again: its next trouble is a new one.
            advised = false;
        } else if (!advised) {
            advised = true;
            String limit = exceeded.get() == ExceededLimit.START_UP
                    ? "it did not become ready in time: "
                    : "it has been unwell for too long: ";
            events.add(new PluginTaskEvent(snapshot.key(), Kind.RESTART_ADVISED, limit + snapshot.description(), now));
        }
        return events;
    }
}
