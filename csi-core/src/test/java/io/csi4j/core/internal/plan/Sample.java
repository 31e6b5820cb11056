package io.csi4j.core.internal.plan;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The pieces of which all states of a volume are put together. */
final class Sample {
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant LATER = NOW.plusSeconds(30);
    static final Duration GRACE = Duration.ofMinutes(5);
    static final NodeId N1 = NodeId.of("n1");
    static final NodeId N2 = NodeId.of("n2");
    static final PluginId PLUGIN = PluginId.of("p");
    static final VolumeKey KEY = VolumeKey.of("default", "v");

    private static final RequestedCapability CAPABILITY =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final OperatorOverride WORD = new OperatorOverride("op", "seen", NOW);
    private static final Retry RETRY = Retry.of(1, "failed", LATER);

    private Sample() {}

    static Claim claim(String allocation, NodeId node, ClaimState state, boolean overridden, boolean retried) {
        return Claim.builder(AllocationId.of(allocation), node, ClaimMode.WRITE, CAPABILITY)
                .externalNodeId(ExternalNodeId.of("ext-" + node))
                .state(state)
                .operatorOverride(overridden ? WORD : null)
                .retry(retried ? RETRY : Retry.none())
                .build();
    }

    static Claim taken(String allocation, NodeId node) {
        return claim(allocation, node, ClaimState.TAKEN, false, false);
    }

    private static Retry refused() {
        return Retry.of(1, "refused", null);
    }

    /** Every wish to grow there can be as far as one claim of allocation a goes, and none. */
    static List<Optional<Expansion>> expansions() {
        CapacityRange range = CapacityRange.atLeast(200);
        SortedMap<AllocationId, Expansion.OnNode> none = Collections.emptySortedMap();
        List<Optional<Expansion>> all = new ArrayList<>();
        all.add(Optional.empty());
        for (Retry retry : List.of(Retry.none(), RETRY, refused())) {
            all.add(Optional.of(new Expansion(range, Expansion.Stage.CONTROLLER, retry, none)));
            all.add(Optional.of(onNode(range, new Expansion.OnNode(0, false, 0, retry))));
        }
        all.add(Optional.of(Expansion.to(range).grown()));
        all.add(Optional.of(onNode(range, new Expansion.OnNode(0, true, 200, Retry.none()))));
        // Of a claim that the allocation had before.
        all.add(Optional.of(onNode(range, new Expansion.OnNode(7, true, 200, Retry.none()))));
        return all;
    }

    private static Expansion onNode(CapacityRange range, Expansion.OnNode step) {
        SortedMap<AllocationId, Expansion.OnNode> nodes = new TreeMap<>();
        nodes.put(AllocationId.of("a"), step);
        return new Expansion(range, Expansion.Stage.NODES, Retry.none(), nodes);
    }

    /** Every wish to change parameters there can be, and none. */
    static List<Optional<Modification>> modifications() {
        List<Optional<Modification>> all = new ArrayList<>();
        all.add(Optional.empty());
        for (Retry retry : List.of(Retry.none(), RETRY, refused())) {
            all.add(Optional.of(
                    Modification.restore(Map.of("tier", new Modification.RequestedChange("gold", 5, 5)), 5, retry)));
        }
        return all;
    }

    static Attachment attachment(NodeId node, AttachmentState state, boolean overridden, boolean retried, boolean id) {
        return Attachment.builder(node, CAPABILITY)
                .externalNodeId(id ? ExternalNodeId.of("ext-" + node) : null)
                .state(state)
                .operatorOverride(overridden ? WORD : null)
                .retry(retried ? RETRY : Retry.none())
                .build();
    }

    /** Every claim there can be, and none; a time for the next attempt matters to one step only. */
    static List<Optional<Claim>> claims(String allocation, NodeId node, boolean withRetries) {
        List<Optional<Claim>> all = new ArrayList<>();
        all.add(Optional.empty());
        for (ClaimState state : ClaimState.values()) {
            for (boolean overridden : new boolean[] {false, true}) {
                all.add(Optional.of(claim(allocation, node, state, overridden, false)));
                if (withRetries && state == ClaimState.UNPUBLISHING) {
                    all.add(Optional.of(claim(allocation, node, state, overridden, true)));
                }
            }
        }
        return all;
    }

    /** Every attachment there can be, and none. */
    static List<Optional<Attachment>> attachments(NodeId node, boolean withRetries) {
        List<Optional<Attachment>> all = new ArrayList<>();
        all.add(Optional.empty());
        for (AttachmentState state : AttachmentState.values()) {
            for (boolean overridden : new boolean[] {false, true}) {
                all.add(Optional.of(attachment(node, state, overridden, false, true)));
                if (withRetries && !overridden) {
                    all.add(Optional.of(attachment(node, state, overridden, true, true)));
                    all.add(Optional.of(attachment(node, state, overridden, false, false)));
                }
            }
        }
        return all;
    }

    static Volume volume(
            VolumePhase phase,
            FencingPolicy policy,
            List<Optional<Claim>> claims,
            List<Optional<Attachment>> attached) {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(CAPABILITY))
                .fencingPolicy(policy)
                .build();
        return Volume.builder(KEY, spec, 1, NOW)
                .origin(VolumeOrigin.CREATED)
                .phase(phase)
                .claims(Claims.of(claims.stream().flatMap(Optional::stream).toList()))
                .attachments(Attachments.of(
                        attached.stream().flatMap(Optional::stream).toList()))
                .build();
    }

    /** The leader has seen each node in its status since the time that the node has in the state. */
    static Function<Node, Duration> since(Instant now) {
        return node -> Duration.between(node.since(), now);
    }

    static Node node(NodeId id, NodeStatus status, Instant since) {
        return new Node(id, status, since, "", 1);
    }

    /** Returns the node with another machine behind it than that of all claims and attachments. */
    private static Node replaced(Node node, boolean formerLost) {
        return node.with(
                new NodeMachine(
                        PLUGIN,
                        ExternalNodeId.of("ext-new"),
                        false,
                        List.of(new NodeMachine.Former(ExternalNodeId.of("ext-" + node.id()), formerLost)),
                        Optional.empty()),
                1);
    }

    /**
     * The facts about a node that matter to a release: its status, and the reason of a wait.
     *
     * @param formerLost whether the machine of the claims is lost; empty if it is still behind the node
     */
    record Situation(
            String name,
            Optional<NodeStatus> status,
            Instant since,
            FencingPolicy policy,
            boolean asked,
            Optional<Boolean> formerLost) {
        Situation(String name, Optional<NodeStatus> status, Instant since, FencingPolicy policy, boolean asked) {
            this(name, status, since, policy, asked, Optional.empty());
        }

        Optional<Node> node(NodeId id) {
            return status.map(s -> Sample.node(id, s, since))
                    .map(node -> formerLost.map(lost -> replaced(node, lost)).orElse(node));
        }
    }

    static List<Situation> situations() {
        FencingPolicy wait = FencingPolicy.waitForConfirmation();
        FencingPolicy grace = FencingPolicy.afterGrace(GRACE);
        FencingPolicy fence = FencingPolicy.onFence();
        Instant old = NOW.minus(GRACE);
        List<Situation> all = new ArrayList<>();
        all.add(new Situation("unknown", Optional.empty(), NOW, wait, false));
        all.add(new Situation("READY", Optional.of(NodeStatus.READY), NOW, wait, false));
        for (NodeStatus status : List.of(NodeStatus.DISCONNECTED, NodeStatus.DOWN)) {
            Optional<NodeStatus> is = Optional.of(status);
            all.add(new Situation(status + ", policy wait", is, old, wait, false));
            all.add(new Situation(status + ", within the grace", is, old.plusNanos(1), grace, false));
            all.add(new Situation(status + ", grace over", is, old, grace, false));
            all.add(new Situation(status + ", policy on fence", is, old, fence, false));
            all.add(new Situation(status + ", fence requested", is, old, fence, true));
        }
        all.add(new Situation("FENCED", Optional.of(NodeStatus.FENCED), NOW, wait, false));
        all.add(new Situation("GONE", Optional.of(NodeStatus.GONE), NOW, wait, false));
        for (boolean lost : new boolean[] {false, true}) {
            String machine = lost ? ", former machine lost" : ", machine replaced";
            Optional<Boolean> former = Optional.of(lost);
            all.add(new Situation("READY" + machine, Optional.of(NodeStatus.READY), NOW, wait, false, former));
            all.add(new Situation(
                    "DOWN, grace over" + machine, Optional.of(NodeStatus.DOWN), old, grace, false, former));
            all.add(new Situation(
                    "DOWN, policy on fence" + machine, Optional.of(NodeStatus.DOWN), old, fence, false, former));
            all.add(new Situation("FENCED" + machine, Optional.of(NodeStatus.FENCED), NOW, wait, false, former));
        }
        return all;
    }
}
