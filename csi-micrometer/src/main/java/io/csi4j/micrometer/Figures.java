package io.csi4j.micrometer;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.PluginCall;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.health.Release;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The values of all gauges at one time. Written by one thread, then only read. */
final class Figures {
    /** The value of the tag {@code reason} for a claim that the engine has not tried yet. */
    static final String DECIDING = "deciding";

    private static final int PAGE = 1000;

    final Map<VolumePhase, Integer> volumes = new EnumMap<>(VolumePhase.class);
    final Map<ClaimState, Integer> claims = new EnumMap<>(ClaimState.class);
    final Map<AttachmentState, Integer> attachments = new EnumMap<>(AttachmentState.class);
    final Map<NodeStatus, Integer> nodes = new EnumMap<>(NodeStatus.class);
    final Map<NodeVolume.State, Integer> uses = new EnumMap<>(NodeVolume.State.class);
    final Map<WaitReason, Integer> waiting = new EnumMap<>(WaitReason.class);
    final Map<PluginId, PluginFigures> plugins = new TreeMap<>();
    final Map<QuotaKey, QuotaFigures> quotas = new TreeMap<>();
    int deciding;
    int unsettled;
    int retained;
    int givenUp;
    int lost;
    int releases;
    long index;
    double waitingAge;
    double releaseAge;
    int stagings;
    int failingWork;
    int brokenMounts;
    int silentNodes;
    double workAge;
    double nodeCallAge;

    /** The values that the gauges of one plugin show. */
    static final class PluginFigures {
        int healthyControllers;
        int healthyNodes;
        int expectedControllers;
        int expectedNodes;
        int inFlight;
        int waiting;
        double waitingAge;
    }

    /** A quota with its use. */
    record QuotaFigures(VolumeQuota quota, QuotaUse use) {}

    /** Counts the volumes, claims, attachments and nodes of a state. */
    void state(StateReader state) {
        index = state.index();
        Optional<VolumeKey> after = Optional.empty();
        do {
            ListPage<Volume, VolumeKey> page = state.volumes(
                    VolumeQuery.builder().after(after.orElse(null)).limit(PAGE).build());
            page.items().forEach(this::volume);
            after = page.next();
        } while (after.isPresent());
        for (VolumeKey unused : state.unsettledVolumes()) {
            unsettled++;
        }
        for (VolumeQuota quota : state.quotas()) {
            quotas.put(quota.key(), new QuotaFigures(quota, state.quotaUse(quota.key())));
        }
        for (Node node : state.nodes()) {
            nodes.merge(node.status(), 1, Integer::sum);
        }
    }

    /** Adds up the reports of the nodes. */
    void nodes(List<NodeView> views) {
        for (NodeView view : views) {
            boolean ready = view.node().status() == NodeStatus.READY;
            silentNodes += ready && view.silentFor().isPresent() ? 1 : 0;
            view.report().ifPresent(report -> report.volumes().forEach(this::onNode));
        }
    }

    private void onNode(NodeVolume volume) {
        stagings += volume.staged() ? 1 : 0;
        failingWork += volume.lastError().isEmpty() ? 0 : 1;
        brokenMounts += volume.stagingProblem().isEmpty() ? 0 : 1;
        for (NodeVolume.Use use : volume.uses()) {
            uses.merge(use.state(), 1, Integer::sum);
            brokenMounts += use.problem().isEmpty() ? 0 : 1;
        }
        workAge = Math.max(workAge, seconds(volume.unfinishedFor()));
        volume.call().ifPresent(call -> nodeCallAge = Math.max(nodeCallAge, seconds(call.age())));
    }

    private void volume(Volume volume) {
        volumes.merge(volume.phase(), 1, Integer::sum);
        retained += volume.retainedSince().isPresent() ? 1 : 0;
        givenUp += volume.formerKey().isPresent() ? 1 : 0;
        lost += volume.isLost() ? 1 : 0;
        for (Claim claim : volume.claims()) {
            claims.merge(claim.state(), 1, Integer::sum);
        }
        for (Attachment attachment : volume.attachments()) {
            attachments.merge(attachment.state(), 1, Integer::sum);
        }
    }

    void releases(List<Release> unfinished, Instant now) {
        releases = unfinished.size();
        releaseAge = unfinished.isEmpty()
                ? 0
                : seconds(Duration.between(unfinished.get(0).since(), now));
    }

    void claims(List<WaitingClaim> claims, Instant now) {
        for (WaitingClaim claim : claims) {
            claim.reason().ifPresentOrElse(wait -> waiting.merge(wait.reason(), 1, Integer::sum), () -> deciding++);
            waitingAge = Math.max(waitingAge, seconds(claim.age(now)));
        }
    }

    void plugins(List<PluginView> views) {
        for (PluginView view : views) {
            PluginFigures plugin = new PluginFigures();
            plugin.healthyControllers = view.healthyControllers();
            plugin.healthyNodes = view.healthyNodes();
            plugin.expectedControllers = view.expected().controllers();
            plugin.expectedNodes = view.expected().nodes();
            plugins.put(view.pluginId(), plugin);
        }
    }

    /** Counts the calls that are in flight or waiting, for each plugin that is registered in the state. */
    void calls(List<PluginCall> calls, Instant now) {
        for (PluginCall call : calls) {
            PluginFigures plugin = plugins.get(call.pluginId());
            if (plugin != null && call.inFlight()) {
                plugin.inFlight++;
            } else if (plugin != null) {
                plugin.waiting++;
                plugin.waitingAge = Math.max(plugin.waitingAge, seconds(call.age(now)));
            }
        }
    }

    private static double seconds(Duration age) {
        return Math.max(0, age.toMillis() / 1000.0);
    }
}
