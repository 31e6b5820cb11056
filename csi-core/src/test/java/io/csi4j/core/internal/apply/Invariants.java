package io.csi4j.core.internal.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.AccessRules;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.RowType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.EndedOwner;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Checks rules that hold in every state, and rules that hold between two successive states. */
public final class Invariants {
    private Invariants() {}

    public static void check(StateReader state) {
        Set<Map.Entry<PluginId, ExternalVolumeId>> externalIds = new HashSet<>();
        Set<Map.Entry<PluginId, String>> names = new HashSet<>();
        for (Volume volume : state.volumes(VolumeQuery.all()).items()) {
            madeForClaims(state, volume);
            assertThat(volume.origin() != VolumeOrigin.CREATED
                            || names.add(Map.entry(volume.pluginId(), volume.name())))
                    .as("I23: %s has a name of its own", volume)
                    .isTrue();
            Claims granted = volume.claims();
            for (Claim claim : volume.claims()) {
                // A mount that a node reports counts, whatever the state would have granted.
                granted = claim.adopted() ? granted.without(claim.allocationId()) : granted;
            }
            assertThat(AccessRules.satisfied(granted))
                    .as(
                            "claims of %s respect the access mode: %s",
                            volume.key(), volume.claims().holders())
                    .isTrue();
            volume.externalVolumeId()
                    .ifPresent(id -> assertThat(externalIds.add(Map.entry(volume.pluginId(), id)))
                            .as("external id %s of plugin %s is registered once", id, volume.pluginId())
                            .isTrue());
            for (Attachment attachment : volume.attachments()) {
                if (volume.claims().on(attachment.nodeId()).isEmpty()) {
                    assertThat(attachment.state())
                            .as("%s without claims is being detached", attachment)
                            .isEqualTo(AttachmentState.UNPUBLISHING);
                }
            }
            for (Claim claim : volume.claims()) {
                if (claim.state() == ClaimState.TAKEN
                        && !(claim.adopted()
                                && state.allocation(claim.allocationId()).isEmpty())) {
                    assertThat(state.allocation(claim.allocationId()).filter(a -> !a.ended()))
                            .as("%s belongs to a running allocation", claim)
                            .isPresent();
                }
            }
        }
        for (RequestedClaims requested : state.requestedClaims()) {
            assertThat(state.allocation(requested.allocationId()).filter(a -> !a.ended()))
                    .as("%s belongs to a running allocation", requested)
                    .isPresent();
        }
        for (Node node : state.nodes()) {
            if (node.status() == NodeStatus.GONE && node.ledger().isSettled()) {
                assertThat(state.volumesOn(node.id())).as("%s", node).isNotEmpty();
            }
        }
        for (PluginFacts facts : state.facts()) {
            assertThat(!state.plugin(facts.pluginId()).isEmpty()
                            || state.volumesOf(facts.pluginId()).iterator().hasNext())
                    .as("an instance or volume refers to %s", facts)
                    .isTrue();
        }
        for (Allocation allocation : state.allocations()) {
            if (!allocation.ended()) {
                assertThat(state.node(allocation.nodeId()).map(Node::status).filter(NodeStatus::lost))
                        .as("%s runs on a node that is not lost", allocation)
                        .isEmpty();
            }
        }
    }

    private static void madeForClaims(StateReader state, Volume volume) {
        assertThat(volume.firstClaim().isPresent() && volume.inUse())
                .as("%s is made for a claim or used", volume)
                .isFalse();
        if (volume.formerKey().isPresent()) {
            assertThat(volume.phase()).as("%s is given up", volume).isEqualTo(VolumePhase.DELETING);
            assertThat(volume.firstClaim().isEmpty() && volume.owner().isEmpty())
                    .as("%s belongs to no claim", volume)
                    .isTrue();
        }
        volume.owner().flatMap(VolumeOwner::ofAllocation).ifPresent(owner -> {
            for (Claim claim : volume.claims()) {
                assertThat(claim.adopted() || claim.allocationId().equals(owner))
                        .as("%s is one of the owner of %s", claim, volume.key())
                        .isTrue();
            }
            boolean running = state.allocation(owner)
                    .filter(allocation -> !allocation.ended())
                    .isPresent();
            assertThat(running || !volume.claims().isEmpty() || volume.phase() == VolumePhase.DELETING)
                    .as("I19: %s is deleted, because its owner has ended", volume)
                    .isTrue();
        });
        volume.owner().flatMap(VolumeOwner::ofWorkload).ifPresent(owner -> {
            assertThat(owner.endedAt().isEmpty()
                            || state.row(
                                            RowType.ENDED_OWNERS,
                                            new EndedOwner.Key(
                                                    volume.key().namespace(),
                                                    owner.workload().name()))
                                    .filter(ended -> ended.workload().incarnation()
                                            >= owner.workload().incarnation())
                                    .isPresent())
                    .as("the workload of %s has ended", volume)
                    .isTrue();
            assertThat(owner.endedAt().isEmpty()
                            || volume.retainedSince().isPresent()
                            || !volume.claims().isEmpty()
                            || volume.phase() != VolumePhase.AVAILABLE)
                    .as("I19: %s is deleted or retained, because its workload has ended", volume)
                    .isTrue();
        });
    }

    public static void check(StateReader before, StateReader after) {
        for (Volume was : before.volumes(VolumeQuery.all()).items()) {
            after.volume(was.key()).ifPresent(is -> {
                if (was.createIndex() == is.createIndex()) {
                    assertThat(is.owner().flatMap(VolumeOwner::ofAllocation))
                            .as("the owner of %s", is)
                            .isEqualTo(was.owner().flatMap(VolumeOwner::ofAllocation));
                    assertThat(is.formerKey()).as("the former key of %s", is).isEqualTo(was.formerKey());
                    assertThat(is.extraMetadata())
                            .as("the extra metadata of %s", is)
                            .isEqualTo(was.extraMetadata());
                }
                claims(after, was, is);
                attachments(before, was, is);
            });
        }
    }

    /** An external id changes only if an operator has said that the plugin renamed the node. */
    private static boolean isPresentMachine(StateReader state, Volume volume, Claim claim) {
        return state.node(claim.nodeId())
                .flatMap(node -> node.machine(volume.pluginId()))
                .map(NodeMachine::externalNodeId)
                .equals(claim.externalNodeId());
    }

    private static void claims(StateReader after, Volume was, Volume is) {
        for (Claim claim : was.claims()) {
            Optional<Claim> now = is.claims().get(claim.allocationId());
            if (now.isPresent()) {
                // A node that still has the use is asked again.
                boolean again = now.get().state() == ClaimState.UNPUBLISHING
                        && claim.operatorOverride().isEmpty();
                assertThat(again || now.get().state().atLeast(claim.state()))
                        .as("the claim state only advances: %s", claim)
                        .isTrue();
                assertThat(now.get().nodeId()).isEqualTo(claim.nodeId());
                assertThat(now.get().externalNodeId().equals(claim.externalNodeId())
                                || isPresentMachine(after, is, now.get()))
                        .as("%s became %s", claim, now)
                        .isTrue();
                assertThat(now.get().mode()).isEqualTo(claim.mode());
                assertThat(now.get().capability()).isEqualTo(claim.capability());
                if (!claim.adopted()) {
                    assertThat(now.get().mountOptions()).isEqualTo(claim.mountOptions());
                }
                assertThat(now.get().createIndex()).isEqualTo(claim.createIndex());
            } else {
                assertThat(claim.state() == ClaimState.READY_TO_FREE
                                || claim.operatorOverride().isPresent())
                        .as("%s was freed in the right state", claim)
                        .isTrue();
            }
        }
    }

    private static void attachments(StateReader before, Volume was, Volume is) {
        for (Attachment attachment : was.attachments()) {
            NodeId node = attachment.nodeId();
            Optional<Attachment> now = is.attachments().on(node);
            // The release is checked when the intent to detach is written; the removal only records a completed
            // detach.
            boolean leaves = now.isPresent()
                    && now.get().state() == AttachmentState.UNPUBLISHING
                    && attachment.state() != AttachmentState.UNPUBLISHING;
            if (leaves) {
                boolean lost = before.node(node)
                        .filter(known -> known.isLost(was.pluginId(), attachment.externalNodeId()))
                        .isPresent();
                assertThat(lost || was.claims().on(node).notNodeDetached() == 0)
                        .as(
                                "no detach from %s of %s before its claims are unmounted: %s",
                                node, was.key(), was.claims().holders())
                        .isTrue();
            }
            if (now.isEmpty()) {
                assertThat(attachment.state()).isEqualTo(AttachmentState.UNPUBLISHING);
            }
        }
    }
}
