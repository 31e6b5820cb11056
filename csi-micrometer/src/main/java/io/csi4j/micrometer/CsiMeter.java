package io.csi4j.micrometer;

import java.util.List;

/** Lists every meter with its kind, its tags and its description, like the table in docs/meters.md. */
enum CsiMeter {
    CALLS(
            "csi4j.calls",
            Kind.TIMER,
            "seconds",
            List.of("plugin", "rpc", "code", "outcome"),
            "Calls to plugins, from sending the request to its end"),
    CALL_QUEUE(
            "csi4j.calls.queue",
            Kind.TIMER,
            "seconds",
            List.of("plugin"),
            "The time that calls waited for a permit before they were sent"),
    CALLS_IN_FLIGHT("csi4j.calls.in.flight", Kind.GAUGE, "calls", List.of("plugin"), "Calls in flight"),
    CALLS_WAITING("csi4j.calls.waiting", Kind.GAUGE, "calls", List.of("plugin"), "Calls that wait for a permit"),
    CALLS_WAITING_AGE(
            "csi4j.calls.waiting.age",
            Kind.GAUGE,
            "seconds",
            List.of("plugin"),
            "The age of the oldest call that waits for a permit; 0 if none waits"),
    CLAIM_CHANGES(
            "csi4j.claims.changes",
            Kind.COUNTER,
            "changes",
            List.of("change"),
            "Changes of claims; `granted` counts the grants, `freed` the finished releases"),
    CLAIMS("csi4j.claims", Kind.GAUGE, "claims", List.of("state"), "Claims in the state"),
    CLAIMS_WAITING(
            "csi4j.claims.waiting",
            Kind.GAUGE,
            "claims",
            List.of("reason"),
            "Waiting claims; `deciding` while the reason is not known yet"),
    CLAIMS_WAITING_AGE(
            "csi4j.claims.waiting.age",
            Kind.GAUGE,
            "seconds",
            List.of(),
            "The age of the oldest waiting claim; 0 if none waits"),
    RELEASES("csi4j.releases", Kind.GAUGE, "releases", List.of(), "Unfinished releases"),
    RELEASES_AGE(
            "csi4j.releases.age",
            Kind.GAUGE,
            "seconds",
            List.of(),
            "The age of the oldest unfinished release, since this server first found it; 0 if there is none"),
    ATTACHMENT_CHANGES(
            "csi4j.attachments.changes", Kind.COUNTER, "changes", List.of("change"), "Changes of attachments"),
    ATTACHMENTS("csi4j.attachments", Kind.GAUGE, "attachments", List.of("state"), "Attachments in the state"),
    VOLUME_CHANGES("csi4j.volumes.changes", Kind.COUNTER, "changes", List.of("change"), "Changes of volumes"),
    VOLUMES("csi4j.volumes", Kind.GAUGE, "volumes", List.of("phase"), "Volumes in the state"),
    VOLUMES_UNSETTLED(
            "csi4j.volumes.unsettled", Kind.GAUGE, "volumes", List.of(), "Volumes with remaining work: the work queue"),
    VOLUMES_RETAINED(
            "csi4j.volumes.retained",
            Kind.GAUGE,
            "volumes",
            List.of(),
            "Volumes that were retained when their workload ended"),
    VOLUMES_GIVEN_UP(
            "csi4j.volumes.given.up",
            Kind.GAUGE,
            "volumes",
            List.of(),
            "Volumes that were made for a claim, given up unused, and are not gone yet"),
    VOLUMES_LOST(
            "csi4j.volumes.lost",
            Kind.GAUGE,
            "volumes",
            List.of(),
            "Volumes of a restored state that the storage provider does not have"),
    QUOTA_CHANGES(
            "csi4j.quotas.changes",
            Kind.COUNTER,
            "changes",
            List.of("change"),
            "Changes of quotas; `over_by_provider` counts the answers that lifted a use over its limit"),
    QUOTA_USED(
            "csi4j.quotas.used",
            Kind.GAUGE,
            "",
            List.of("namespace", "class", "of"),
            "What the volumes of a quota use; `of` is `volumes` or `bytes`, and `class` is empty for all"),
    QUOTA_LIMIT(
            "csi4j.quotas.limit",
            Kind.GAUGE,
            "",
            List.of("namespace", "class", "of"),
            "The limit of a quota; no meter without a limit"),
    NODES("csi4j.nodes", Kind.GAUGE, "nodes", List.of("status"), "Nodes in the state"),
    NODE_USES(
            "csi4j.nodes.uses",
            Kind.GAUGE,
            "uses",
            List.of("state"),
            "Uses of volumes that the nodes report: `mounting`, `mounted` or `unmounting`"),
    NODE_STAGINGS("csi4j.nodes.stagings", Kind.GAUGE, "stagings", List.of(), "Staged volumes that the nodes report"),
    NODE_WORK_FAILING(
            "csi4j.nodes.work.failing",
            Kind.GAUGE,
            "volumes",
            List.of(),
            "Volumes whose last step on their node has failed"),
    NODE_WORK_AGE(
            "csi4j.nodes.work.age",
            Kind.GAUGE,
            "seconds",
            List.of(),
            "The age of the oldest mount or unmount that a node has not finished; 0 if there is none"),
    NODE_CALL_AGE(
            "csi4j.nodes.calls.age",
            Kind.GAUGE,
            "seconds",
            List.of(),
            "The age of the oldest call in flight from a node to its plugin; 0 if there is none"),
    NODE_MOUNTS_BROKEN(
            "csi4j.nodes.mounts.broken",
            Kind.GAUGE,
            "mounts",
            List.of(),
            "Mounts and stagings that are broken or do not answer"),
    NODES_SILENT(
            "csi4j.nodes.silent",
            Kind.GAUGE,
            "nodes",
            List.of(),
            "Nodes that are READY and whose agents did not answer the last question for a report"),
    PLUGIN_HEALTHY(
            "csi4j.plugins.healthy",
            Kind.GAUGE,
            "instances",
            List.of("plugin", "service"),
            "Healthy instances that serve the service"),
    PLUGIN_EXPECTED(
            "csi4j.plugins.expected",
            Kind.GAUGE,
            "instances",
            List.of("plugin", "service"),
            "Instances that the deployments are meant to run"),
    PLUGIN_HEALTH_CHANGES(
            "csi4j.plugins.health.changes",
            Kind.COUNTER,
            "changes",
            List.of("plugin"),
            "Changes in the number of healthy instances"),
    DRIFT(
            "csi4j.drift",
            Kind.COUNTER,
            "differences",
            List.of("plugin", "kind"),
            "Differences between the provider and the state about attachments"),
    SECRETS_ABSENT(
            "csi4j.secrets.absent",
            Kind.COUNTER,
            "calls",
            List.of("plugin"),
            "Calls that were sent without the secrets that they should have"),
    MISSED_STEPS(
            "csi4j.steps.missed",
            Kind.COUNTER,
            "steps",
            List.of("plugin"),
            "Steps that only a scan of all volumes found; each is a fault of csi4j, and the step began late"),
    LOG(
            "csi4j.log",
            Kind.TIMER,
            "seconds",
            List.of("result"),
            "Commands, from the submission to the answer of the log"),
    LOG_WAITING("csi4j.log.waiting", Kind.GAUGE, "commands", List.of(), "Commands that the log has not answered"),
    LOG_WAITING_BYTES(
            "csi4j.log.waiting.bytes",
            Kind.GAUGE,
            "bytes",
            List.of(),
            "The size of the commands that the log has not answered"),
    LOG_COMMIT(
            "csi4j.log.commit",
            Kind.TIMER,
            "seconds",
            List.of("result"),
            "Attempts of a log in a database to commit commands, many at a time"),
    LOG_LAG(
            "csi4j.log.lag",
            Kind.GAUGE,
            "entries",
            List.of("server"),
            "Entries of the log that the server has not applied: of this server now, of the others when they last reported"),
    LOG_SILENCE(
            "csi4j.log.silence",
            Kind.GAUGE,
            "seconds",
            List.of("server"),
            "The time since the server last reported, by the clock of the database"),
    LOG_LEASE_AGE(
            "csi4j.log.lease.age",
            Kind.GAUGE,
            "seconds",
            List.of(),
            "The elapsed time since the leader sent its last successful renewal; 0 on the other servers"),
    LOG_TERM(
            "csi4j.log.term",
            Kind.GAUGE,
            "",
            List.of(),
            "The number of the present leadership, which grows with each change of the leader"),
    LOG_ENTRIES("csi4j.log.entries", Kind.GAUGE, "entries", List.of(), "Entries that the log still has"),
    LOG_SNAPSHOT_INDEX(
            "csi4j.log.snapshot.index",
            Kind.GAUGE,
            "",
            List.of(),
            "The index of the last entry in the latest snapshot; 0 without one"),
    LOG_SNAPSHOT_AGE(
            "csi4j.log.snapshot.age",
            Kind.GAUGE,
            "seconds",
            List.of(),
            "The age of the latest snapshot; 0 without one"),
    LOG_SNAPSHOT_BYTES(
            "csi4j.log.snapshot.bytes",
            Kind.GAUGE,
            "bytes",
            List.of(),
            "The size of the latest snapshot; 0 without one"),
    LOG_TROUBLE(
            "csi4j.log.trouble",
            Kind.GAUGE,
            "",
            List.of(),
            "1 while the database of the log fails, or a log in files cannot write a snapshot; otherwise 0"),
    LOG_FAILURES(
            "csi4j.log.failures",
            Kind.COUNTER,
            "failures",
            List.of(),
            "Failures of the database of the log, or of snapshots of a log in files"),
    LEADER("csi4j.leader", Kind.GAUGE, "", List.of(), "1 on the server that leads, 0 on the others"),
    STATE_INDEX("csi4j.state.index", Kind.GAUGE, "", List.of(), "The index of the state on this server"),
    READ_FAILURES(
            "csi4j.meters.failures",
            Kind.COUNTER,
            "failures",
            List.of(),
            "Failed reads of the state for the gauges; the gauges then keep their last values"),
    NODE_EVENTS("csi4j.node.events", Kind.COUNTER, "events", List.of("event"), "Events of the volumes of a node");

    private final String meterName;
    private final Kind kind;
    private final String unit;

    @SuppressWarnings("ImmutableEnumChecker") // Always from List.of.
    private final List<String> tags;

    private final String description;

    CsiMeter(String meterName, Kind kind, String unit, List<String> tags, String description) {
        this.meterName = meterName;
        this.kind = kind;
        this.unit = unit;
        this.tags = tags;
        this.description = description;
    }

    /** The kinds of meters. */
    enum Kind {
        COUNTER,
        GAUGE,
        TIMER
    }

    String meterName() {
        return meterName;
    }

    Kind kind() {
        return kind;
    }

    String unit() {
        return unit;
    }

    List<String> tags() {
        return tags;
    }

    String description() {
        return description;
    }
}
