package io.csi4j.node.internal.mount;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.HadSecrets;
import io.csi4j.node.internal.ledger.MachineIds;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.Renewal;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

/**
 * Changes the record of a volume according to a request to mount or unmount it. The record is the desired state, and
 * the worker then makes the calls to reach that state. The methods read the mount table, and store the ids by which plugins know this
 * machine.
 *
 * <p>Requests for another machine are refused. A server that has not noticed yet that a machine was replaced sends its
 * requests to the new one, which has the same node id. Its answer that nothing is mounted would free volumes that the
 * former machine may still write to.
 */
public final class DesiredState {
    private final MountInspector inspector;
    private final NodePaths paths;
    private final NodePlugins plugins;
    private final MachineIds machineIds;

    public DesiredState(MountInspector inspector, NodePaths paths, NodePlugins plugins, MachineIds machineIds) {
        this.inspector = inspector;
        this.paths = paths;
        this.plugins = plugins;
        this.machineIds = machineIds;
    }

    /**
     * Stores the id by which a plugin knows this machine, if the plugin is there and says it.
     *
     * @throws IOException if the id is new and could not be stored
     */
    public Optional<ExternalNodeId> learnMachine(PluginId pluginId) throws IOException {
        Optional<ExternalNodeId> present = plugins.find(pluginId).flatMap(NodePlugin::externalNodeId);
        if (present.isPresent()) {
            machineIds.learn(pluginId, present.get());
        }
        return present;
    }

    /**
     * Returns the volume's record with the use that a mount request asks for. While its plugin is not there, the request
     * waits for it, so its machine is not checked.
     *
     * @throws NodeVolumeException with OTHER_MACHINE if the request is for another machine; with UNSUPPORTED if the volume
     *     context contradicts the information about the workload; with CONFLICT if the volume
     *     is used on this node with other ids, or the allocation uses it with other parameters
     */
    public VolumeEntry mount(VolumeEntry entry, NodeMount request) throws IOException {
        Optional<ExternalNodeId> present = learnMachine(request.pluginId());
        Optional<ExternalNodeId> expected = request.externalNodeId();
        if (expected.isPresent() && present.isPresent() && !present.equals(expected)) {
            throw otherMachine(request.id(), expected.get(), present.get());
        }
        refuseContradictedInfo(request);
        VolumeEntry next = identified(entry, request);
        UseId id = useOf(entry, request);
        Optional<UseEntry> known = entry.use(id);
        HadSecrets secrets = HadSecrets.of(request.secrets());
        if (known.isEmpty()) {
            refuseOtherStaging(entry, request);
            refuseSecondTarget(entry, request);
            return next.with(UseEntry.wanted(id, MountTerms.of(request))
                    .with(secrets)
                    .with(Renewal.of(request.republish()))
                    .withMayRun(entry.rebuilt()));
        }
        UseEntry use = known.get();
        if (!use.phase().living()) {
            // Removes the old mount before the new one is made, because their options may differ.
            return next.with(new UseEntry(id, MountTerms.of(request), UsePhase.RESETTING, use.bootId(), false)
                    .with(secrets)
                    .with(Renewal.of(request.republish())));
        }
        if (!use.terms().sameOptions(MountTerms.of(request))) {
            throw new NodeVolumeException(
                    Reason.CONFLICT,
                    "Allocation " + request.allocationId() + " has volume " + entry.key()
                            + " mounted in another way (access, mount options or readonly); unmount it first");
        }
        if (use.renewal().changed() && !inspector.otherBoot(use.bootId())) {
            throw changedMount(entry.key(), id);
        }
        boolean nothingSent = use.phase() == UsePhase.WANTED || inspector.otherBoot(use.bootId());
        UseEntry again = use.with(use.secrets().or(secrets)).with(use.renewal().with(request.republish()));
        return next.with(
                nothingSent
                        ? again.with(MountTerms.of(request))
                        : again.with(again.terms().on(request.externalNodeId())));
    }

    /** Returns the failure of a mount request for a target whose mount the plugin has changed. */
    public static NodeVolumeException changedMount(VolumeKey volume, UseId use) {
        return new NodeVolumeException(
                Reason.MOUNT_CHANGED,
                "The plugin has changed or removed the mount of volume " + volume + " for allocation "
                        + use.allocationId() + " when NodePublishVolume was repeated, so the target is given to no new"
                        + " process; end the workload, unmount the volume and mount it again");
    }

    /**
     * Returns the use that a mount request asks for. If its number is a proposal, this is the use of an equal mount of
     * the allocation. Otherwise a request with one more mount, with one fewer, or in another order would conflict with
     * mounts in use. A number that another mount of the allocation has is replaced with the first free one.
     */
    public static UseId useOf(VolumeEntry entry, NodeMount request) {
        UseId proposed = new UseId(request.allocationId(), request.number());
        if (!request.numberProposed()) {
            return proposed;
        }
        MountTerms terms = MountTerms.of(request);
        List<UseEntry> living = entry.usesOf(request.allocationId()).stream()
                .filter(use -> use.phase().living())
                .toList();
        List<UseId> equal = living.stream()
                .filter(use -> use.terms().sameOptions(terms))
                .map(UseEntry::id)
                .toList();
        if (!equal.isEmpty()) {
            return equal.contains(proposed) ? proposed : equal.get(0);
        }
        // A mount with other options of the staging is not of the same claim, so it stays a conflict.
        if (living.stream()
                .noneMatch(use -> use.id().equals(proposed) && use.terms().stagedAs(terms))) {
            return proposed;
        }
        int free = 0;
        while (entry.use(new UseId(request.allocationId(), free)).isPresent()) {
            free++;
        }
        return new UseId(request.allocationId(), free);
    }

    /**
     * Rejects a request whose options differ from the options of the staging in use (R85). The check comes before the
     * request changes a record or causes a call.
     */
    private static void refuseOtherStaging(VolumeEntry entry, NodeMount request) {
        Optional<UseEntry> holder = MountPlan.stagingHolder(entry);
        if (holder.isPresent() && !MountTerms.of(request).stagedAs(holder.get().terms())) {
            throw conflict(
                    entry.key(),
                    new MountAction.Refuse(
                            new UseId(request.allocationId(), request.number()),
                            holder.get().allocationId(),
                            !MountTerms.of(request).sameLabel(holder.get().terms())));
        }
    }

    /** Rejects a mount whose volume context has keys about the workload with other values: neither silently wins. */
    private static void refuseContradictedInfo(NodeMount request) {
        SortedSet<String> keys = MountTerms.of(request).contradictedKeys();
        if (!keys.isEmpty()) {
            throw new NodeVolumeException(
                    Reason.UNSUPPORTED,
                    "Volume " + request.volume()
                            + " cannot be mounted as asked, nothing was sent: the profile of plugin "
                            + request.pluginId() + " has workloadInfo, and the volume context has "
                            + String.join(", ", keys) + " with other values than those of the allocation; remove"
                            + " workloadInfo from the profile, or find out why the volume has the keys");
        }
    }

    /** Rejects a further mount of an allocation if the access mode allows one target path on a node (R89). */
    private static void refuseSecondTarget(VolumeEntry entry, NodeMount request) {
        VolumeAccessMode mode = request.capability().accessMode();
        if (mode.onePath() && !entry.usesOf(request.allocationId()).isEmpty()) {
            throw new NodeVolumeException(
                    Reason.CONFLICT,
                    "Volume " + entry.key() + " has a target for allocation " + request.allocationId()
                            + ", and access mode " + mode + " allows one target path on a node (R89); mount that path"
                            + " read-only for tasks that read, or use SINGLE_NODE_MULTI_WRITER or a MULTI_NODE mode");
        }
    }

    private static VolumeEntry identified(VolumeEntry entry, NodeMount request) {
        NodeVolumeId id = entry.id();
        if (request.id().equals(id)) {
            return entry;
        }
        if (id != null && !entry.hasNothing()) {
            throw new NodeVolumeException(
                    Reason.CONFLICT,
                    "Volume " + entry.key() + " is on this node as " + id.externalVolumeId() + " of plugin "
                            + id.pluginId() + ", and was asked for as " + request.externalVolumeId() + " of "
                            + request.pluginId() + "; unmount it everywhere here first");
        }
        return entry.identifiedAs(request.id());
    }

    /**
     * Returns the record to which an unmount request applies. If targets of the allocation are mounted but the record has
     * no use for them, adds uses that are ending. Otherwise the uses stay as they are, and {@link VolumeEntry#leave} ends
     * those of the allocation.
     *
     * @throws NodeVolumeException with OTHER_MACHINE if the request is for another machine, or if the record has no such
     *     use and nothing says that this is the machine
     */
    public VolumeEntry unmount(VolumeEntry entry, NodeUnmount request) throws IOException {
        boolean recorded = !entry.usesOf(request.allocationId()).isEmpty();
        checkUnmountedHere(request.id(), request.externalNodeId(), recorded);
        if (recorded && !entry.rebuilt()) {
            return entry;
        }
        MountFacts facts = inspector.facts(entry, Set.of(), Set.of(), inspector.table());
        boolean nothing = entry.hasNothing()
                && facts.orphanedTargets().isEmpty()
                && facts.orphanedStagings().isEmpty();
        if (nothing) {
            return entry;
        }
        VolumeEntry next = entry.id() == null ? entry.identifiedAs(request.id()) : entry;
        for (UseId use : usesAt(facts.orphanedTargets(), entry, request.allocationId())) {
            next = next.with(new UseEntry(use, MountTerms.UNKNOWN, UsePhase.LEAVING, inspector.bootId(), false));
        }
        return next;
    }

    /** Returns the uses of an allocation that have one of the targets. */
    private List<UseId> usesAt(Collection<Path> targets, VolumeEntry entry, AllocationId allocation) {
        return targets.stream()
                .flatMap(target -> paths.use(entry.key(), allocation, target).stream())
                .toList();
    }

    /**
     * Returns the record with an operator's order to unmount a target without the plugin.
     *
     * @throws NodeVolumeException with CONFLICT if the allocation uses the volume or may have it mounted, and no
     *     unmount was requested before
     */
    public VolumeEntry unmountDirectly(VolumeEntry entry, NodeUnmount request, UnmountOrder order) {
        AllocationId allocation = request.allocationId();
        if (isUsedBy(entry, allocation)) {
            throw notLeaving(request, "uses it");
        }
        List<UseEntry> uses = entry.usesOf(allocation);
        if (!uses.isEmpty()) {
            VolumeEntry next = entry;
            for (UseEntry use : uses) {
                next = next.with(use.with(order));
            }
            return next;
        }
        Optional<MountPoints> table = inspector.table();
        Set<Path> mounted = MountInspector.mounted(paths.targets(entry.key()), table);
        if (table.isEmpty() || !usesAt(mounted, entry, allocation).isEmpty()) {
            throw notLeaving(request, "may have it mounted at " + paths.target(entry.key(), UseId.first(allocation)));
        }
        return entry;
    }

    /**
     * Returns the record with an operator's order to finish the unmount of the volume without its plugin.
     *
     * @throws NodeVolumeException with CONFLICT if the allocation uses the volume, or something that is being unmounted
     *     is or may be mounted
     */
    public VolumeEntry forgetUnmount(VolumeEntry entry, AllocationId allocation, UnmountOrder order) {
        if (isUsedBy(entry, allocation)) {
            throw notForgotten(
                    entry,
                    "allocation " + allocation + " uses it, and is not being unmounted; end the workload and call"
                            + " unmount first");
        }
        Optional<MountPoints> table = inspector.table();
        if (table.isEmpty()) {
            throw notForgotten(
                    entry, "the mount table cannot be read, so the volume may be mounted; make the table readable");
        }
        boolean othersUse = !entry.living().isEmpty();
        List<Path> ending = othersUse
                ? entry.uses().stream()
                        .filter(use -> use.phase() == UsePhase.LEAVING)
                        .map(use -> paths.target(entry.key(), use.id()))
                        .toList()
                : List.of(paths.targets(entry.key()), paths.stagings(entry.key()));
        for (Path path : ending) {
            List<Path> mounted = table.get().within(path);
            if (!mounted.isEmpty()) {
                throw notForgotten(
                        entry,
                        "it is still mounted at " + mounted.get(0) + "; find out who uses it there, and unmount it by"
                                + " hand first");
            }
        }
        // Nothing is mounted, so the mounts of unknown owners that a lost record stands for are gone, too.
        VolumeEntry known = entry.rebuilt() && !othersUse ? entry.complete() : entry;
        return known.isUnmounting() ? known.ordered(order) : known;
    }

    /** Returns whether the record has a use of an allocation that is not being unmounted. */
    private static boolean isUsedBy(VolumeEntry entry, AllocationId allocation) {
        return entry.usesOf(allocation).stream().anyMatch(use -> use.phase() != UsePhase.LEAVING);
    }

    /**
     * Checks that a request to unmount is for this machine.
     *
     * @param recorded whether the ledger has the use of the volume, so that this machine must have made it
     * @throws NodeVolumeException with OTHER_MACHINE if it is for another one, or if nothing says that it is not
     */
    private void checkUnmountedHere(NodeVolumeId id, Optional<ExternalNodeId> expected, boolean recorded)
            throws IOException {
        Optional<ExternalNodeId> present = learnMachine(id.pluginId());
        if (expected.isEmpty() || present.equals(expected)) {
            return;
        }
        if (present.isPresent()) {
            throw otherMachine(id, expected.get(), present.get());
        }
        if (!recorded && !machineIds.had(id.pluginId(), expected.get())) {
            throw new NodeVolumeException(
                    Reason.OTHER_MACHINE,
                    "Volume " + id.volume() + " is to be unmounted on the machine " + expected.get()
                            + ", and plugin " + id.pluginId() + " has never said that this machine has that id: start"
                            + " the plugin here, or, if that machine is gone, state for the node that it is lost");
        }
    }

    private static NodeVolumeException otherMachine(NodeVolumeId id, ExternalNodeId expected, ExternalNodeId present) {
        return new NodeVolumeException(
                Reason.OTHER_MACHINE,
                "Volume " + id.volume() + " is claimed on the machine " + expected + ", and plugin " + id.pluginId()
                        + " says that this machine is " + present
                        + ": state for the node that the former machine is lost, or that it was renamed");
    }

    private static NodeVolumeException notForgotten(VolumeEntry entry, String why) {
        return new NodeVolumeException(
                Reason.CONFLICT, "The unmount of volume " + entry.key() + " cannot be forgotten: " + why);
    }

    private static NodeVolumeException notLeaving(NodeUnmount request, String what) {
        return new NodeVolumeException(
                Reason.CONFLICT,
                "Volume " + request.id().volume() + " cannot be unmounted directly: allocation "
                        + request.allocationId() + " " + what + ", and is not being unmounted; end the workload and"
                        + " call unmount first");
    }

    public static NodeVolumeException conflict(VolumeKey key, MountAction.Refuse refuse) {
        if (refuse.otherLabel()) {
            // The other use is not named, because its label says to whom it belongs.
            return new NodeVolumeException(
                    Reason.CONFLICT,
                    "Volume " + key + " cannot be mounted for allocation "
                            + refuse.use().allocationId()
                            + ": it is used here with another security label, or with a label"
                            + " while the request has none, or with none, and a volume has one label on a node; wait until"
                            + " it is unmounted, or use another node");
        }
        return new NodeVolumeException(
                Reason.CONFLICT,
                "Volume " + key + " cannot be mounted for allocation "
                        + refuse.use().allocationId() + " beside allocation "
                        + refuse.holder() + ", which uses it here with another access mode, access type or mount"
                        + " options; give both the same, or wait until " + refuse.holder() + " has unmounted it");
    }
}
