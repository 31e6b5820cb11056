package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.volume.RemainingWork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The leader asks all nodes for reports, and the health check finds the problems in them. */
class NodeReportsTest {
    private static final NodeId N1 = NodeId.of("n1");
    private static final Duration INTERVAL = Duration.ofSeconds(40);
    private static final VolumeKey DB = VolumeKey.of("default", "db");

    private final LifecycleRig rig = LifecycleRig.leading();

    private static NodeVolume volume(
            NodeVolume.State state, String problem, Optional<NodeVolume.Call> call, String error, Duration unfinished) {
        return new NodeVolume(
                DB,
                Optional.of(LifecycleRig.PLUGIN),
                Optional.empty(),
                false,
                true,
                "",
                List.of(new NodeVolume.Use(AllocationId.of("a"), state, Optional.empty(), false, problem)),
                call,
                "",
                error,
                unfinished);
    }

    private void answers(NodeVolume... volumes) {
        rig.gateway.reports = node ->
                CompletableFuture.completedFuture(new NodeReport(node.equals(N1) ? List.of(volumes) : List.of()));
    }

    private NodeView view(String node) {
        CompletableFuture<ListPage<NodeView, NodeId>> nodes =
                rig.host.operator().nodes(NodeQuery.all());
        rig.clock.run();
        return rig.done(nodes).items().stream()
                .filter(each -> each.node().id().equals(NodeId.of(node)))
                .findFirst()
                .orElseThrow();
    }

    private HealthCheck.Builder check() {
        return HealthCheck.builder(rig.host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)));
    }

    private List<HealthProblem> problems(HealthCheck check) {
        rig.clock.advance(Duration.ofSeconds(3));
        CompletableFuture<ServerHealth> health = check.run();
        rig.clock.run();
        return rig.done(health).problems();
    }

    @Test
    void leaderAsksAllNodesAtOnceAndAtIntervals() {
        Instant first = view("n1").lastContact().orElseThrow();
        assertThat(view("n2").lastContact()).isPresent();
        answers(volume(NodeVolume.State.MOUNTED, "", Optional.empty(), "", Duration.ZERO));
        rig.clock.advance(INTERVAL);
        NodeView view = view("n1");
        assertThat(view.lastContact().orElseThrow()).isAfter(first);
        assertThat(view.report().orElseThrow().volumes()).hasSize(1);
        assertThat(view.silentFor()).isEmpty();
    }

    @Test
    void statusOfVolumeHasWhatNodesReportAlsoWithoutClaim() {
        rig.volume(LifecycleRig.VOL);
        NodeVolume stale = new NodeVolume(
                LifecycleRig.VOL,
                Optional.of(LifecycleRig.PLUGIN),
                Optional.empty(),
                false,
                true,
                "",
                List.of(),
                Optional.empty(),
                "",
                "still published at [/old]",
                Duration.ofMinutes(9));
        answers(stale, volume(NodeVolume.State.MOUNTED, "", Optional.empty(), "", Duration.ZERO));
        rig.clock.advance(INTERVAL);
        VolumeStatus status =
                rig.done(rig.host.claims().status(LifecycleRig.VOL)).orElseThrow();
        assertThat(status.onNodes()).singleElement().satisfies(reported -> {
            assertThat(reported.nodeId()).isEqualTo(N1);
            assertThat(reported.volume()).isEqualTo(stale);
            assertThat(reported.reportedAt()).isEqualTo(view("n1").lastContact().orElseThrow());
        });
        assertThat(status.remaining().isDone()).as("for the leader").isTrue();
        assertThat(status.unfinishedOnNodes()).isEqualTo(status.onNodes());
        answers();
        rig.clock.advance(INTERVAL);
        assertThat(rig.done(rig.host.claims().status(LifecycleRig.VOL))
                        .orElseThrow()
                        .unfinishedOnNodes())
                .isEmpty();
    }

    /** After a restore, a node may still have a volume that had the name. */
    @Test
    void statusOfVolumeHasNoReportOfFormerVolumeWithItsName() {
        rig.volume(LifecycleRig.VOL);
        ExternalVolumeId id = rig.get(LifecycleRig.VOL).externalVolumeId().orElseThrow();
        PluginId plugin = LifecycleRig.PLUGIN;
        answers(
                staged(plugin, Optional.of(ExternalVolumeId.of("former"))),
                staged(PluginId.of("former"), Optional.of(id)));
        rig.clock.advance(INTERVAL);
        assertThat(status().onNodes()).isEmpty();
        assertThat(view("n1").report().orElseThrow().volumes()).hasSize(2);
        answers(staged(plugin, Optional.of(id)), staged(plugin, Optional.empty()));
        rig.clock.advance(INTERVAL);
        assertThat(status().onNodes()).hasSize(2);
    }

    private static NodeVolume staged(PluginId plugin, Optional<ExternalVolumeId> id) {
        return new NodeVolume(
                LifecycleRig.VOL,
                Optional.of(plugin),
                id,
                false,
                true,
                "",
                List.of(),
                Optional.empty(),
                "",
                "",
                Duration.ofSeconds(1));
    }

    private VolumeStatus status() {
        CompletableFuture<Optional<VolumeStatus>> status = rig.host.claims().status(LifecycleRig.VOL);
        rig.clock.run();
        return rig.done(status).orElseThrow();
    }

    private static NodeVolume unmounting() {
        return new NodeVolume(
                LifecycleRig.VOL,
                Optional.of(LifecycleRig.PLUGIN),
                Optional.empty(),
                false,
                true,
                "",
                List.of(new NodeVolume.Use(
                        AllocationId.of("a"), NodeVolume.State.UNMOUNTING, Optional.empty(), false, "")),
                Optional.empty(),
                "",
                "target is busy",
                Duration.ofSeconds(1));
    }

    @Test
    void statusOfVolumeAsksNodeAgainWhenTheStateOrItsWorkIsNewerThanItsReport() {
        rig.volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        answers();
        rig.clock.advance(INTERVAL);
        assertThat(status().unfinishedOnNodes()).isEmpty();
        answers(unmounting());
        assertThat(status().unfinishedOnNodes()).as("nothing has changed").isEmpty();
        rig.allocation("a", "n1", AllocationStatus.STOPPING);
        assertThat(status().unfinishedOnNodes()).as("its work begins").hasSize(1);
        answers();
        assertThat(status().unfinishedOnNodes()).as("a report of now").hasSize(1);
        rig.clock.advance(Duration.ofSeconds(2));
        assertThat(status().unfinishedOnNodes()).as("its work has ended").isEmpty();
    }

    @Test
    void statusOfVolumeWaitsShortlyForItsNodeAndManyReadersAskOnce() {
        rig.volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        List<NodeId> asked = new ArrayList<>();
        rig.gateway.reports = node -> {
            asked.add(node);
            return new CompletableFuture<>();
        };
        rig.allocation("a", "n1", AllocationStatus.STOPPING);
        List<CompletableFuture<?>> readers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            readers.add(rig.host.claims().status(LifecycleRig.VOL));
        }
        rig.clock.advance(Duration.ofMillis(1_900));
        assertThat(readers).noneMatch(CompletableFuture::isDone);
        assertThat(asked).containsExactly(N1);
        rig.clock.advance(Duration.ofMillis(200));
        assertThat(readers).allMatch(CompletableFuture::isDone);
        assertThat(status().onNodes()).as("a silent node is not asked again").isEmpty();
        assertThat(asked).containsExactly(N1);
    }

    @Test
    void listOfNodesAsksAgainWhenNodeIsBackOrItsVolumesHaveChanged() {
        answers();
        rig.gateway.reports = node -> CompletableFuture.failedFuture(new CsiException("the agent is not there"));
        rig.clock.advance(INTERVAL);
        rig.done(rig.host.cluster().nodeDisconnected(N1, "no call"));
        assertThat(view("n1").silentFor()).isPresent();
        rig.gateway.reports = node -> CompletableFuture.completedFuture(new NodeReport(List.of()));
        rig.done(rig.host.cluster().nodeReady(N1));
        assertThat(view("n1").silentFor()).as("it is back").isEmpty();
        assertThat(view("n1").lastContact()).contains(rig.now());
        rig.volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        answers(unmounting());
        assertThat(view("n1").report().orElseThrow().volumes()).hasSize(1);
        answers();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        assertThat(view("n1").report().orElseThrow().volumes())
                .as("a volume that is not used there any more")
                .isEmpty();
    }

    @Test
    void workloadThatStopsOnLostNodeWaitsForTheNode() {
        rig.volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        rig.done(rig.host.cluster().nodeDisconnected(N1, "no call for 6 s"));
        assertThat(status().remaining().isDone()).as("a workload that runs").isTrue();
        rig.allocation("a", "n1", AllocationStatus.STOPPING);
        assertThat(status().remaining().waits()).singleElement().satisfies(wait -> {
            assertThat(wait.reason()).isEqualTo(RemainingWork.Reason.NODE_NOT_CONFIRMED);
            assertThat(wait.nodeId()).contains(N1);
            assertThat(wait.allocationId()).contains(AllocationId.of("a"));
        });
        assertThat(status().remaining().isDone()).isFalse();
        rig.done(rig.host.cluster().nodeReady(N1));
        assertThat(status().remaining().isDone()).isTrue();
    }

    @Test
    void contactAndReportStayWhenNodeStopsAnswering() {
        answers(volume(NodeVolume.State.MOUNTED, "", Optional.empty(), "", Duration.ZERO));
        rig.clock.advance(INTERVAL);
        rig.gateway.reports = node -> CompletableFuture.failedFuture(new CsiException("the agent is not there"));
        rig.clock.advance(INTERVAL);
        Instant contact = view("n1").lastContact().orElseThrow();
        Duration silent = view("n1").silentFor().orElseThrow();
        rig.clock.advance(INTERVAL);
        assertThat(view("n1").lastContact()).contains(contact);
        assertThat(view("n1").silentFor()).contains(silent.plus(INTERVAL));
        assertThat(view("n1").contactProblem()).isEqualTo("the agent is not there");
        assertThat(view("n1").report()).isPresent();
        assertThat(problems(check().build()))
                .filteredOn(problem -> problem.kind() == HealthProblem.Kind.NODE_SILENT)
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .contains("node n1 (the agent is not there)", "node n2 (the agent is not there)"));
    }

    @Test
    void nodeThatStaysDisconnectedIsAProblemUntilItIsReady() {
        HealthCheck check = check().build();
        rig.done(rig.host.cluster().nodeDisconnected(N1, "no call for 6 s"));
        assertThat(disconnected(check)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(28));
        assertThat(disconnected(check)).singleElement().satisfies(problem -> {
            assertThat(problem.kind().blocking()).isFalse();
            assertThat(problem.message()).isEqualTo("1 nodes are DISCONNECTED: node n1 (no call for 6 s)");
            assertThat(problem.remedy()).contains("its agent", "switch it off, and then report it as fenced");
        });
        rig.done(rig.host.cluster().nodeReady(N1));
        assertThat(disconnected(check)).isEmpty();
        rig.done(rig.host.cluster().nodeDisconnected(N1, ""));
        assertThat(disconnected(check)).as("the time begins again").isEmpty();
    }

    private List<HealthProblem> disconnected(HealthCheck check) {
        return problems(check).stream()
                .filter(problem -> problem.kind() == HealthProblem.Kind.NODE_DISCONNECTED)
                .toList();
    }

    @Test
    void instanceThatIsNotHealthyIsAProblemAtOnceAndLaterAMissingPlugin() {
        HealthCheck check = check().build();
        assertThat(problems(check)).isEmpty();
        rig.fingerprint(rig.instance("n1").health(false, "DEADLINE_EXCEEDED").build());
        assertThat(problems(check)).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(HealthProblem.Kind.PLUGIN_UNHEALTHY);
            assertThat(problem.kind().blocking()).isFalse();
            assertThat(problem.message())
                    .isEqualTo("1 instances of plugins are not healthy: plugin p on node n1 (DEADLINE_EXCEEDED)");
        });
        rig.clock.advance(INTERVAL);
        assertThat(problems(check))
                .as("one problem only")
                .extracting(HealthProblem::kind)
                .containsExactly(HealthProblem.Kind.NODE_PLUGIN_MISSING);
        rig.fingerprint(rig.instance("n1").build());
        assertThat(problems(check)).isEmpty();
    }

    @Test
    void operatorWaitsShortlyForNodeThatDidNotAnswerBefore() {
        rig.gateway.reports = node -> new CompletableFuture<>();
        CompletableFuture<NodeView> first = rig.host.operator().node(N1);
        rig.clock.advance(Duration.ofMillis(9_900));
        assertThat(first).isNotDone();
        rig.clock.advance(Duration.ofMillis(200));
        assertThat(rig.done(first).contactProblem()).contains("no answer within");
        CompletableFuture<NodeView> again = rig.host.operator().node(N1);
        rig.clock.advance(Duration.ofMillis(1_900));
        assertThat(again).isNotDone();
        rig.clock.advance(Duration.ofMillis(200));
        assertThat(rig.done(again).contactProblem()).contains("no answer within");
        NodeId other = NodeId.of("n2");
        rig.done(rig.host.cluster().nodeDisconnected(other, "no call"));
        CompletableFuture<NodeView> disconnected = rig.host.operator().node(other);
        rig.clock.advance(Duration.ofMillis(2_100));
        assertThat(disconnected)
                .as("by its status, without an earlier question")
                .isDone();
    }

    @Test
    void clockThatIsSetBackHidesNeitherSilentNodesNorMissingPlugins() {
        HealthCheck check = check().build();
        assertThat(problems(check)).isEmpty();
        rig.gateway.reports = node -> CompletableFuture.failedFuture(new CsiException("the agent is not there"));
        rig.fingerprint(rig.instance("n1").health(false, "it does not answer").build());
        rig.clock.advance(INTERVAL);
        assertThat(problems(check)).isNotNull();
        rig.clock.setClock(Duration.ofDays(-1));
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(problems(check))
                .extracting(HealthProblem::kind)
                .containsExactlyInAnyOrder(HealthProblem.Kind.NODE_SILENT, HealthProblem.Kind.NODE_PLUGIN_MISSING);
    }

    @Test
    void nodeThatNeverAnswersDelaysNoOther() {
        rig.gateway.reports = node -> node.equals(N1)
                ? new CompletableFuture<>()
                : CompletableFuture.completedFuture(new NodeReport(List.of()));
        rig.clock.advance(INTERVAL.multipliedBy(3));
        assertThat(view("n1").contactProblem()).contains("no answer within 10 s");
        assertThat(view("n2").silentFor()).isEmpty();
        assertThat(view("n2").lastContact().orElseThrow())
                .isAfter(view("n1").lastContact().orElseThrow());
    }

    @Test
    void gatewayThatThrowsOrReturnsNullDelaysNoOther() {
        rig.gateway.reports = node -> {
            if (node.equals(N1)) {
                throw new IllegalStateException("secret");
            }
            return null;
        };
        rig.clock.advance(INTERVAL.multipliedBy(2));
        assertThat(view("n1").contactProblem())
                .contains("IllegalStateException")
                .doesNotContain("secret");
        assertThat(view("n2").contactProblem()).contains("NoAnswerException");
        answers();
        rig.clock.advance(INTERVAL);
        assertThat(view("n1").silentFor()).isEmpty();
    }

    @Test
    void gatewayWhoseConnectionThrowsHidesNoNode() {
        answers();
        rig.gateway.connection = node -> {
            throw new IllegalStateException("planned");
        };
        assertThat(view("n1").node().id()).isEqualTo(N1);
    }

    @Test
    void lostNodesAreNotAskedAndRemovedOnesForgotten() {
        List<NodeId> asked = new ArrayList<>();
        rig.gateway.reports = node -> {
            asked.add(node);
            return CompletableFuture.completedFuture(new NodeReport(List.of()));
        };
        rig.ok(new NodeCommand.FenceNode(N1, "power off", rig.now()));
        rig.clock.advance(INTERVAL);
        assertThat(asked).isNotEmpty().doesNotContain(N1);
        assertThat(view("n1").node().status()).isEqualTo(NodeStatus.FENCED);
    }

    @Test
    void formerLeaderAsksNoMore() {
        rig.host.stopLeading();
        List<NodeId> asked = new ArrayList<>();
        rig.gateway.reports = node -> {
            asked.add(node);
            return CompletableFuture.completedFuture(new NodeReport(List.of()));
        };
        rig.clock.advance(INTERVAL.multipliedBy(3));
        assertThat(asked).isEmpty();
        CompletableFuture<NodeView> one = rig.host.operator().node(N1);
        rig.clock.run();
        assertThat(rig.done(one).report()).isPresent();
        assertThat(asked).containsExactly(N1);
    }

    @Test
    void intervalOfZeroAsksNever() {
        LifecycleRig quiet = LifecycleRig.leading(
                LifecycleOptions.builder().nodeReportInterval(Duration.ZERO).build());
        quiet.clock.advance(INTERVAL);
        assertThat(quiet.done(quiet.host.operator().nodes(NodeQuery.all())).items())
                .allSatisfy(view -> {
                    assertThat(view.lastContact()).isEmpty();
                    assertThat(view.silentFor()).isEmpty();
                });
    }

    @Test
    void nodesNeedManagement() {
        LifecycleRig guarded = LifecycleRig.guarded();
        CallerOperations refused = guarded.as("nobody");
        CompletableFuture<ListPage<NodeView, NodeId>> nodes = refused.operator().nodes(NodeQuery.all());
        CompletableFuture<?> forget = refused.operator().forgetUnmount(DB, N1, AllocationId.of("a"), "it hangs");
        guarded.clock.run();
        assertThat(nodes).isCompletedExceptionally();
        assertThatThrownBy(forget::join).hasCauseInstanceOf(AccessDeniedException.class);
    }

    @Test
    void orderToForgetAnUnmountReachesTheNodeAndTheReleaseIsTriedAtOnce() {
        rig.volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL);
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isTrue();
        OperatorActions operator = rig.host.operator();
        AllocationId allocation = AllocationId.of("a");
        rig.failed(operator.forgetUnmount(LifecycleRig.VOL, N1, allocation, " "), CsiRequestException.class);
        rig.failed(
                operator.forgetUnmount(LifecycleRig.VOL, NodeId.of("none"), allocation, "the driver is gone"),
                RejectedException.class);
        assertThat(rig.gateway.forgets).isEmpty();
        rig.done(operator.forgetUnmount(LifecycleRig.VOL, N1, allocation, "the driver is gone"));
        assertThat(rig.gateway.forgets)
                .containsExactly(Map.entry(
                        N1,
                        new NodeForget(
                                LifecycleRig.VOL,
                                allocation,
                                Caller.ENGINE.principal().getName(),
                                "the driver is gone")));
        assertThat(rig.get(LifecycleRig.VOL).inUse()).as("without a pause").isFalse();
    }

    @Test
    void nodesAreAskedSomeAtATime() {
        for (int i = 0; i < 38; i++) {
            rig.node("m" + i);
        }
        List<NodeId> asked = new ArrayList<>();
        rig.gateway.reports = node -> {
            asked.add(node);
            return new CompletableFuture<>();
        };
        rig.clock.advance(Duration.ofSeconds(34));
        assertThat(asked).as("while none of them answers").hasSize(32);
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(asked).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void agentThatCannotReportIsNotSilent() {
        rig.gateway.reports = node ->
                CompletableFuture.failedFuture(HandGateway.failure(Rpc.NODE_GET_INFO, StatusCode.UNIMPLEMENTED));
        rig.clock.advance(INTERVAL.multipliedBy(3));
        assertThat(view("n1").contactProblem()).contains("UNIMPLEMENTED");
        assertThat(view("n1").silentFor()).isEmpty();
        assertThat(view("n1").lastContact()).isEmpty();
        assertThat(problems(check().build())).isEmpty();
    }

    @Test
    void viewOfNodeHasTheConnectionOfItsAgent() {
        AgentConnection connection = new AgentConnection(true, Optional.of(Instant.EPOCH), "");
        rig.gateway.connection = node -> Optional.of(connection).filter(known -> node.equals(N1));
        assertThat(view("n1").connection()).contains(connection);
        assertThat(view("n2").connection()).isEmpty();
    }

    @Test
    void hangingUnmountIsProblemAfterTheLimit() {
        var hangs = Optional.of(new NodeVolume.Call(Rpc.NODE_UNPUBLISH_VOLUME, Duration.ofSeconds(20)));
        answers(volume(NodeVolume.State.UNMOUNTING, "", hangs, "", Duration.ofSeconds(30)));
        rig.clock.advance(INTERVAL);
        HealthCheck check = check().build();
        assertThat(problems(check)).isEmpty();
        var longer = Optional.of(new NodeVolume.Call(Rpc.NODE_UNPUBLISH_VOLUME, Duration.ofSeconds(61)));
        answers(volume(NodeVolume.State.UNMOUNTING, "", longer, "", Duration.ofSeconds(62)));
        rig.clock.advance(INTERVAL);
        assertThat(problems(check)).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(HealthProblem.Kind.NODE_WORK_STUCK);
            assertThat(problem.message())
                    .contains("volume default/db on node n1 (unmount, NodeUnpublishVolume has no answer for 61 s)");
        });
    }

    @Test
    void failingMountAndBrokenMountAreProblems() {
        answers(
                volume(NodeVolume.State.MOUNTING, "", Optional.empty(), "no such device", Duration.ofMinutes(2)),
                volume(NodeVolume.State.MOUNTED, "the mount fails", Optional.empty(), "", Duration.ZERO));
        rig.clock.advance(INTERVAL);
        List<HealthProblem> problems = problems(check().build());
        assertThat(problems)
                .extracting(HealthProblem::kind)
                .containsExactly(HealthProblem.Kind.NODE_WORK_STUCK, HealthProblem.Kind.NODE_MOUNT_BROKEN);
        assertThat(problems.get(0).message()).contains("(mount, last error: no such device)");
        assertThat(problems.get(1).message()).contains("allocation a on node n1 (the mount fails)");
    }

    private List<HealthProblem> missing(HealthCheck check) {
        return problems(check).stream()
                .filter(problem -> problem.kind() == HealthProblem.Kind.NODE_PLUGIN_MISSING)
                .toList();
    }

    @Test
    void pluginThatWasSeenOnNodeAndIsMissingIsProblem() {
        HealthCheck check = check().build();
        assertThat(missing(check)).isEmpty();
        rig.fingerprint(rig.instance("n1").health(false, "it does not answer").build());
        assertThat(missing(check)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(31));
        assertThat(missing(check)).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(HealthProblem.Kind.NODE_PLUGIN_MISSING);
            assertThat(problem.message()).contains("plugin p on node n1");
        });
        rig.fingerprint(rig.instance("n1").build());
        assertThat(missing(check)).isEmpty();
    }

    @Test
    void pluginThatIsMissingForLongCountsAsRemovedOnPurpose() {
        HealthCheck check = check().build();
        assertThat(missing(check)).isEmpty();
        rig.fingerprint(rig.instance("n1").health(false, "").build());
        rig.clock.advance(Duration.ofHours(2));
        assertThat(missing(check)).isEmpty();
        rig.clock.advance(Duration.ofHours(2));
        assertThat(missing(check)).hasSize(1);
        rig.clock.advance(Duration.ofHours(23));
        assertThat(missing(check)).isEmpty();
    }

    @Test
    void missingPluginIsProblemIfItsVolumesAreInUse() {
        rig.volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SINGLE));
        rig.fingerprint(rig.instance("n1").health(false, "").build());
        HealthCheck check = check().build();
        assertThat(missing(check)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(31));
        assertThat(missing(check))
                .extracting(HealthProblem::kind)
                .containsExactly(HealthProblem.Kind.NODE_PLUGIN_MISSING);
    }

    @Test
    void declaredPluginThatWasNeverSeenIsProblemOnReadyNodesOnly() {
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.DOWN, "", rig.now()));
        HealthCheck check =
                check().pluginsOfNode(node -> Set.of(PluginId.of("zfs"))).build();
        assertThat(problems(check)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(31));
        assertThat(problems(check))
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .contains("plugin zfs on node n1")
                        .doesNotContain("n2"));
    }

    @Test
    void missingPluginWhoseInstanceHasNotAnsweredIsNamedAsRegistered() {
        PluginId zfs = PluginId.of("zfs");
        rig.fingerprint(
                PluginInstance.builder(new InstanceKey(N1, zfs, PluginType.NODE, Optional.empty()), rig.clock.instant())
                        .health(false, "its socket is missing")
                        .proved(false)
                        .build());
        Instant since = rig.clock.instant();
        HealthCheck check = check().pluginsOfNode(node -> node.equals(N1) ? Set.of(zfs) : Set.of())
                .build();
        assertThat(problems(check)).isEmpty();
        rig.clock.advance(Duration.ofSeconds(31));
        assertThat(problems(check))
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .contains("plugin zfs on node n1 (registered, no answer yet, since " + since + ")"));
    }
}
