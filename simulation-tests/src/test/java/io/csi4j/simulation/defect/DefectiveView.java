package io.csi4j.simulation.defect;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Plants defects in the state that the engine reads. */
final class DefectiveView {
    private static final Duration SHORT = Duration.ofSeconds(10);

    private final PlantedDefect defect;

    DefectiveView(PlantedDefect defect) {
        this.defect = defect;
    }

    private boolean is(PlantedDefect other) {
        return defect == other;
    }

    ObservableState of(ObservableState state) {
        return Proxies.of(ObservableState.class, (proxy, method, arguments) -> {
            if (is(PlantedDefect.WAKE_UP_IS_LOST)
                    && method.getName().equals("subscribe")
                    && isNarrow((StateScope) arguments[0])) {
                return (Subscription) () -> {};
            }
            if (is(PlantedDefect.CHANGE_WAKES_NO_WORKER) && method.getName().equals("subscribeUnsettled")) {
                return state.subscribeUnsettled((long) arguments[0], losesChanges((VolumeListener) arguments[1]));
            }
            Object answer = Proxies.invoke(state, method, arguments);
            return answer instanceof StateReader reader ? alter(reader) : answer;
        });
    }

    /** Loses each third change of a volume. */
    private static VolumeListener losesChanges(VolumeListener listener) {
        AtomicInteger changes = new AtomicInteger();
        return new VolumeListener() {
            @Override
            public void changed(VolumeKey key, long index) {
                if (changes.incrementAndGet() % 3 != 0) {
                    listener.changed(key, index);
                }
            }

            @Override
            public void anyChanged(long index) {
                listener.anyChanged(index);
            }
        };
    }

    /** Whether the subscription belongs to a waiting claim. */
    private static boolean isNarrow(StateScope scope) {
        return !scope.text().isEmpty();
    }

    @SuppressWarnings("unchecked")
    private StateReader alter(StateReader state) {
        return Proxies.of(StateReader.class, (proxy, method, arguments) -> {
            Object answer = Proxies.invoke(state, method, arguments);
            if (is(PlantedDefect.NEW_LEADER_FINDS_NO_WORK)) {
                return switch (method.getName()) {
                    case "unsettledVolumes", "volumesOf" -> List.of();
                    case "volumes" -> new ListPage<>(List.of(), Optional.empty());
                    default -> answer;
                };
            }
            if (is(PlantedDefect.CONTROLLER_RETURN_WAKES_NO_VOLUME)
                    && method.getName().equals("volumesOf")) {
                return List.of();
            }
            if (is(PlantedDefect.STORED_REQUEST_IS_NOT_READ)
                    && method.getName().equals("requestedClaims")
                    && arguments == null) {
                return List.of();
            }
            if (is(PlantedDefect.UNPROVED_INSTANCE_IS_CALLED)
                    && method.getName().equals("instancesOf")) {
                return withUnproved(state, (Iterable<PluginInstance>) answer, arguments);
            }
            if (is(PlantedDefect.USE_WITHOUT_CLAIM_IS_IGNORED)
                    && method.getName().equals("unsettledNodes")) {
                List<Node> nodes = new ArrayList<>();
                ((Iterable<Node>) answer).forEach(node -> nodes.add(alter(node)));
                return nodes;
            }
            return switch (method.getName()) {
                case "volume" -> ((Optional<Volume>) answer).map(this::alter);
                case "node" -> ((Optional<Node>) answer).map(this::alter);
                default -> answer;
            };
        });
    }

    /** Adds the instances of a plugin, or of one type of its instances, that have not answered yet. */
    private static List<PluginInstance> withUnproved(
            StateReader state, Iterable<PluginInstance> proved, Object[] arguments) {
        List<PluginInstance> all = new ArrayList<>();
        proved.forEach(all::add);
        for (PluginInstance instance : state.unprovedOf((PluginId) arguments[0])) {
            if (arguments.length == 1 || instance.key().type() == arguments[1]) {
                all.add(instance.toBuilder().health(true, "").build());
            }
        }
        return all;
    }

    private Node alter(Node node) {
        if (is(PlantedDefect.USE_WITHOUT_CLAIM_IS_IGNORED)) {
            return node.withLedger(new NodeLedger(node.ledger().missingSince(), List.of()), node.modifyIndex());
        }
        if (is(PlantedDefect.REPLACED_MACHINE_IS_NOT_NOTICED)) {
            return new Node(
                    node.id(),
                    node.status(),
                    node.since(),
                    node.reason(),
                    node.modifyIndex(),
                    node.fingerprint(),
                    List.of(),
                    node.ledger());
        }
        return is(PlantedDefect.DOWN_NODE_COUNTS_AS_FENCED) && node.status() == NodeStatus.DOWN
                ? new Node(
                        node.id(),
                        NodeStatus.FENCED,
                        node.since(),
                        node.reason(),
                        node.modifyIndex(),
                        node.fingerprint(),
                        node.machines(),
                        node.ledger())
                : node;
    }

    private Volume alter(Volume volume) {
        if (defect.ofTemplates()) {
            return TemplateDefects.alter(defect, volume);
        }
        Attachments attachments = volume.attachments();
        Claims claims = alter(volume.claims());
        for (Attachment attachment : volume.attachments()) {
            boolean published = attachment.state() == AttachmentState.PUBLISHED;
            boolean idle = claims.on(attachment.nodeId()).notNodeDetached() == 0;
            boolean countsAsDetached =
                    is(PlantedDefect.NODE_COUNTS_AS_DETACHED_AFTER_FIRST_CLAIM) && !claims.equals(volume.claims());
            if ((is(PlantedDefect.UNPUBLISH_WITHOUT_INTENT) || countsAsDetached) && published && idle) {
                attachments = attachments.with(attachment.toBuilder()
                        .state(AttachmentState.UNPUBLISHING)
                        .build());
            }
            if (is(PlantedDefect.GRANTED_BEFORE_PUBLISHED) && attachment.state() == AttachmentState.PUBLISHING) {
                attachments = attachments.with(
                        attachment.toBuilder().state(AttachmentState.PUBLISHED).build());
            }
        }
        Volume.Builder altered = volume.toBuilder().claims(claims).attachments(attachments);
        if (is(PlantedDefect.GRACE_PERIOD_IS_CUT_SHORT)
                && volume.spec()
                        .declaredFencingPolicy()
                        .filter(FencingPolicy.AfterGrace.class::isInstance)
                        .isPresent()) {
            altered.spec(volume.spec().toBuilder()
                    .fencingPolicy(FencingPolicy.afterGrace(SHORT))
                    .build());
        }
        return altered.build();
    }

    private Claims alter(Claims claims) {
        Claims altered = claims;
        for (Claim claim : claims) {
            Claims onNode = claims.on(claim.nodeId());
            if (is(PlantedDefect.NODE_COUNTS_AS_DETACHED_AFTER_FIRST_CLAIM)
                    && !claim.nodeDetached()
                    && onNode.notNodeDetached() < onNode.size()) {
                altered = altered.without(claim.allocationId());
            }
            if (is(PlantedDefect.OVERRIDE_APPLIES_TO_ALL_CLAIMS)
                    && claim.operatorOverride().isEmpty()) {
                for (Claim other : onNode) {
                    if (other.operatorOverride().isPresent()) {
                        altered = altered.with(claim.toBuilder()
                                .operatorOverride(other.operatorOverride().get())
                                .build());
                    }
                }
            }
        }
        return altered;
    }
}
