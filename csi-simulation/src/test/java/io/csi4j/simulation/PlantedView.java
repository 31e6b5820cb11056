package io.csi4j.simulation;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;

/** Defects in what the engine sees of the state. */
final class PlantedView {
    private final Mutation mutation;

    PlantedView(Mutation mutation) {
        this.mutation = mutation;
    }

    private boolean is(Mutation other) {
        return mutation == other;
    }

    ObservableState of(ObservableState state) {
        return Proxies.of(ObservableState.class, (proxy, method, arguments) -> {
            if (is(Mutation.WAKE_UP_IS_LOST)
                    && method.getName().equals("subscribe")
                    && forOne((StateScope) arguments[0])) {
                return (Subscription) () -> {};
            }
            Object answer = Proxies.invoke(state, method, arguments);
            return answer instanceof StateReader reader ? seen(reader) : answer;
        });
    }

    /** What waiting claims watch, and nobody else. */
    private static boolean forOne(StateScope scope) {
        return !scope.text().isEmpty();
    }

    @SuppressWarnings("unchecked")
    private StateReader seen(StateReader state) {
        return Proxies.of(StateReader.class, (proxy, method, arguments) -> {
            Object answer = Proxies.invoke(state, method, arguments);
            if (is(Mutation.NOTHING_IS_FOUND_AT_START)) {
                return switch (method.getName()) {
                    case "unsettledVolumes", "volumesOf" -> List.of();
                    case "volumes" -> new VolumePage(List.of(), Optional.empty());
                    default -> answer;
                };
            }
            if (is(Mutation.CONTROLLER_BACK_WAKES_NOBODY) && method.getName().equals("volumesOf")) {
                return List.of();
            }
            return switch (method.getName()) {
                case "volume" -> ((Optional<Volume>) answer).map(this::seen);
                case "node" -> ((Optional<Node>) answer).map(this::seen);
                default -> answer;
            };
        });
    }

    private Node seen(Node node) {
        return is(Mutation.DOWN_IS_LOST) && node.status() == NodeStatus.DOWN
                ? new Node(
                        node.id(),
                        NodeStatus.FENCED,
                        node.since(),
                        node.reason(),
                        node.modifyIndex(),
                        node.fingerprint())
                : node;
    }

    private Volume seen(Volume volume) {
        Attachments attachments = volume.attachments();
        Claims claims = seen(volume.claims());
        for (Attachment attachment : volume.attachments()) {
            boolean published = attachment.state() == AttachmentState.PUBLISHED;
            boolean idle = claims.on(attachment.nodeId()).notNodeDetached() == 0;
            boolean left = is(Mutation.CLAIMS_COUNT_AND_NOT_NODES) && !claims.equals(volume.claims());
            if ((is(Mutation.UNPUBLISH_WITHOUT_INTENT) || left) && published && idle) {
                attachments = attachments.with(attachment.toBuilder()
                        .state(AttachmentState.UNPUBLISHING)
                        .build());
            }
            if (is(Mutation.GRANTED_BEFORE_PUBLISHED) && attachment.state() == AttachmentState.PUBLISHING) {
                attachments = attachments.with(
                        attachment.toBuilder().state(AttachmentState.PUBLISHED).build());
            }
        }
        return volume.toBuilder().claims(claims).attachments(attachments).build();
    }

    private Claims seen(Claims claims) {
        Claims seen = claims;
        for (Claim claim : claims) {
            Claims here = claims.on(claim.nodeId());
            if (is(Mutation.CLAIMS_COUNT_AND_NOT_NODES)
                    && !claim.nodeDetached()
                    && here.notNodeDetached() < here.size()) {
                seen = seen.without(claim.allocationId());
            }
            if (is(Mutation.OVERRIDE_COUNTS_FOR_ALL) && claim.operatorOverride().isEmpty()) {
                for (Claim other : here) {
                    if (other.operatorOverride().isPresent()) {
                        seen = seen.with(claim.toBuilder()
                                .operatorOverride(other.operatorOverride().get())
                                .build());
                    }
                }
            }
        }
        return seen;
    }
}
