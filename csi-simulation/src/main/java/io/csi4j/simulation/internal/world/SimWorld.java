package io.csi4j.simulation.internal.world;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import io.csi4j.simulation.LogUnderTest.RunningLog;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.time.SimScheduler;
import io.csi4j.simulation.internal.time.SimTrace;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The whole simulated world: the time, the state, the provider and the machines; it keeps the first violation. */
public final class SimWorld implements AutoCloseable {
    private static final String NODE_PREFIX = "ext-";
    private static final String VOLUME_PREFIX = "vol-";
    private static final int MAX_VIOLATIONS = 20;

    private final SimCoverage coverage = new SimCoverage();
    private final AllowedViolations allowedViolations = new AllowedViolations();
    private final ChangeChecks changes = new ChangeChecks(this);
    private final ClaimOrderCheck order = new ClaimOrderCheck(this);
    private final SimClocks clocks;
    private final GraceCheck grace = new GraceCheck(this);
    private final ProvedInstances provedInstances = new ProvedInstances(this);
    private final SimBackup backup = new SimBackup(this);
    private final SimLostVolumes lost = new SimLostVolumes(this);
    private final SimOrphans orphans = new SimOrphans(this);
    private final LeaderCheck leaders = new LeaderCheck(this);
    private final SimTraits traits;
    private final SimCapacity capacity;
    private final SimTopology topology;
    private final SimDrift drift;
    private final SimNamedRequests namedRequests = new SimNamedRequests(this);
    private final SimMadeVolumes made;
    private final SimProviderSnapshots providerSnapshots;
    private final SimScheduler scheduler;
    private final Faults faults;
    private final SimTrace trace;
    private final SimProvider provider = new SimProvider();
    private final SimFiles files = new SimFiles();
    private final Map<NodeId, SimNode> nodes = new LinkedHashMap<>();
    /** All machines by their ids at the provider, also those that were replaced. */
    private final Map<ExternalNodeId, SimNode> machines = new LinkedHashMap<>();

    private final Map<String, VolumeKey> volumes = new LinkedHashMap<>();
    private final Map<VolumeKey, ExternalVolumeId> externalIds = new LinkedHashMap<>();
    /** The processes whose state is another one than the newest. */
    private final Map<SimProcess, ObservableState> states = new HashMap<>();

    private final List<Applied> applied = new ArrayList<>();
    private final StateStore store;
    private final List<String> violations = new ArrayList<>();
    private @Nullable RunningLog logUnderTest;
    private long calls;
    private int delayedCommands;
    private Consumer<SimNode> fencer = node -> {};

    /**
     * Creates a world.
     *
     * @param clockRandom the random numbers of the clocks alone, so that the clocks change no other choice of the run
     * @param restores whether the state is restored from a backup
     */
    public SimWorld(SplittableRandom random, SplittableRandom clockRandom, double faultRate, boolean restores) {
        this(random, clockRandom, null, faultRate, restores);
    }

    /**
     * Creates a world.
     *
     * @param clockRandom the random numbers of the clocks alone, so that the clocks change no other choice of the run
     * @param templates the random numbers of what workloads make from templates; null: they make nothing
     * @param restores whether the state is restored from a backup
     */
    public SimWorld(
            SplittableRandom random,
            SplittableRandom clockRandom,
            @Nullable SplittableRandom templates,
            double faultRate,
            boolean restores) {
        this.scheduler = new SimScheduler(random.split());
        this.faults = new Faults(random.split(), faultRate);
        this.trace = new SimTrace(scheduler);
        this.clocks = new SimClocks(this, clockRandom, faultRate > 0);
        SimTraits chosen = SimTraits.of(random.split(), restores);
        this.traits = templates != null && templates.nextInt(4) > 0 ? chosen.withZones() : chosen;
        this.made = new SimMadeVolumes(this, templates);
        this.capacity = new SimCapacity(this, traits.limits(), random.split());
        this.topology = new SimTopology(traits.zones(), random.split());
        this.drift = new SimDrift(this, random.split());
        this.providerSnapshots = new SimProviderSnapshots(scheduler);
        this.store = StateStore.create(StateStoreOptions.builder()
                .watchExecutor(task -> scheduler.after(Duration.ZERO, task))
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build());
    }

    public SimScheduler scheduler() {
        return scheduler;
    }

    public SimClocks clocks() {
        return clocks;
    }

    public GraceCheck grace() {
        return grace;
    }

    public ProvedInstances provedInstances() {
        return provedInstances;
    }

    public LeaderCheck leaders() {
        return leaders;
    }

    public SimBackup backup() {
        return backup;
    }

    /** The volumes that the provider does not have any more when the state is restored. */
    public SimLostVolumes lost() {
        return lost;
    }

    /** The volumes of the provider that a restored state does not have. */
    public SimOrphans orphans() {
        return orphans;
    }

    /** Replaces the state by the backup. The checks forget what they know of the lost states. */
    public void restoreBackup() {
        coverage.fault("state restored from a backup");
        trace.note("server", "the state is restored from a backup");
        backup.restore();
        lost.lose();
        StateReader state = store.snapshot();
        orphans.restored(state);
        made.restored(state);
        order.restored(state);
        grace.restored(state);
        capacity.restored(state);
    }

    public Faults faults() {
        return faults;
    }

    public SimTrace trace() {
        return trace;
    }

    public SimProvider provider() {
        return provider;
    }

    public StateStore store() {
        return store;
    }

    public Map<NodeId, SimNode> nodes() {
        return nodes;
    }

    public @Nullable SimNode node(NodeId id) {
        return nodes.get(id);
    }

    /** Adds a machine, which is from now on the one behind its node id. */
    public void add(SimNode machine) {
        nodes.put(machine.id, machine);
        machines.put(machine.externalId, machine);
    }

    /** All machines, also those that were replaced and may still run. */
    public Collection<SimNode> machines() {
        return machines.values();
    }

    /** The machines that have, or had, a node id. */
    public List<SimNode> machines(NodeId id) {
        return machines.values().stream()
                .filter(machine -> machine.id.equals(id))
                .toList();
    }

    public @Nullable SimNode machine(ExternalNodeId externalId) {
        return machines.get(externalId);
    }

    public static NodeId nodeId(ExternalNodeId externalId) {
        String name = externalId.value().substring(NODE_PREFIX.length());
        return NodeId.of(name.contains(".") ? name.substring(0, name.indexOf('.')) : name);
    }

    public ExternalVolumeId addVolume(VolumeKey key) {
        ExternalVolumeId externalId = ExternalVolumeId.of(VOLUME_PREFIX + key.volumeId());
        mapExternalId(key, externalId);
        provider.add(externalId);
        return externalId;
    }

    /** Maps the volume to its id at the provider. */
    public void mapExternalId(VolumeKey key, ExternalVolumeId externalId) {
        volumes.put(externalId.value(), key);
        externalIds.put(key, externalId);
    }

    /** Maps a volume that was given up to the key under which it is deleted. */
    void moveExternalId(VolumeKey former, VolumeKey key, ExternalVolumeId externalId) {
        externalIds.remove(former, externalId);
        mapExternalId(key, externalId);
    }

    public @Nullable ExternalVolumeId externalId(VolumeKey key) {
        return externalIds.get(key);
    }

    public SimCoverage coverage() {
        return coverage;
    }

    public AllowedViolations allowedViolations() {
        return allowedViolations;
    }

    public SimTraits traits() {
        return traits;
    }

    public SimCapacity capacity() {
        return capacity;
    }

    public SimTopology topology() {
        return topology;
    }

    public SimDrift drift() {
        return drift;
    }

    public SimNamedRequests namedRequests() {
        return namedRequests;
    }

    /** The volumes that claims make from templates. */
    public SimFiles files() {
        return files;
    }

    public SimMadeVolumes made() {
        return made;
    }

    public SimProviderSnapshots providerSnapshots() {
        return providerSnapshots;
    }

    /** Whether the node can reach all requested volumes. */
    public boolean reaches(SimNode node, List<ClaimRequest> requests) {
        return requests.stream()
                .map(request -> externalIds.get(request.volume()))
                .allMatch(id -> id != null && topology.reaches(node, id));
    }

    public Map<String, VolumeKey> volumes() {
        return volumes;
    }

    public Optional<Volume> volume(ExternalVolumeId externalId) {
        return volume(store.snapshot(), externalId);
    }

    /** Returns what a state has of a volume of the provider. Another volume may have its key after a restore. */
    public Optional<Volume> volume(StateReader state, ExternalVolumeId externalId) {
        return Optional.ofNullable(volumes.get(externalId.value()))
                .flatMap(state::volume)
                .filter(row -> idOf(row).equals(externalId));
    }

    /** Returns the provider's id of a volume, also of one that is being made. */
    public static ExternalVolumeId idOf(Volume row) {
        return row.externalVolumeId().orElseGet(() -> SimProvider.idOf(row.name()));
    }

    /** Returns the provider's id of what a machine has under a name; null: nothing has this name. */
    public @Nullable ExternalVolumeId idOn(SimNode node, VolumeKey name) {
        return node.idOf(name).orElse(externalIds.get(name));
    }

    /** Returns what a state has of the volume that a machine has under a name. */
    public Optional<Volume> volumeOn(StateReader state, SimNode node, VolumeKey name) {
        return Optional.ofNullable(idOn(node, name)).flatMap(id -> volume(state, id));
    }

    /** Maps the keys of a restored state to the ids of its volumes. A volume that it does not have keeps its key. */
    void mapRestored(StateReader state) {
        for (Volume row : state.volumes(VolumeQuery.all()).items()) {
            mapExternalId(row.key(), idOf(row));
        }
    }

    /** Gives a process a state of its own, which may be behind the newest one. */
    public void setState(SimProcess process, ObservableState state) {
        states.put(process, state);
    }

    /** Returns the state that a process has read. Its calls must follow from this state. */
    public StateReader stateOf(SimProcess process) {
        return states.getOrDefault(process, store).snapshot();
    }

    /** Applies a command of the host, which does not pass through a server. */
    public Outcome applyFromHost(Command command) {
        return logUnderTest == null ? apply(null, command) : logUnderTest.submit(command);
    }

    /** Applies a command that a log under test has committed. */
    public Outcome applyCommitted(long index, Command command) {
        return apply(null, command, OptionalLong.of(index));
    }

    /** Runs a log under test in place of the model of a log. */
    public void useLog(RunningLog log) {
        logUnderTest = log;
    }

    public boolean hasLogUnderTest() {
        return logUnderTest != null;
    }

    /** Ends the faults of a log under test. */
    public void settleLog() {
        if (logUnderTest != null) {
            logUnderTest.settle();
        }
    }

    /** Compares the peers of a log under test with the state. */
    public void compareLog() {
        if (logUnderTest != null) {
            logUnderTest.compare(store);
        }
    }

    /**
     * Applies a command and checks its effects.
     *
     * @param leader the server that waits for the answer; null: none
     */
    public Outcome apply(@Nullable SimProcess leader, Command command) {
        return apply(leader, command, OptionalLong.empty());
    }

    private Outcome apply(@Nullable SimProcess leader, Command command, OptionalLong index) {
        StateReader before = store.snapshot();
        Outcome outcome = index.isPresent() ? store.applyAt(index.getAsLong(), command) : store.apply(command);
        applied.add(new Applied(index, command));
        if (command instanceof ClaimCommand.TakeClaims take) {
            AdmissionCheck.checkDecision(this, take, before, outcome);
        }
        if (outcome.accepted()) {
            StateReader after = store.snapshot();
            accepted(command, before, after);
            made.accepted(leader, command, (Outcome.Accepted) outcome, before, after);
            if (leader != null && command instanceof ClaimCommand.TakeClaims take) {
                order.onClaimsTaken(leader, take, before, after);
            }
            order.onStateChanged(after);
            grace.onStateChanged(after);
            capacity.onStateChanged(after);
            backup.accepted(command, before, after);
            lost.accepted(command, before, after);
            countAdopted(before, after);
            drift.onStateChanged(after);
        } else {
            rejected((Outcome.Rejected) outcome);
        }
        trace.message("server", "log", name(command) + (outcome.accepted() ? "" : " rejected"));
        return outcome;
    }

    private void countAdopted(StateReader before, StateReader after) {
        if (backup.restores() == 0) {
            return;
        }
        for (VolumeKey key : volumes.values()) {
            after.volume(key)
                    .ifPresent(volume -> volume.claims().forEach(claim -> {
                        boolean known = before.volume(key)
                                .flatMap(row -> row.claims().get(claim.allocationId()))
                                .isPresent();
                        if (claim.adopted() && !known) {
                            coverage.fault("use adopted");
                            if (claim.formerVolume().isPresent()) {
                                coverage.fault("use adopted under another name");
                            }
                        }
                    }));
        }
    }

    private void rejected(Outcome.Rejected outcome) {
        if (outcome.reason() instanceof Rejection.NotAdmitted refused
                && refused.decision() instanceof AdmissionDecision.Wait wait) {
            if (wait.reason() == WaitReason.EXPANDING_OFFLINE) {
                coverage.fault("claim waits for an expansion");
            } else if (wait.reason() == WaitReason.NODE_REPLACED) {
                coverage.fault("claim waits for a former machine");
            } else if (wait.reason() == WaitReason.LEDGER_NOT_KNOWN) {
                coverage.fault("claim waits for a ledger");
            } else if (wait.reason() == WaitReason.NODE_FULL) {
                coverage.fault("claim waits for capacity");
            }
        }
    }

    private void accepted(Command command, StateReader before, StateReader after) {
        if (command instanceof Batch batch) {
            batch.commands().forEach(one -> accepted(one, before, after));
        } else if (command instanceof ClaimCommand.CheckpointClaim) {
            coverage.step(RemainingWork.Kind.CHECKPOINT_CLAIM);
        } else if (command instanceof ClaimCommand.FreeClaim) {
            coverage.step(RemainingWork.Kind.FREE_CLAIM);
        } else if (command instanceof AttachmentCommand.RecordUnpublishing) {
            coverage.step(RemainingWork.Kind.BEGIN_CONTROLLER_UNPUBLISH);
        } else if (command instanceof AttachmentCommand.RemoveAttachment) {
            coverage.step(RemainingWork.Kind.REMOVE_ATTACHMENT);
        } else if (command instanceof AttachmentCommand.RecordOrphan orphan) {
            drift.accepted(orphan, before);
        } else if (command instanceof ChangeCommand change) {
            changes.accepted(change, before, after);
        } else if (command instanceof VolumeCommand.RegisterVolume registration) {
            registration.spec().externalVolumeId().ifPresent(id -> mapExternalId(registration.key(), id));
        } else if (command instanceof PluginCommand.FingerprintNode report) {
            provedInstances.reported(report, after);
        }
        allowedViolations.accepted(command, after);
    }

    private static String name(Command command) {
        return command instanceof Batch batch
                ? batch.commands().stream().map(SimWorld::name).collect(Collectors.joining(" + "))
                : command.getClass().getSimpleName();
    }

    /**
     * A command of the run.
     *
     * @param index its index in the log under test; empty: there is none
     * @param command the command
     */
    public record Applied(OptionalLong index, Command command) {}

    public List<Applied> applied() {
        return applied;
    }

    public ChangeChecks changes() {
        return changes;
    }

    public ClaimOrderCheck order() {
        return order;
    }

    public void changeDelayedCommands(int one) {
        delayedCommands += one;
    }

    /** Whether delayed commands may still change the state. */
    public boolean hasDelayedCommands() {
        return delayedCommands > 0;
    }

    public void countCall() {
        calls++;
    }

    public long calls() {
        return calls;
    }

    public void reportViolation(String what) {
        if (violations.size() < MAX_VIOLATIONS && !violations.contains(what)) {
            violations.add(what);
            trace.note("server", "VIOLATED " + what);
        }
    }

    /**
     * Calls code of the scheduler under test. An exception of that code is a violation, so that the report names the seed
     * that repeats it.
     *
     * @return the result; empty if the code threw
     */
    public <T> Optional<T> callScheduler(String part, Supplier<T> code) {
        try {
            return Optional.of(code.get());
        } catch (RuntimeException | Error e) {
            String place = e.getStackTrace().length == 0 ? "" : ", at " + e.getStackTrace()[0];
            reportViolation(part + ": it threw " + e + place);
            return Optional.empty();
        }
    }

    public List<String> violations() {
        return violations;
    }

    /** Sets the action that fences a node when the engine requests it. */
    public void onFence(Consumer<SimNode> host) {
        fencer = host;
    }

    public void fence(SimNode node) {
        fencer.accept(node);
    }

    @Override
    public void close() {
        if (logUnderTest != null) {
            logUnderTest.close();
        }
        store.close();
    }
}
