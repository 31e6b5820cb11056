package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The queries of the lists without their lists. */
class QueriesTest {
    private static final PluginId PLUGIN = PluginId.of("p");
    private static final NodeId NODE = NodeId.of("n1");

    @Test
    void builderOfQueryHasAllItsConditions() {
        VolumeQuery volumes = VolumeQuery.builder()
                .namespace(Namespace.of("ns"))
                .idPrefix("a")
                .pluginId(PLUGIN)
                .nodeId(NODE)
                .phase(VolumePhase.CREATING)
                .className(VolumeClassName.of("fast"))
                .workload(WorkloadName.of("web"))
                .retained(true)
                .after(VolumeKey.of("ns", "a1"))
                .limit(5)
                .build();
        assertThat(volumes)
                .hasToString("VolumeQuery[namespace=ns, idPrefix=a, pluginId=p, nodeId=n1, phase=CREATING,"
                        + " className=fast, workload=web, retained=true, after=ns/a1, limit=5]")
                .hasToString(volumes.toBuilder().build().toString());
        NodeQuery nodes = NodeQuery.builder()
                .idPrefix("a")
                .status(NodeStatus.DOWN)
                .pluginId(PLUGIN)
                .after(NODE)
                .limit(1)
                .build();
        assertThat(nodes)
                .hasToString("NodeQuery[idPrefix=a, status=DOWN, pluginId=p, after=n1, limit=1]")
                .hasToString(nodes.toBuilder().build().toString());
        PluginQuery plugins = PluginQuery.builder()
                .idPrefix("a")
                .schedulable(true)
                .controller(false)
                .after(PLUGIN)
                .limit(2)
                .build();
        assertThat(plugins)
                .hasToString("PluginQuery[idPrefix=a, schedulable=true, controller=false, after=p, limit=2]")
                .hasToString(plugins.toBuilder().build().toString());
        WaitingQuery claims = WaitingQuery.builder()
                .idPrefix("a")
                .namespace(Namespace.of("ns"))
                .pluginId(PLUGIN)
                .nodeId(NODE)
                .reason(WaitReason.CLAIMED_ON_OTHER_NODE)
                .after(7L)
                .limit(3)
                .build();
        assertThat(claims)
                .hasToString("WaitingQuery[idPrefix=a, namespace=ns, pluginId=p, nodeId=n1, reason="
                        + WaitReason.CLAIMED_ON_OTHER_NODE + ", after=7, limit=3]")
                .hasToString(claims.toBuilder().build().toString());
        CallQuery calls = CallQuery.builder()
                .idPrefix("a")
                .namespace(Namespace.of("ns"))
                .pluginId(PLUGIN)
                .nodeId(NODE)
                .rpc(Rpc.CREATE_VOLUME)
                .failing(true)
                .after(8L)
                .limit(4)
                .build();
        assertThat(calls)
                .hasToString("CallQuery[idPrefix=a, namespace=ns, pluginId=p, nodeId=n1, rpc=CREATE_VOLUME,"
                        + " failing=true, after=8, limit=4]")
                .hasToString(calls.toBuilder().build().toString());
    }

    @Test
    void queryForAllBeginsWithTheFirstEntryAndHasOnePage() {
        assertThat(Stream.of(
                        NodeQuery.all().after(),
                        PluginQuery.all().after(),
                        WaitingQuery.all().after(),
                        CallQuery.all().after()))
                .containsOnly(Optional.empty());
        assertThat(List.of(
                        NodeQuery.all().limit(),
                        PluginQuery.all().limit(),
                        WaitingQuery.all().limit(),
                        CallQuery.all().limit()))
                .containsOnly(Integer.MAX_VALUE);
    }

    @Test
    void pageWithoutEntriesIsRejected() {
        List<IntConsumer> limits = List.of(
                limit -> NodeQuery.builder().limit(limit),
                limit -> PluginQuery.builder().limit(limit),
                limit -> WaitingQuery.builder().limit(limit),
                limit -> CallQuery.builder().limit(limit));
        for (IntConsumer limit : limits) {
            limit.accept(1);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limit.accept(0))
                    .withMessageEndingWith("Query: limit is 0; use 1 or more");
        }
    }

    @Test
    void callMeetsEachConditionOfItsQuery() {
        PluginCall first = call(Optional.of(VolumeKey.of("ns", "vol")), Optional.of(NODE), 1);
        PluginCall hidden = call(Optional.empty(), Optional.empty(), 2);
        assertThat(found(query -> {}, first, hidden)).containsExactly(first, hidden);
        assertThat(found(query -> query.idPrefix("v"), first, hidden)).containsExactly(first);
        assertThat(found(query -> query.idPrefix("n"), first, hidden)).isEmpty();
        assertThat(found(query -> query.namespace(Namespace.of("ns")), first, hidden))
                .containsExactly(first);
        assertThat(found(query -> query.namespace(Namespace.of("vol")), first, hidden))
                .isEmpty();
        assertThat(found(query -> query.pluginId(PLUGIN), first, hidden)).containsExactly(first, hidden);
        assertThat(found(query -> query.pluginId(PluginId.of("q")), first, hidden))
                .isEmpty();
        assertThat(found(query -> query.nodeId(NODE), first, hidden)).containsExactly(first);
        assertThat(found(query -> query.nodeId(NodeId.of("n2")), first, hidden)).isEmpty();
        assertThat(found(query -> query.rpc(Rpc.DELETE_VOLUME), first, hidden)).containsExactly(first, hidden);
        assertThat(found(query -> query.rpc(Rpc.CREATE_VOLUME), first, hidden)).isEmpty();
        assertThat(found(query -> query.failing(true), first, hidden)).containsExactly(hidden);
        assertThat(found(query -> query.failing(false), first, hidden)).containsExactly(first);
    }

    @Test
    void claimIsOfAPluginOnlyIfItRequestsOneOfItsVolumes() {
        VolumeKey key = VolumeKey.of("ns", "vol");
        RequestedCapability use = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        VolumeSpec spec =
                VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(use)).build();
        NaiveState state = new NaiveState();
        state.putVolume(Volume.builder(key, spec, 1, Instant.EPOCH).build());
        WaitingClaim claim = new WaitingClaim(
                AllocationId.of("a"),
                List.of(ClaimRequest.of(key, ClaimMode.WRITE, use)),
                Instant.EPOCH,
                Optional.of(key),
                Optional.empty(),
                Optional.empty(),
                "");
        assertThat(WaitingQuery.builder().pluginId(PLUGIN).build().matches(state, claim))
                .isTrue();
        assertThat(WaitingQuery.builder().pluginId(PluginId.of("q")).build().matches(state, claim))
                .isFalse();
        assertThat(WaitingQuery.builder()
                        .namespace(Namespace.of("other"))
                        .build()
                        .matches(state, claim))
                .isFalse();
    }

    private static PluginCall call(Optional<VolumeKey> volume, Optional<NodeId> node, int attempt) {
        return new PluginCall(
                Rpc.DELETE_VOLUME, PLUGIN, node, volume, attempt, Instant.EPOCH, node.map(sent -> Instant.EPOCH));
    }

    private static List<PluginCall> found(Consumer<CallQuery.Builder> conditions, PluginCall... calls) {
        CallQuery.Builder builder = CallQuery.builder();
        conditions.accept(builder);
        return Stream.of(calls).filter(builder.build()::matches).toList();
    }
}
