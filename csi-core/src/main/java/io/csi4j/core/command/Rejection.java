package io.csi4j.core.command;

import io.csi4j.core.call.Problem;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Sizes;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** The reason why a command was rejected. Its message is for an operator and contains nothing confidential. */
public sealed interface Rejection {
    /**
     * The command breaks a rule of CSI.
     *
     * @param subject the rejected thing, for example "volume default/data"
     * @param problems all violations that were found
     */
    record InvalidRequest(String subject, List<Problem> problems) implements Rejection {
        public InvalidRequest {
            subject = Text.repaired(Objects.requireNonNull(subject, "subject"));
            problems = List.copyOf(problems);
        }

        @Override
        public String message() {
            return subject + " was refused: " + joined(problems);
        }
    }

    /** The volume is not registered. */
    record VolumeNotFound(VolumeKey key) implements Rejection {
        public VolumeNotFound {
            Objects.requireNonNull(key, "key");
        }

        @Override
        public String message() {
            return "volume " + key + " is not registered; check namespace and id, or register it first";
        }
    }

    /**
     * The state does not have the snapshot, or not in the phase of the call.
     */
    record SnapshotNotFound(SnapshotKey key) implements Rejection {
        public SnapshotNotFound {
            Objects.requireNonNull(key, "key");
        }

        @Override
        public String message() {
            return "snapshot " + key + " is not in the state; check namespace and name";
        }
    }

    /**
     * The volume has claims, or is or may be attached to a node.
     *
     * @param holders the claims of the volume
     * @param attachedOn the nodes where the volume is, or may be, attached
     */
    record VolumeInUse(VolumeKey key, List<Holder> holders, List<NodeId> attachedOn) implements Rejection {
        public VolumeInUse {
            Objects.requireNonNull(key, "key");
            holders = List.copyOf(holders);
            attachedOn = List.copyOf(attachedOn);
        }

        @Override
        public String message() {
            return "volume " + key + " is in use"
                    + (holders.isEmpty() ? "" : " by " + Holder.list(holders))
                    + (attachedOn.isEmpty() ? "" : ", attached on " + attachedOn)
                    + "; " + remedy();
        }

        private String remedy() {
            List<String> using = holders.stream()
                    .filter(holder -> holder.state() == ClaimState.TAKEN)
                    .map(holder -> holder.allocationId().value())
                    .toList();
            if (using.size() == 1) {
                return "end allocation " + using.get(0) + ", which releases its claims, then wait for the detach";
            } else if (using.isEmpty() && !(holders.isEmpty() && attachedOn.isEmpty())) {
                return "wait for the detach: no allocation has the volume any more";
            }
            return "end its allocations, which releases their claims, then wait for the detach";
        }
    }

    /**
     * The new declaration changes fields that cannot change now.
     *
     * @param problems every such field, with the remedy
     */
    record ConflictingFields(VolumeKey key, List<Problem> problems) implements Rejection {
        public ConflictingFields {
            Objects.requireNonNull(key, "key");
            problems = List.copyOf(problems);
        }

        @Override
        public String message() {
            return "volume " + key + " cannot be changed like this: " + joined(problems);
        }
    }

    /**
     * The storage provider's volume is already registered under another key.
     *
     * @param externalVolumeId the storage provider's id of the volume
     * @param holder the key under which the provider's volume is registered
     */
    record ExternalIdTaken(VolumeKey key, PluginId pluginId, ExternalVolumeId externalVolumeId, VolumeKey holder)
            implements Rejection {
        public ExternalIdTaken {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(externalVolumeId, "externalVolumeId");
            Objects.requireNonNull(holder, "holder");
        }

        @Override
        public String message() {
            return "volume " + key + ": the volume " + externalVolumeId + " of plugin " + pluginId
                    + " is registered as " + holder + " already; use that one, or deregister it first";
        }
    }

    /**
     * The volume's last change has another index than the command expects, so the command is based on an old version of
     * the volume.
     *
     * @param expectedIndex the index that the command expects
     * @param modifyIndex the index of the volume's last change
     */
    record VolumeChanged(VolumeKey key, long expectedIndex, long modifyIndex) implements Rejection {
        public VolumeChanged {
            Objects.requireNonNull(key, "key");
        }

        @Override
        public String message() {
            return "volume " + key + " was changed at index " + modifyIndex + ", not " + expectedIndex
                    + "; read it again and repeat";
        }
    }

    /**
     * The phase of the volume does not allow the command.
     *
     * @param phase the present phase
     * @param wanted the phase that the command sets or needs
     */
    record WrongPhase(VolumeKey key, VolumePhase phase, VolumePhase wanted) implements Rejection {
        public WrongPhase {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(wanted, "wanted");
        }

        @Override
        public String message() {
            String prefix = "volume " + key + " is " + phase;
            if (wanted != VolumePhase.AVAILABLE) {
                return prefix + " and cannot become " + wanted;
            }
            return switch (phase) {
                case CREATING -> prefix + ", not AVAILABLE; wait until the provider has made it, or delete it";
                case DELETING -> prefix + ", not AVAILABLE; wait until it is deleted, or withdraw its deletion";
                case AVAILABLE -> prefix + " already";
            };
        }
    }

    /** The provider may have created the volume, but its external id is not known yet. */
    record CreationUnfinished(VolumeKey key) implements Rejection {
        public CreationUnfinished {
            Objects.requireNonNull(key, "key");
        }

        @Override
        public String message() {
            return "volume " + key
                    + " is being created, and the provider may have it already; finish or delete it first, or let an"
                    + " operator forget it and check for a leaked volume at the provider";
        }
    }

    /** The volume is being deleted: the storage provider may have deleted it, or may still have it. */
    record DeletionUnfinished(VolumeKey key) implements Rejection {
        public DeletionUnfinished {
            Objects.requireNonNull(key, "key");
        }

        @Override
        public String message() {
            return "volume " + key + " is being deleted, and the provider may have it still; wait for the deletion,"
                    + " withdraw it, or let an operator forget it and check for the volume at the provider";
        }
    }

    /**
     * The claim has to wait, or can never be granted.
     *
     * @param decision the decision with the reason: a {@code Wait} or a {@code Never}
     */
    record NotAdmitted(VolumeKey key, AllocationId allocationId, AdmissionDecision decision) implements Rejection {
        public NotAdmitted {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(decision, "decision");
        }

        @Override
        public String message() {
            return "allocation " + allocationId + " cannot claim volume " + key + ": " + detail();
        }

        private String detail() {
            if (decision instanceof AdmissionDecision.Wait wait) {
                return wait.detail() + (wait.holders().isEmpty() ? "" : "; held by " + Holder.list(wait.holders()));
            }
            return decision instanceof AdmissionDecision.Never never ? never.detail() : decision.toString();
        }
    }

    /** The allocation is not known. */
    record AllocationNotFound(AllocationId allocationId) implements Rejection {
        public AllocationNotFound {
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public String message() {
            return "allocation " + allocationId + " is not known; report it as placed or started before it claims";
        }
    }

    /** The allocation has ended. It cannot run again. */
    record AllocationEnded(AllocationId allocationId) implements Rejection {
        public AllocationEnded {
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public String message() {
            return "allocation " + allocationId + " has ended; place a new one";
        }
    }

    /**
     * The command gives an allocation another namespace or node, although both never change.
     *
     * @param nodeId the node of the allocation
     * @param otherNode the node in the command
     */
    record AllocationMoved(AllocationId allocationId, NodeId nodeId, NodeId otherNode) implements Rejection {
        public AllocationMoved {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(otherNode, "otherNode");
        }

        @Override
        public String message() {
            return "allocation " + allocationId + " is on node " + nodeId
                    + ", which never changes, as its namespace; it cannot be placed on " + otherNode
                    + "; place a new one";
        }
    }

    /** The allocation has no claim on the volume. */
    record ClaimNotFound(VolumeKey key, AllocationId allocationId) implements Rejection {
        public ClaimNotFound {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
        }

        @Override
        public String message() {
            return "allocation " + allocationId + " has no claim on volume " + key
                    + "; check both ids, the status of the volume lists its claims";
        }
    }

    /**
     * The command skips a state of the claim; a claim moves forward one state at a time.
     *
     * @param state the present state
     * @param wanted the state that the command sets
     */
    record ClaimStateSkipped(VolumeKey key, AllocationId allocationId, ClaimState state, ClaimState wanted)
            implements Rejection {
        public ClaimStateSkipped {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(wanted, "wanted");
        }

        @Override
        public String message() {
            return "the claim of allocation " + allocationId + " on volume " + key + " is " + state
                    + " and cannot become " + wanted + " before the states between";
        }
    }

    /** The last claim on a node cannot be freed while the volume is still attached there. */
    record ClaimStillAttached(VolumeKey key, AllocationId allocationId, Attachment attachment) implements Rejection {
        public ClaimStillAttached {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(attachment, "attachment");
        }

        @Override
        public String message() {
            return "the claim of allocation " + allocationId + " on volume " + key
                    + " cannot be freed until the volume is detached from node " + attachment.nodeId()
                    + ", where it is " + attachment.state();
        }
    }

    /** The volume has no attachment on the node. */
    record AttachmentNotFound(VolumeKey key, NodeId nodeId) implements Rejection {
        public AttachmentNotFound {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public String message() {
            return "volume " + key + " has no attachment on node " + nodeId
                    + "; check both ids, the status of the volume lists its attachments";
        }
    }

    /**
     * The volume cannot be detached, because claims may still use it on the node.
     *
     * @param holders the claims that are not detached from the node
     */
    record AttachmentInUse(VolumeKey key, NodeId nodeId, List<Holder> holders) implements Rejection {
        public AttachmentInUse {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            holders = List.copyOf(holders);
        }

        @Override
        public String message() {
            return "volume " + key + " cannot be detached from node " + nodeId + " while it is used"
                    + (holders.isEmpty() ? " there" : " by " + Holder.list(holders))
                    + "; let the node unpublish it, fence the node, or override the detachment";
        }
    }

    /**
     * The state of the attachment does not allow the command.
     *
     * @param state the present state
     * @param needed the state that the command needs
     */
    record WrongAttachmentState(VolumeKey key, NodeId nodeId, AttachmentState state, AttachmentState needed)
            implements Rejection {
        public WrongAttachmentState {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(needed, "needed");
        }

        @Override
        public String message() {
            return "the attachment of volume " + key + " on node " + nodeId + " is " + state + ", not " + needed;
        }
    }

    /**
     * The plugin returned another publish context for a published volume, although the context must not change (R63).
     */
    record PublishContextChanged(VolumeKey key, NodeId nodeId) implements Rejection {
        public PublishContextChanged {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public String message() {
            return "volume " + key + " on node " + nodeId
                    + " is published with another publish context already; detach it there and" + " claim it again";
        }
    }

    /**
     * The fingerprint of a node is older than a fingerprint of that node that was applied before.
     *
     * @param order the number of the rejected fingerprint
     * @param newest the number of the newest applied fingerprint; the node must give its next fingerprint a greater
     *     number
     */
    record FingerprintOutdated(NodeId nodeId, long order, long newest) implements Rejection {
        public FingerprintOutdated {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public String message() {
            return "fingerprint " + order + " of node " + nodeId + " is older than fingerprint " + newest
                    + ", which is known already; send the present instances with a higher number";
        }
    }

    /** The command creates the first access token, and the state has one already. */
    record AccessTokensExist() implements Rejection {
        @Override
        public String message() {
            return "there are access tokens already, so no first one is created; use one of them, or revoke all";
        }
    }

    /**
     * The last change of a volume class has another index than the command expects, so the command is based on an old
     * version of the class.
     *
     * @param expectedIndex the index that the command expects
     * @param modifyIndex the index of the last change of the class; 0 if there is no class of this name
     */
    record VolumeClassChanged(VolumeClassName name, long expectedIndex, long modifyIndex) implements Rejection {
        public VolumeClassChanged {
            Objects.requireNonNull(name, "name");
        }

        @Override
        public String message() {
            return "volume class " + name
                    + (modifyIndex == 0 ? " does not exist" : " was changed at index " + modifyIndex)
                    + ", and the request expects index " + expectedIndex + "; read the class again and repeat";
        }
    }

    /**
     * The last change of a quota has another index than the command expects, so the command is based on old limits.
     *
     * @param expectedIndex the index that the command expects
     * @param modifyIndex the index of the last change of the quota; 0 if there is no quota with this key
     */
    record QuotaChanged(QuotaKey key, long expectedIndex, long modifyIndex) implements Rejection {
        public QuotaChanged {
            Objects.requireNonNull(key, "key");
        }

        @Override
        public String message() {
            return "the " + key
                    + (modifyIndex == 0 ? " does not exist" : " was changed at index " + modifyIndex)
                    + ", and the request expects index " + expectedIndex + "; read the quota again and repeat";
        }
    }

    /**
     * The profile of the plugin was changed since it was read, or it was added or removed.
     *
     * @param expectedIndex the index that the command expects
     * @param modifyIndex the index of the last change of the profile; 0 if the plugin has no profile
     */
    record PluginProfileChanged(PluginId pluginId, long expectedIndex, long modifyIndex) implements Rejection {
        public PluginProfileChanged {
            Objects.requireNonNull(pluginId, "pluginId");
        }

        @Override
        public String message() {
            return "the profile of plugin " + pluginId
                    + (modifyIndex == 0 ? " does not exist" : " was changed at index " + modifyIndex)
                    + ", and the request expects index " + expectedIndex + "; read the profile again and repeat";
        }
    }

    /**
     * The request would lift the use of a quota over its limit.
     *
     * @param key the volume of the request
     * @param excesses all limits that the request exceeds, at least one
     */
    record QuotaExceeded(VolumeKey key, List<Excess> excesses) implements Rejection {
        public QuotaExceeded {
            Objects.requireNonNull(key, "key");
            excesses = List.copyOf(excesses);
        }

        /**
         * A limit of a quota that is exceeded.
         *
         * @param quota the quota
         * @param unit the unit of the numbers
         * @param limit the limit
         * @param used the present use; {@link Long#MAX_VALUE} if it is greater than that
         * @param asked the use that is added, above 0
         */
        public record Excess(QuotaKey quota, Unit unit, long limit, long used, long asked) {
            public Excess {
                Objects.requireNonNull(quota, "quota");
                Objects.requireNonNull(unit, "unit");
            }

            /** The units of limits. */
            public enum Unit {
                /** A number of volumes. */
                VOLUMES,
                /** A number of bytes. */
                BYTES
            }

            /** Returns the numbers as a text for operators. */
            @Override
            public String toString() {
                boolean counts = unit == Unit.VOLUMES;
                return "the " + quota + " permits " + (counts ? limit + " volumes" : Sizes.text(limit)) + ", of which "
                        + (counts ? used : Sizes.text(used)) + " are used, and "
                        + (counts ? asked : Sizes.text(asked)) + " more are asked for";
            }
        }

        @Override
        public String message() {
            return "volume " + key + " would exceed its quota: "
                    + excesses.stream().map(Excess::toString).collect(Collectors.joining("; "))
                    + "; ask for less, delete volumes, or let an operator raise the limit";
        }
    }

    /** The node is not known. */
    record NodeNotFound(NodeId nodeId) implements Rejection {
        public NodeNotFound {
            Objects.requireNonNull(nodeId, "nodeId");
        }

        @Override
        public String message() {
            return "node " + nodeId + " is not known; the host has to report it first";
        }
    }

    /**
     * The node is fenced or gone.
     *
     * @param status FENCED or GONE
     */
    record NodeLost(NodeId nodeId, NodeStatus status) implements Rejection {
        public NodeLost {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(status, "status");
        }

        @Override
        public String message() {
            return "node " + nodeId + " is " + status + "; set its status to READY first";
        }
    }

    /**
     * The plugin identifies the node by another external id than the command says.
     *
     * @param expected the external id in the command
     * @param present the external id that the plugin reported last; empty if it has reported none
     */
    record NodeMachineChanged(
            NodeId nodeId, PluginId pluginId, ExternalNodeId expected, Optional<ExternalNodeId> present)
            implements Rejection {
        public NodeMachineChanged {
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(expected, "expected");
            Objects.requireNonNull(present, "present");
        }

        @Override
        public String message() {
            return "plugin " + pluginId + " reports "
                    + present.map(id -> "external id " + id).orElse("no external id") + " for node " + nodeId
                    + ", not " + expected + "; read the preview again and repeat the statement";
        }
    }

    /**
     * The plugin cannot be removed, because it has instances, deployments or volumes.
     *
     * @param instances all instances of the plugin, healthy or not
     * @param deployments the deployments that are meant to run the plugin
     * @param volume one volume of the plugin; empty if there is none
     */
    record PluginInUse(
            PluginId pluginId, List<InstanceKey> instances, List<DeploymentId> deployments, Optional<VolumeKey> volume)
            implements Rejection {
        public PluginInUse {
            Objects.requireNonNull(pluginId, "pluginId");
            instances = List.copyOf(instances);
            deployments = List.copyOf(deployments);
            Objects.requireNonNull(volume, "volume");
        }

        @Override
        public String message() {
            return "plugin " + pluginId + " is in use: "
                    + instances.size() + " instances, deployments " + deployments
                    + volume.map(key -> ", volume " + key).orElse("")
                    + "; stop the instances or report their nodes gone, remove the deployments and deregister the"
                    + " volumes first";
        }
    }

    /**
     * A command of a batch was rejected, so the whole batch was rejected.
     *
     * @param position the position of that command in the batch, from 0
     * @param cause the reason for its rejection
     */
    record InBatch(int position, Rejection cause) implements Rejection {
        /** @throws IllegalArgumentException if the cause is itself an {@code InBatch} */
        public InBatch {
            if (Objects.requireNonNull(cause, "cause") instanceof InBatch) {
                throw new IllegalArgumentException("InBatch: the cause is in a batch, too; batches contain no batch");
            }
        }

        @Override
        public String message() {
            return "command " + position + " of the batch: " + cause.message();
        }
    }

    /** Returns a sentence for an operator that names the rejected thing, its id, the reason and the remedy. */
    String message();

    private static String joined(List<Problem> problems) {
        return problems.stream().map(Problem::toString).collect(Collectors.joining("; "));
    }
}
