package io.csi4j.core.lifecycle.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.command.WithdrawnCreationCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.NodeEvent;
import io.csi4j.core.spi.NodeReplacedEvent;
import io.csi4j.core.spi.PluginConflictEvent;
import io.csi4j.core.spi.PluginHealthEvent;
import io.csi4j.core.spi.UndeclaredControllerEvent;
import io.csi4j.core.spi.VolumeEvent;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.WithdrawnCreation;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The events of commands, without an engine: the test applies each command to a simple state. */
class CommandEventsTest {
    private static final Instant AT = Instant.ofEpochSecond(1_000_000);
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final VolumeKey VOL = VolumeKey.of("default", "vol");
    private static final NodeId N1 = NodeId.of("n1");
    private static final NodeId N2 = NodeId.of("n2");
    private static final AllocationId A = AllocationId.of("a");
    private static final CapacityRange RANGE = CapacityRange.atLeast(1 << 20);
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final Capabilities CAPABILITIES = Capabilities.unknown()
            .withServices(PluginService.CONTROLLER_SERVICE)
            .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
    private static final Attempt ATTEMPT = Attempt.failed("it hangs", AT.plusSeconds(1));

    private final NaiveState state = new NaiveState();
    private final List<Object> heard = new ArrayList<>();
    private CommandEvents events = events(ControllerTrust.everyNode());

    private CommandEvents events(ControllerTrust trust) {
        EventListener listener = (EventListener) Proxy.newProxyInstance(
                EventListener.class.getClassLoader(),
                new Class<?>[] {EventListener.class},
                (proxy, method, arguments) -> {
                    heard.add(arguments[0]);
                    return null;
                });
        return new CommandEvents(listener, trust);
    }

    /** Reports a command as accepted that the state does not get, between two states that differ in their index. */
    private void report(Command command) {
        NaiveState before = state.copy();
        NaiveState after = state.copy();
        after.apply(7, new NodeCommand.RequireLedgers("to have another index", AT));
        events.accepted(before, after, command, new Outcome.Accepted(true, List.of()));
    }

    /** Applies a command, which the state has to accept, and reports it. */
    private List<Object> apply(Command command) {
        heard.clear();
        NaiveState before = state.copy();
        Outcome outcome = state.apply(command);
        assertThat(outcome).isInstanceOf(Outcome.Accepted.class);
        events.accepted(before, state.copy(), command, (Outcome.Accepted) outcome);
        return heard;
    }

    private static VolumeEvent volume(VolumeEvent.Change change) {
        return volume(change, "");
    }

    private static VolumeEvent volume(VolumeEvent.Change change, String reason) {
        return new VolumeEvent(VOL, change, reason, 7, AT);
    }

    private static ClaimEvent claim(ClaimEvent.Change change) {
        return new ClaimEvent(VOL, A, change, 7, AT);
    }

    private static AttachmentEvent attachment(AttachmentEvent.Change change) {
        return new AttachmentEvent(VOL, N1, change, 7, AT);
    }

    /** A command that has one event, whatever the state has. */
    record Case(Command command, Object event) {
        @Override
        public String toString() {
            return command.getClass().getSimpleName() + " " + event;
        }
    }

    static Stream<Case> commands() {
        ProviderFacts facts = ProviderFacts.builder()
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .build();
        return Stream.of(
                new Case(new ChangeCommand.BeginExpansion(VOL, RANGE, AT), volume(VolumeEvent.Change.EXPANDING)),
                new Case(
                        new ChangeCommand.RecordExpanded(VOL, 1, RANGE, 1 << 20, true, AT),
                        volume(VolumeEvent.Change.EXPANDED)),
                new Case(
                        new ChangeCommand.WithdrawExpansion(VOL, 1, RANGE, AT),
                        volume(VolumeEvent.Change.EXPANSION_WITHDRAWN)),
                new Case(
                        new ChangeCommand.RecordNodeExpansion(VOL, A, 1, RANGE, 1 << 20, AT),
                        volume(VolumeEvent.Change.NODE_EXPANDED)),
                new Case(
                        new ChangeCommand.BeginModification(VOL, Map.of("iops", "9"), AT),
                        volume(VolumeEvent.Change.MODIFYING)),
                new Case(
                        new ChangeCommand.RecordModified(VOL, 1, 2, Map.of("iops", "9"), AT),
                        volume(VolumeEvent.Change.MODIFIED)),
                new Case(new VolumeCommand.MarkForGc(VOL, AT), volume(VolumeEvent.Change.MARKED)),
                new Case(
                        new VolumeCommand.UpdateVolume(VOL, spec().build(), 1, AT), volume(VolumeEvent.Change.UPDATED)),
                new Case(
                        new VolumeCommand.RecordProviderFacts(VOL, facts, 1, AT),
                        volume(VolumeEvent.Change.FACTS_RECORDED)),
                new Case(
                        new VolumeCommand.ForgetVolume(VOL, 1, "eve", "it is gone", AT),
                        volume(VolumeEvent.Change.FORGOTTEN, "it is gone")),
                new Case(
                        new VolumeCommand.WithdrawCreation(VOL, 1, "eve", "it hangs", AT),
                        volume(VolumeEvent.Change.CREATION_WITHDRAWN, "it hangs")),
                new Case(
                        new VolumeCommand.SetVolumePhase(VOL, VolumePhase.CREATING, 1, AT),
                        volume(VolumeEvent.Change.CREATING)),
                new Case(
                        new VolumeCommand.SetVolumePhase(VOL, VolumePhase.AVAILABLE, 1, AT),
                        volume(VolumeEvent.Change.AVAILABLE)),
                new Case(
                        new VolumeCommand.SetVolumePhase(VOL, VolumePhase.DELETING, 1, AT),
                        volume(VolumeEvent.Change.DELETING)),
                new Case(
                        new CallCommand.RecordCallError(VOL, new CallTarget.OfExpansion(RANGE), ATTEMPT, AT),
                        volume(VolumeEvent.Change.STEP_FAILED)),
                new Case(
                        new CallCommand.RecordCallError(VOL, new CallTarget.OfAttachment(N1, 1), ATTEMPT, AT),
                        attachment(AttachmentEvent.Change.STEP_FAILED)),
                new Case(
                        new CallCommand.RecordCallError(VOL, new CallTarget.OfClaim(A, 1), ATTEMPT, AT),
                        claim(ClaimEvent.Change.STEP_FAILED)),
                new Case(
                        new AttachmentCommand.RecordPublished(VOL, N1, 1, PublishContext.empty(), AT),
                        attachment(AttachmentEvent.Change.PUBLISHED)),
                new Case(
                        new AttachmentCommand.RecordUnpublishing(VOL, N1, 1, AT),
                        attachment(AttachmentEvent.Change.UNPUBLISHING)),
                new Case(
                        new AttachmentCommand.RecordOrphan(VOL, N1, ExternalNodeId.of("ext-n1"), 1, AT),
                        attachment(AttachmentEvent.Change.UNPUBLISHING)),
                new Case(
                        new AttachmentCommand.RemoveAttachment(VOL, N1, 1, AT),
                        attachment(AttachmentEvent.Change.REMOVED)),
                new Case(
                        new AttachmentCommand.OverrideAttachment(VOL, N1, 1, "eve", "it is gone", AT),
                        attachment(AttachmentEvent.Change.OVERRIDDEN)),
                new Case(
                        new ClaimCommand.OverrideClaim(VOL, A, 1, "eve", "it is gone", AT),
                        claim(ClaimEvent.Change.OVERRIDDEN)),
                new Case(
                        new ClaimCommand.CheckpointClaim(VOL, A, 1, ClaimState.NODE_DETACHED, AT),
                        claim(ClaimEvent.Change.NODE_DETACHED)),
                new Case(
                        new ClaimCommand.CheckpointClaim(VOL, A, 1, ClaimState.READY_TO_FREE, AT),
                        claim(ClaimEvent.Change.READY_TO_FREE)));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void acceptedCommandHasItsEvent(Case expected) {
        report(expected.command());
        assertThat(heard).containsExactly(expected.event());
    }

    @Test
    void eachCommandOfBatchHasItsEvent() {
        report(new Batch(
                List.of(
                        new ChangeCommand.BeginExpansion(VOL, RANGE, AT),
                        new ClaimCommand.FreeClaim(VOL, A, 1, AT),
                        new VolumeCommand.MarkForGc(VOL, AT)),
                AT));
        assertThat(heard)
                .as("the claim that was not freed has no event")
                .containsExactly(volume(VolumeEvent.Change.EXPANDING), volume(VolumeEvent.Change.MARKED));
    }

    @Test
    void onlyTheClaimOfABatchThatWasFreedHasItsEvent() {
        AllocationId other = AllocationId.of("b");
        Command both = new Batch(
                List.of(new ClaimCommand.FreeClaim(VOL, A, 1, AT), new ClaimCommand.FreeClaim(VOL, other, 1, AT)), AT);
        events.accepted(state, state, both, new Outcome.Accepted(true, List.of(new Effect.ClaimFreed(VOL, other, N1))));
        assertThat(heard).containsExactly(new ClaimEvent(VOL, other, ClaimEvent.Change.FREED, 0, AT));
    }

    @Test
    void commandThatChangesNothingHasNoEvent() {
        events.accepted(state, state, new VolumeCommand.MarkForGc(VOL, AT), new Outcome.Accepted(false, List.of()));
        assertThat(heard).isEmpty();
    }

    private static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(USE));
    }

    private static VolumeCommand register(VolumeOrigin origin, String... parameters) {
        VolumeSpec.Builder spec = spec();
        if (parameters.length > 0) {
            spec.mutableParameters(Map.of(parameters[0], parameters[1]));
        }
        if (origin == VolumeOrigin.REGISTERED) {
            spec.externalVolumeId(ExternalVolumeId.of("ext"));
        }
        return new VolumeCommand.RegisterVolume(
                VOL, spec.build(), origin, ProviderFacts.builder().build(), AT);
    }

    private long index() {
        return state.index();
    }

    private static PluginInstance.Builder instance(NodeId node, String driver) {
        return instance(node, driver, PLUGIN);
    }

    private static PluginInstance.Builder instance(NodeId node, String driver, PluginId plugin) {
        return PluginInstance.builder(
                        new InstanceKey(node, plugin, PluginType.MONOLITH, Optional.empty()), Instant.EPOCH)
                .provider(driver)
                .capabilities(CAPABILITIES)
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), 0, Optional.empty()));
    }

    private static Command reports(NodeId node, PluginInstance... instances) {
        return new PluginCommand.FingerprintNode(node, List.of(instances), AT);
    }

    private static AllocationCommand allocation(AllocationStatus status) {
        return new AllocationCommand.UpsertAllocation(A, Namespace.of("default"), N1, Optional.empty(), status, AT);
    }

    private void claimed() {
        apply(new NodeCommand.UpsertNode(N1, AT));
        apply(reports(N1, instance(N1, "csi.example.com").build()));
        apply(register(VolumeOrigin.REGISTERED));
        apply(allocation(AllocationStatus.RUNNING));
    }

    private ClaimCommand take() {
        return new ClaimCommand.TakeClaims(A, List.of(ClaimRequest.of(VOL, ClaimMode.WRITE, USE)), AT);
    }

    @Test
    void firstRegistrationAndUpdateHaveDifferentEvents() {
        assertThat(apply(register(VolumeOrigin.REGISTERED)))
                .containsExactly(new VolumeEvent(VOL, VolumeEvent.Change.REGISTERED, "", index(), AT));
        assertThat(apply(register(VolumeOrigin.REGISTERED, "iops", "9")))
                .containsExactly(new VolumeEvent(VOL, VolumeEvent.Change.UPDATED, "", index(), AT));
        assertThat(apply(new VolumeCommand.DeregisterVolume(VOL, false, 0, AT)))
                .containsExactly(new VolumeEvent(VOL, VolumeEvent.Change.REMOVED, "", index(), AT));
        assertThat(apply(register(VolumeOrigin.CREATED)))
                .containsExactly(new VolumeEvent(VOL, VolumeEvent.Change.CREATING, "", index(), AT));
    }

    @Test
    void takenClaimAndItsNewAttachmentHaveEventsOnce() {
        claimed();
        assertThat(apply(take()))
                .containsExactly(
                        new ClaimEvent(VOL, A, ClaimEvent.Change.TAKEN, index(), AT),
                        new AttachmentEvent(VOL, N1, AttachmentEvent.Change.PUBLISHING, index(), AT));
        assertThat(apply(take())).as("a claim that is held").isEmpty();
        AllocationId other = AllocationId.of("b");
        apply(new AllocationCommand.UpsertAllocation(
                other, Namespace.of("default"), N1, Optional.empty(), AllocationStatus.RUNNING, AT));
        assertThat(apply(new ClaimCommand.TakeClaims(other, List.of(ClaimRequest.of(VOL, ClaimMode.WRITE, USE)), AT)))
                .as("the attachment is the one of the first claim")
                .containsExactly(new ClaimEvent(VOL, other, ClaimEvent.Change.TAKEN, index(), AT));
        assertThat(apply(allocation(AllocationStatus.ENDED)))
                .containsExactly(new ClaimEvent(VOL, A, ClaimEvent.Change.UNPUBLISHING, index(), AT));
    }

    @Test
    void forgottenWithdrawnCreationHasEventOfItsVolume() {
        apply(register(VolumeOrigin.CREATED));
        long created = index();
        apply(new CallCommand.BeginCall(VOL, new CallTarget.OfVolume(created, VolumePhase.CREATING), AT));
        assertThat(apply(new VolumeCommand.WithdrawCreation(VOL, created, "eve", "it hangs", AT)))
                .containsExactly(
                        new VolumeEvent(VOL, VolumeEvent.Change.REMOVED, "", index(), AT),
                        new VolumeEvent(VOL, VolumeEvent.Change.CREATION_WITHDRAWN, "it hangs", index(), AT));
        WithdrawnCreation row = state.withdrawnCreations().iterator().next();
        assertThat(apply(new WithdrawnCreationCommand.ForgetWithdrawnCreation(
                        row.key(), row.createIndex(), "eve", "the provider has none", AT)))
                .containsExactly(new VolumeEvent(
                        VOL, VolumeEvent.Change.WITHDRAWN_CREATION_FORGOTTEN, "the provider has none", index(), AT));
    }

    @Test
    void nodeHasEventForEachChangeOfItsStatus() {
        assertThat(apply(new NodeCommand.UpsertNode(N1, AT)))
                .containsExactly(new NodeEvent(N1, NodeStatus.READY, index(), AT));
        assertThat(apply(new NodeCommand.SetNodeStatus(N1, NodeStatus.DOWN, "no answer", AT)))
                .containsExactly(new NodeEvent(N1, NodeStatus.DOWN, index(), AT));
        assertThat(apply(new NodeCommand.SetNodeStatus(N1, NodeStatus.DOWN, "still none", AT)))
                .isEmpty();
        assertThat(apply(new NodeCommand.FenceNode(N1, "power is off", AT)))
                .containsExactly(new NodeEvent(N1, NodeStatus.FENCED, index(), AT));
        assertThat(apply(new NodeCommand.RequireLedgers("the state was restored", AT)))
                .as("a fenced node has to be fenced again after a restore")
                .containsExactly(new NodeEvent(N1, state.node(N1).orElseThrow().status(), index(), AT));
        assertThat(apply(new NodeCommand.RemoveNode(N1, "it is scrapped", AT)))
                .as("a node that is gone")
                .isEmpty();
    }

    @Test
    void changeThatTwoCommandsHaveMadeTogetherHasOneEvent() {
        NaiveState before = state.copy();
        Command ready = new NodeCommand.UpsertNode(N1, AT);
        Command healthy = reports(N1, instance(N1, "csi.example.com").build());
        state.apply(ready);
        state.apply(healthy);
        for (Command each : List.of(ready, healthy)) {
            events.accepted(before, state, each, new Outcome.Accepted(true, List.of()));
        }
        assertThat(heard)
                .containsExactly(
                        new NodeEvent(N1, NodeStatus.READY, index(), AT),
                        new PluginHealthEvent(PLUGIN, 1, 1, index(), AT));
    }

    @Test
    void pluginHasEventForEachChangeOfItsHealth() {
        apply(new NodeCommand.UpsertNode(N1, AT));
        apply(new NodeCommand.UpsertNode(N2, AT));
        assertThat(apply(reports(N1, instance(N1, "csi.example.com").build())))
                .containsExactly(new PluginHealthEvent(PLUGIN, 1, 1, index(), AT));
        assertThat(apply(reports(N2, instance(N2, "csi.example.com").build())))
                .containsExactly(new PluginHealthEvent(PLUGIN, 2, 2, index(), AT));
        assertThat(apply(reports(
                        N2, instance(N2, "csi.example.com").vendorVersion("2").build())))
                .as("the health is the same")
                .isEmpty();
        assertThat(apply(reports(
                        N1, instance(N1, "csi.example.com").health(false, "").build())))
                .containsExactly(new PluginHealthEvent(PLUGIN, 1, 1, index(), AT));
        assertThat(apply(new PluginCommand.RemoveInstance(
                        new InstanceKey(N2, PLUGIN, PluginType.MONOLITH, Optional.empty()), AT)))
                .containsExactly(new PluginHealthEvent(PLUGIN, 0, 0, index(), AT));
        assertThat(apply(reports(N2, instance(N2, "csi.example.com").build())))
                .as("the same health as before")
                .containsExactly(new PluginHealthEvent(PLUGIN, 1, 1, index(), AT));
    }

    @Test
    void instanceOfAnotherDriverHasEventAndItsEndHasOne() {
        apply(new NodeCommand.UpsertNode(N1, AT));
        apply(new NodeCommand.UpsertNode(N2, AT));
        apply(reports(N1, instance(N1, "right").build()));
        apply(register(VolumeOrigin.REGISTERED));
        assertThat(apply(reports(N2, instance(N2, "wrong").build())))
                .containsExactly(new PluginConflictEvent(PLUGIN, List.of(N2), index(), AT));
        assertThat(apply(new PluginCommand.SetProvider(PLUGIN, "wrong", "eve", "it moved", AT)))
                .containsExactly(new PluginConflictEvent(PLUGIN, List.of(N1), index(), AT));
        assertThat(apply(reports(N1, instance(N1, "wrong").build())))
                .contains(new PluginConflictEvent(PLUGIN, List.of(), index(), AT));
        assertThat(apply(reports(N1, instance(N1, "right").build())))
                .contains(new PluginConflictEvent(PLUGIN, List.of(N1), index(), AT));
    }

    @Test
    void formerMachineHasEventWhenPluginReportsAnotherIdOfItsNode() {
        claimed();
        apply(take());
        apply(reports(
                N1, instance(N1, "csi.example.com").nodeInfo(machine("new")).build()));
        assertThat(heard)
                .containsExactly(new NodeReplacedEvent(
                        N1, PLUGIN, ExternalNodeId.of("ext-n1"), ExternalNodeId.of("new"), index(), AT));
        assertThat(apply(reports(
                        N1,
                        instance(N1, "csi.example.com")
                                .nodeInfo(machine("new"))
                                .vendorVersion("2")
                                .build())))
                .as("the same machine")
                .isEmpty();
    }

    private static NodeInfo machine(String id) {
        return new NodeInfo(ExternalNodeId.of(id), 0, Optional.empty());
    }

    @Test
    void undeclaredControllerHasOneEventUntilItIsDeclared() {
        boolean[] declared = {false};
        events = events((known, controller) -> declared[0]);
        apply(new NodeCommand.UpsertNode(N1, AT));
        InstanceKey key = new InstanceKey(N1, PLUGIN, PluginType.MONOLITH, Optional.empty());
        assertThat(apply(reports(N1, instance(N1, "csi.example.com").build())))
                .contains(new UndeclaredControllerEvent(key, index(), AT));
        assertThat(apply(reports(
                        N1, instance(N1, "csi.example.com").vendorVersion("2").build())))
                .isEmpty();
        declared[0] = true;
        apply(reports(N1, instance(N1, "csi.example.com").vendorVersion("3").build()));
        declared[0] = false;
        assertThat(apply(reports(
                        N1, instance(N1, "csi.example.com").vendorVersion("4").build())))
                .contains(new UndeclaredControllerEvent(key, index(), AT));
    }

    @Test
    void nodeThatMakesUpPluginsCannotFillTheMemory() {
        for (int i = 0; i < 1000; i++) {
            state.put(
                    RowType.INSTANCES,
                    instance(N1, "csi.example.com", PluginId.of("made-up-" + i)).build());
        }
        UndeclaredControllers controllers = new UndeclaredControllers((known, controller) -> false);
        controllers.check(state, N1, heard::add);
        assertThat(heard).hasSize(1000);
        controllers.check(state, N1, heard::add);
        assertThat(heard).as("each of them is remembered").hasSize(1000);
        state.put(RowType.INSTANCES, instance(N2, "csi.example.com").build());
        controllers.check(state, N2, heard::add);
        controllers.check(state, N1, heard::add);
        assertThat(heard).as("the oldest one was forgotten").hasSizeGreaterThan(1001);
    }

    @Test
    void endOfAllocationThatRanPluginHasEventOfItsHealth() {
        apply(new NodeCommand.UpsertNode(N1, AT));
        AllocationId task = AllocationId.of("task");
        apply(runsPlugin(task, AllocationStatus.RUNNING));
        PluginInstance instance = PluginInstance.builder(
                        new InstanceKey(N1, PLUGIN, PluginType.MONOLITH, Optional.of(task)), Instant.EPOCH)
                .provider("csi.example.com")
                .capabilities(CAPABILITIES)
                .nodeInfo(machine("ext-n1"))
                .build();
        assertThat(apply(reports(N1, instance))).containsExactly(new PluginHealthEvent(PLUGIN, 1, 1, index(), AT));
        assertThat(apply(runsPlugin(task, AllocationStatus.ENDED)))
                .containsExactly(new PluginHealthEvent(PLUGIN, 0, 0, index(), AT));
    }

    private static Command runsPlugin(AllocationId task, AllocationStatus status) {
        return new AllocationCommand.UpsertAllocation(
                task, Namespace.of("default"), N1, Optional.of(DeploymentId.of("default", "d")), status, AT);
    }
}
