package io.csi4j.simulation.internal.world;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AccessRules;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A backup of the state, and what the restored state cannot know: the mounts and attachments that were made after the
 * backup. They are the only ones that may be without a claim or a row, and only until the state has them or they end.
 * Nothing may be detached or granted against them meanwhile.
 */
public final class SimBackup {
    /** A mount on a machine. */
    private record MountOn(ExternalNodeId machine, SimNode.Mount mount, Optional<ExternalVolumeId> id) {
        static MountOn of(SimWorld world, SimNode node, SimNode.Mount mount) {
            return new MountOn(node.externalId, mount, Optional.ofNullable(world.idOn(node, mount.volume())));
        }
    }

    private final SimWorld world;
    private byte @Nullable [] bytes;
    private int commands;
    private int restores;
    private final Set<MountOn> mounts = new LinkedHashSet<>();
    /** The external ids of volumes and of the machines to which they are attached. */
    private final Set<Map.Entry<String, ExternalNodeId>> attachments = new LinkedHashSet<>();

    private final Set<Map.Entry<String, NodeId>> formerAttachments = new HashSet<>();
    /** The requests of all mounts that workloads have sent to a machine. */
    private Function<SimNode, Map<SimNode.Mount, ClaimRequest>> sent = node -> Map.of();

    private BiPredicate<SimNode, VolumeKey> mayMount = (node, volume) -> false;

    SimBackup(SimWorld world) {
        this.world = world;
    }

    /**
     * Sets how the uses of a machine are found.
     *
     * @param sentMounts the requests of all mounts that workloads have sent to a machine
     * @param mayBeMounted whether the agent of a machine may still make such a mount of a volume
     */
    public void onUses(
            Function<SimNode, Map<SimNode.Mount, ClaimRequest>> sentMounts,
            BiPredicate<SimNode, VolumeKey> mayBeMounted) {
        sent = sentMounts;
        mayMount = mayBeMounted;
    }

    /** Takes the backup. */
    public void take() {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            world.store().encode(out);
            bytes = out.toByteArray();
            commands = world.applied().size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Counts the restores: a command that was submitted before one is never applied after it. */
    public int restores() {
        return restores;
    }

    /** Replaces the state by the backup. */
    void restore() {
        try {
            world.store().restore(new ByteArrayInputStream(Objects.requireNonNull(bytes, "no backup")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        world.applied().subList(commands, world.applied().size()).clear();
        restores++;
        StateReader state = world.store().snapshot();
        List<MountOn> used = new ArrayList<>();
        for (SimNode node : world.machines()) {
            sent.apply(node).keySet().stream()
                    .filter(mount -> uses(node, mount))
                    .forEach(mount -> used.add(MountOn.of(world, node, mount)));
        }
        world.mapRestored(state);
        used.stream().filter(on -> !isClaimed(state, on)).forEach(mounts::add);
        world.provider()
                .attachments()
                .forEach((volume, nodes) -> nodes.keySet().stream()
                        .map(ExternalNodeId::of)
                        .filter(node -> !isRecorded(state, volume, node) || !isSame(state, volume, node))
                        .forEach(node -> {
                            attachments.add(Map.entry(volume, node));
                            formerAttachments.add(Map.entry(volume, SimWorld.nodeId(node)));
                        }));
    }

    /** Removes what the state has by now, and what has ended. */
    public void afterStep(StateReader state) {
        if (mounts.isEmpty() && attachments.isEmpty()) {
            return;
        }
        mounts.removeIf(on -> {
            SimNode node = world.machine(on.machine);
            return node == null || !uses(node, on.mount) || isClaimed(state, on);
        });
        attachments.removeIf(one -> !world.provider().isAttached(ExternalVolumeId.of(one.getKey()), one.getValue())
                || (isRecorded(state, one.getKey(), one.getValue()) && isSame(state, one.getKey(), one.getValue())));
    }

    private boolean uses(SimNode node, SimNode.Mount mount) {
        return node.mounts().contains(mount) || (node.powered() && mayMount.test(node, mount.volume()));
    }

    /** Whether a machine has a volume staged or mounted, or its agent may still mount it. */
    boolean mayBeUsed(VolumeKey volume) {
        return world.machines().stream()
                .anyMatch(node -> node.isStaged(volume)
                        || node.mounts().stream()
                                .anyMatch(mount -> mount.volume().equals(volume))
                        || sent.apply(node).keySet().stream()
                                .anyMatch(mount -> mount.volume().equals(volume) && uses(node, mount)));
    }

    /** Whether this mount was made after the backup, and the state does not have it yet. */
    public boolean isUnknown(SimNode node, SimNode.Mount mount) {
        return mounts.contains(MountOn.of(world, node, mount));
    }

    /** Whether this attachment was made after the backup, and the state does not have it, or has another one there. */
    public boolean isUnknown(String volume, ExternalNodeId node) {
        return attachments.contains(Map.entry(volume, node));
    }

    /** Whether the restored state once lacked an attachment of the volume to the node. */
    public boolean wasUnknown(VolumeKey volume, NodeId nodeId) {
        ExternalVolumeId id = world.externalId(volume);
        return id != null && wasUnknown(id, nodeId);
    }

    /** Whether the restored state once lacked an attachment of the volume to the node. */
    public boolean wasUnknown(ExternalVolumeId volume, NodeId nodeId) {
        return formerAttachments.contains(Map.entry(volume.value(), nodeId));
    }

    private boolean isClaimed(StateReader state, MountOn on) {
        return on.id.flatMap(id -> world.volume(state, id))
                .flatMap(volume -> volume.claims().get(on.mount.allocationId()))
                .filter(claim -> claim.nodeId().equals(SimWorld.nodeId(on.machine))
                        && claim.externalNodeId().equals(Optional.of(on.machine))
                        && !claim.nodeDetached())
                .isPresent();
    }

    /** Whether the provider has the attachment as the state has it. */
    private boolean isSame(StateReader state, String volume, ExternalNodeId node) {
        return world.volume(state, ExternalVolumeId.of(volume))
                .flatMap(row -> row.attachments().on(SimWorld.nodeId(node)))
                .map(SimProvider.Use::of)
                .equals(world.provider().use(ExternalVolumeId.of(volume), node));
    }

    private boolean isRecorded(StateReader state, String volume, ExternalNodeId node) {
        return world.volume(state, ExternalVolumeId.of(volume))
                .flatMap(row -> row.attachments().on(SimWorld.nodeId(node)))
                .filter(row -> row.externalNodeId().equals(Optional.of(node)))
                .isPresent();
    }

    /** Checks that a new claim is compatible with each mount that the state does not have, and each adopted claim. */
    void accepted(Command command, StateReader before, StateReader after) {
        if (restores == 0 || !(command instanceof ClaimCommand.TakeClaims take)) {
            return;
        }
        for (ClaimRequest request : take.requests()) {
            Optional<Volume> volume = before.volume(request.volume());
            Optional<Claim> taken =
                    after.volume(request.volume()).flatMap(now -> now.claims().get(take.allocationId()));
            boolean isNew = volume.filter(
                            known -> known.claims().get(take.allocationId()).isEmpty())
                    .isPresent();
            if (isNew && taken.isPresent()) {
                check(volume.get(), taken.get());
            }
        }
    }

    private void check(Volume volume, Claim taken) {
        for (Claim claim : volume.claims()) {
            if (claim.adopted()
                    && !AccessRules.satisfied(Claims.empty().with(claim).with(taken))) {
                world.reportViolation("I1: " + taken.allocationId() + " is granted " + volume.key()
                        + " against the adopted claim of " + claim.allocationId());
            }
        }
        for (MountOn on : mounts) {
            SimNode node = world.machine(on.machine);
            if (node == null
                    || !on.id.equals(Optional.of(volume.remoteId()))
                    || !(node.mounts().contains(on.mount) || node.runs(on.mount.allocationId()))
                    || on.mount.allocationId().equals(taken.allocationId())) {
                continue;
            }
            Optional.ofNullable(sent.apply(node).get(on.mount))
                    .map(request -> Claim.builder(
                                    on.mount.allocationId(), node.id, request.mode(), request.capability())
                            .build())
                    .filter(used ->
                            !AccessRules.satisfied(Claims.empty().with(used).with(taken)))
                    .ifPresent(used -> world.reportViolation("I1: " + taken.allocationId() + " is granted "
                            + volume.key() + " against the mount of " + used.allocationId() + " on " + on.machine
                            + ", which the restored state does not have"));
        }
    }

    /** Detaches at the provider what the state does not have; the machine is off or gone. */
    public void detachUnknown(SimNode machine) {
        attachments.removeIf(one -> {
            boolean found = one.getValue().equals(machine.externalId);
            if (found) {
                world.provider().detach(ExternalVolumeId.of(one.getKey()), machine.externalId);
            }
            return found;
        });
    }
}
