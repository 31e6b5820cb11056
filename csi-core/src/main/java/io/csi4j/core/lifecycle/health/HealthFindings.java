package io.csi4j.core.lifecycle.health;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.CallQuery;
import io.csi4j.core.lifecycle.FailedCall;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.PluginQuery;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the problems of a server that can be seen in its state, its waiting claims and its calls. */
final class HealthFindings {
    private static final int LISTED = 5;

    private final VolumeLifecycle lifecycle;
    private final UnfinishedReleases unfinished = new UnfinishedReleases();
    private final Duration releaseLimit;
    private final Duration claimLimit;
    private final Duration callLimit;
    private final NodeFindings nodes;

    HealthFindings(
            VolumeLifecycle lifecycle,
            Duration releaseLimit,
            Duration claimLimit,
            Duration callLimit,
            NodeFindings nodes) {
        this.lifecycle = lifecycle;
        this.releaseLimit = releaseLimit;
        this.claimLimit = claimLimit;
        this.callLimit = callLimit;
        this.nodes = nodes;
    }

    /**
     * Adds the problems to a report.
     *
     * @param now the present time; the calls and waiting claims have times of the same clock
     * @param nanos the elapsed time, by which the ages of releases are measured
     */
    CompletableFuture<HealthReport> collect(HealthReport report, Instant now, long nanos) {
        Instant elapsed = Instant.EPOCH.plusNanos(nanos);
        return lifecycle
                .operator()
                .plugins(PluginQuery.all())
                .thenCombine(lifecycle.claims().waiting(WaitingQuery.all()), (plugins, claims) -> {
                    StateReader state = lifecycle.log().state().snapshot();
                    report.index = state.index();
                    plugins(report, state, plugins.items());
                    replacedNodes(report, state);
                    lostVolumes(report, state);
                    releases(report, unfinished.update(state, elapsed), elapsed);
                    claims(report, claims.items(), now);
                    return report;
                })
                .thenCombine(lifecycle.operator().calls(CallQuery.all()), (same, calls) -> {
                    calls(report, calls.items(), now);
                    return report;
                })
                .thenCombine(lifecycle.operator().failedCalls(), (same, failed) -> {
                    secrets(report, failed);
                    return report;
                })
                .thenCombine(lifecycle.operator().nodes(NodeQuery.all()), (same, views) -> {
                    nodes.collect(report, lifecycle.log().state().snapshot(), views.items(), elapsed);
                    return report;
                });
    }

    private void plugins(HealthReport report, StateReader state, List<PluginView> plugins) {
        for (PluginView plugin : plugins) {
            String counts = "plugin " + plugin.pluginId() + " has " + plugin.healthyControllers() + " of "
                    + plugin.expected().controllers() + " controllers and " + plugin.healthyNodes() + " of "
                    + plugin.expected().nodes() + " node instances healthy";
            if (plugin.conflictCount() > 0) {
                report.add(
                        HealthProblem.Kind.PLUGIN_CONFLICT,
                        conflict(state.plugin(plugin.pluginId())),
                        "Start the right driver there, or say which name is right (csi plugin set-provider,"
                                + " operator().setProvider in Java).");
            }
            if (plugin.undeclaredControllerCount() > 0) {
                report.add(
                        HealthProblem.Kind.CONTROLLER_UNDECLARED,
                        undeclared(state, plugin.pluginId()),
                        "If the host has put it there, let the host declare its deployment"
                                + " (cluster().deploymentDeclared), or trust its node"
                                + " (VolumeLifecycleBuilder.controllers); if not, find out what the node does.");
            }
            boolean used = state.volumesOf(plugin.pluginId()).iterator().hasNext();
            if (used && !plugin.schedulable()) {
                report.add(
                        HealthProblem.Kind.PLUGIN_NOT_USABLE,
                        counts + ", so none of its volumes can be claimed",
                        "Start its instances, or read the health that each instance reports.");
            } else if (plugin.healthyControllers() < plugin.expected().controllers()
                    || plugin.healthyNodes() < plugin.expected().nodes()) {
                report.add(
                        HealthProblem.Kind.PLUGIN_INSTANCES_MISSING,
                        counts,
                        "Start the missing instances, or change what the deployment expects.");
            }
        }
    }

    private static void replacedNodes(HealthReport report, StateReader state) {
        for (Node node : state.nodes()) {
            for (NodeMachine machine : node.machines()) {
                Set<String> held = new TreeSet<>();
                if (!machine.former().isEmpty()) {
                    for (VolumeKey key : state.volumesOn(node.id(), machine.pluginId())) {
                        state.volume(key)
                                .ifPresent(volume -> volume.claims()
                                        .on(node.id())
                                        .forEach(claim -> {
                                            if (isHeld(node, volume, claim)) {
                                                held.add("volume " + key);
                                            }
                                        }));
                    }
                }
                if (!held.isEmpty()) {
                    report.add(
                            HealthProblem.Kind.NODE_REPLACED,
                            "plugin " + machine.pluginId() + " reports external id " + machine.externalNodeId()
                                    + " for node " + node.id() + ", and claims of a former one are held: "
                                    + listed(held.stream()),
                            "State for the node that the former machine is lost (FORMER_MACHINE_LOST) if it is off, or"
                                    + " that it was renamed (MACHINE_RENAMED) if only its id changed.");
                }
            }
        }
    }

    private static void lostVolumes(HealthReport report, StateReader state) {
        Set<String> lost = new TreeSet<>();
        for (VolumeKey key : state.unsettledVolumes()) {
            state.volume(key).filter(Volume::isLost).ifPresent(volume -> lost.add("volume " + key));
        }
        if (!lost.isEmpty()) {
            report.add(
                    HealthProblem.Kind.VOLUME_LOST,
                    "the state was restored, and the storage provider does not have " + lost.size()
                            + " volumes that were claimed since: " + listed(lost.stream()),
                    "Delete or forget them, and restore snapshots under the same names if their data is needed; or repair the"
                            + " provider, and recheck them.");
        }
    }

    private static boolean isHeld(Node node, Volume volume, Claim claim) {
        return !claim.nodeDetached()
                && node.isFormer(volume.pluginId(), claim.externalNodeId())
                && !node.isLost(volume.pluginId(), claim.externalNodeId());
    }

    private String undeclared(StateReader state, PluginId pluginId) {
        PluginView plugin = state.plugin(pluginId)
                .withControllers(key -> lifecycle.controllers().trusts(state, key));
        return "a controller of plugin " + pluginId + " that was not declared is reported, and is not called: "
                + listed(plugin.undeclaredControllers().stream()
                        .map(instance -> "by node " + instance.key().nodeId()));
    }

    private static String conflict(PluginView plugin) {
        return "volumes of plugin " + plugin.pluginId() + " belong to driver "
                + plugin.provider().orElse("") + ", and another driver runs under this id, which is not called: "
                + listed(plugin.conflicts().stream()
                        .map(instance -> instance.provider().orElse("") + " on node "
                                + instance.key().nodeId()));
    }

    private void releases(HealthReport report, List<Release> releases, Instant now) {
        report.releases = releases.size();
        List<Release> stuck = releases.stream()
                .filter(release -> exceeds(releaseLimit, release.since(), now))
                .toList();
        if (!stuck.isEmpty()) {
            report.add(
                    HealthProblem.Kind.RELEASE_STUCK,
                    stuck.size() + " releases take longer than " + Durations.text(releaseLimit) + ": "
                            + listed(stuck.stream()
                                    .map(release -> "volume " + release.volume() + " on node " + release.nodeId())),
                    "The status of a volume names the step that waits and its last error; an operator can detach or"
                            + " override.");
        }
    }

    private void claims(HealthReport report, List<WaitingClaim> claims, Instant now) {
        report.waitingClaims = claims.size();
        List<WaitingClaim> late = claims.stream()
                .filter(claim -> exceeds(claimLimit, claim.since(), now))
                .toList();
        if (!late.isEmpty()) {
            report.add(
                    HealthProblem.Kind.CLAIM_WAITS_LONG,
                    late.size() + " claims wait longer than " + Durations.text(claimLimit) + ": "
                            + listed(late.stream().map(claim -> "allocation " + claim.allocationId())),
                    "The list of waiting claims names the reason and the holders of each.");
        }
    }

    private void calls(HealthReport report, List<PluginCall> calls, Instant now) {
        List<PluginCall> waiting =
                calls.stream().filter(call -> !call.inFlight()).toList();
        report.waitingCalls = waiting.size();
        report.callsInFlight = calls.size() - waiting.size();
        List<PluginCall> late = waiting.stream()
                .filter(call -> exceeds(callLimit, call.since(), now))
                .toList();
        if (!late.isEmpty()) {
            report.add(
                    HealthProblem.Kind.CALL_WAITS_LONG,
                    late.size() + " calls wait for a permit longer than " + Durations.text(callLimit) + ", of "
                            + listed(late.stream().map(call -> "plugin " + call.pluginId())),
                    "The plugin answers slowly, or its limit of calls in flight is low; see the calls in flight.");
        }
        unanswered(report, calls, now);
    }

    private void unanswered(HealthReport report, List<PluginCall> calls, Instant now) {
        List<PluginCall> open = calls.stream()
                .filter(PluginCall::inFlight)
                .filter(call -> call.age(now).compareTo(callLimit) > 0)
                .toList();
        if (!open.isEmpty()) {
            report.add(
                    HealthProblem.Kind.CALL_UNANSWERED,
                    open.size() + " calls have no answer for longer than " + Durations.text(callLimit) + ": "
                            + listed(open.stream()
                                    .map(call -> call.rpc().csiName() + " of plugin " + call.pluginId()
                                            + call.nodeId()
                                                    .map(node -> " on node " + node)
                                                    .orElse(""))),
                    "Look at the plugin there, and restart it if it hangs: the calls end, and are repeated.");
        }
    }

    private static void secrets(HealthReport report, List<FailedCall> failed) {
        List<FailedCall> unsent =
                failed.stream().filter(call -> !call.failure().sent()).toList();
        if (!unsent.isEmpty()) {
            report.add(
                    HealthProblem.Kind.SECRETS_ABSENT,
                    unsent.size() + " calls were not sent, because their secrets are not available: " + calls(unsent),
                    "Store the secrets where the secrets provider of the host finds them; the calls are repeated. The"
                            + " failed calls have the cause of each.");
        }
        List<FailedCall> refused = failed.stream()
                .filter(call -> call.failure().code() == StatusCode.UNAUTHENTICATED)
                .toList();
        if (!refused.isEmpty()) {
            report.add(
                    HealthProblem.Kind.SECRETS_REFUSED,
                    refused.size() + " calls fail, because the plugin refuses their secrets: " + calls(refused),
                    "Replace the secrets that the secrets provider of the host has; the calls are repeated with them. The"
                            + " failed calls have the plugin's words.");
        }
    }

    private static String calls(List<FailedCall> failed) {
        return listed(failed.stream()
                .map(call -> call.failure().rpc().csiName() + " of plugin " + call.pluginId() + " for volume "
                        + call.volume()
                        + call.failure()
                                .nodeId()
                                .map(node -> " on node " + node)
                                .orElse("")));
    }

    static boolean exceeds(Duration limit, Instant since, Instant now) {
        return Duration.between(since, now).compareTo(limit) > 0;
    }

    static String listed(Stream<String> subjects) {
        List<String> all = subjects.distinct().toList();
        String first = all.stream().limit(LISTED).collect(Collectors.joining(", "));
        return all.size() <= LISTED ? first : first + " and " + (all.size() - LISTED) + " more";
    }
}
