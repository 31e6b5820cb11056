package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Walks through the pages of each list while its entries change, and compares the pages with a model: a page has only
 * entries that the filter finds, no entry comes twice, and an entry that the filter finds all the time is on some page.
 */
class ListPagesTest {
    private static final int WALKS = 25;
    private static final VolumeKey VOL = LifecycleRig.VOL;
    private static final VolumeKey OTHER = VolumeKey.of("other", "w");

    private final SplittableRandom random = new SplittableRandom(37);

    private boolean chance() {
        return random.nextBoolean();
    }

    private <T> T any(List<T> several) {
        return several.get(random.nextInt(several.size()));
    }

    /**
     * Reads all pages of a list. Between two pages, the list changes.
     *
     * @param page returns the page after a position, with at most so many entries
     * @param model returns the ids that the filter finds now, in the order of the list
     */
    private <T, K> void walk(
            Function<Optional<K>, ListPage<T, K>> page,
            int limit,
            Function<T, String> id,
            Supplier<List<String>> model,
            Runnable change) {
        Set<String> always = new TreeSet<>(model.get());
        List<String> found = new ArrayList<>();
        Optional<K> after = Optional.empty();
        while (true) {
            ListPage<T, K> next = page.apply(after);
            List<String> ids = next.items().stream().map(id).toList();
            List<String> now = model.get();
            assertThat(ids).hasSizeLessThanOrEqualTo(limit);
            assertThat(now.stream().filter(ids::contains).toList())
                    .as("only entries that the filter finds, in order")
                    .isEqualTo(ids);
            found.addAll(ids);
            if (next.next().isEmpty()) {
                break;
            }
            assertThat(ids).hasSize(limit);
            after = next.next();
            for (int i = random.nextInt(4); i > 0; i--) {
                change.run();
                always.retainAll(model.get());
            }
        }
        assertThat(found).doesNotHaveDuplicates().containsAll(always);
    }

    private static PluginInstance instance(LifecycleRig rig, String node, PluginId plugin, PluginType type) {
        PluginInstance known = rig.instance(node).build();
        return PluginInstance.builder(new InstanceKey(NodeId.of(node), plugin, type, Optional.empty()), rig.now())
                .capabilities(known.capabilities())
                .nodeInfo(known.nodeInfo().orElseThrow())
                .build();
    }

    /** Replaces all instances of a node by some random ones. */
    private void reportPlugins(LifecycleRig rig, String node) {
        List<PluginInstance> instances = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            if (random.nextInt(3) > 0) {
                PluginId plugin = PluginId.of((i % 2 == 0 ? "even-" : "odd-") + (char) ('a' + i));
                instances.add(
                        instance(rig, node, plugin, any(List.of(PluginType.NODE, PluginType.MONOLITH))).toBuilder()
                                .health(chance(), "")
                                .build());
            }
        }
        rig.ok(new PluginCommand.FingerprintNode(NodeId.of(node), instances, rig.now()));
    }

    private static boolean hasHealthyController(StateReader state, PluginId plugin) {
        boolean[] found = {false};
        state.instancesOf(plugin)
                .forEach(instance ->
                        found[0] |= instance.healthy() && instance.key().type().servesController());
        return found[0];
    }

    @Test
    void pagesOfPluginsHaveWhatTheFilterFindsWhilePluginsChange() {
        LifecycleRig rig = LifecycleRig.leading();
        for (int i = 0; i < WALKS; i++) {
            reportPlugins(rig, any(List.of("n1", "n2")));
            String prefix = any(List.of("", "even-", "odd-", "even-c", "none"));
            Boolean schedulable = any(List.of(0, 1, 2)) == 0 ? chance() : null;
            Boolean controller = any(List.of(0, 1, 2)) == 0 ? chance() : null;
            int limit = random.nextInt(1, 5);
            PluginQuery query = PluginQuery.builder()
                    .idPrefix(prefix)
                    .schedulable(schedulable)
                    .controller(controller)
                    .limit(limit)
                    .build();
            this.<PluginView, PluginId>walk(
                    after -> rig.done(rig.host
                            .operator()
                            .plugins(query.toBuilder().after(after.orElse(null)).build())),
                    limit,
                    view -> view.pluginId().value(),
                    () -> {
                        StateReader state = rig.log.snapshot();
                        Set<String> ids = new TreeSet<>();
                        state.instances().forEach(instance -> {
                            PluginId plugin = instance.key().pluginId();
                            if (plugin.value().startsWith(prefix)
                                    && (schedulable == null
                                            || schedulable
                                                    == state.plugin(plugin).schedulable())
                                    && (controller == null || controller == hasHealthyController(state, plugin))) {
                                ids.add(plugin.value());
                            }
                        });
                        return List.copyOf(ids);
                    },
                    () -> reportPlugins(rig, any(List.of("n1", "n2"))));
        }
    }

    private void changeNode(LifecycleRig rig) {
        String name = any(List.of("a-", "b-")) + random.nextInt(8);
        NodeId node = NodeId.of(name);
        boolean known = rig.log.snapshot().node(node).isPresent();
        switch (known ? random.nextInt(4) : 0) {
            case 0 -> rig.done(rig.host.cluster().nodeReady(node));
            case 1 -> rig.done(rig.host.cluster().nodeDown(node, "by the test"));
            case 2 -> rig.done(rig.host.cluster().nodeGone(node, "by the test"));
            default ->
                rig.ok(new PluginCommand.FingerprintNode(
                        node,
                        chance() ? List.of() : List.of(instance(rig, name, Rig.PLUGIN, PluginType.NODE)),
                        rig.now()));
        }
    }

    @Test
    void pagesOfNodesHaveWhatTheFilterFindsWhileNodesChange() {
        LifecycleRig rig = LifecycleRig.leading();
        for (int i = 0; i < 8; i++) {
            rig.node("a-" + i);
            rig.node("b-" + i);
        }
        for (int i = 0; i < WALKS; i++) {
            String prefix = any(List.of("", "a-", "b-", "b-1", "none"));
            NodeStatus status = chance() ? any(List.of(NodeStatus.values())) : null;
            PluginId plugin = chance() ? any(List.of(Rig.PLUGIN, PluginId.of("none"))) : null;
            int limit = random.nextInt(1, 5);
            NodeQuery query = NodeQuery.builder()
                    .idPrefix(prefix)
                    .status(status)
                    .pluginId(plugin)
                    .limit(limit)
                    .build();
            this.<NodeView, NodeId>walk(
                    after -> rig.done(rig.host
                            .operator()
                            .nodes(query.toBuilder().after(after.orElse(null)).build())),
                    limit,
                    view -> view.node().id().value(),
                    () -> {
                        StateReader state = rig.log.snapshot();
                        List<String> ids = new ArrayList<>();
                        for (Node node : state.nodes()) {
                            boolean[] has = {plugin == null};
                            state.instancesOn(node.id())
                                    .forEach(instance ->
                                            has[0] |= instance.key().pluginId().equals(plugin));
                            if (has[0]
                                    && node.id().value().startsWith(prefix)
                                    && (status == null || status == node.status())) {
                                ids.add(node.id().value());
                            }
                        }
                        return ids;
                    },
                    () -> changeNode(rig));
        }
    }

    /** A rig with two volumes of two namespaces that an allocation has claimed. */
    private static LifecycleRig held(LifecycleRig rig) {
        for (VolumeKey key : List.of(VOL, OTHER)) {
            rig.done(rig.host
                    .volumes()
                    .register(
                            key,
                            LifecycleRig.spec()
                                    .externalVolumeId(ExternalVolumeId.of("ext-" + key))
                                    .sharedWith(List.of(Namespace.of("default")))
                                    .build()));
        }
        rig.allocation("holder", "n1");
        rig.done(rig.host
                .claims()
                .claim(
                        AllocationId.of("holder"),
                        List.of(
                                LifecycleRig.write(VOL, LifecycleRig.SINGLE),
                                LifecycleRig.write(OTHER, LifecycleRig.SINGLE))));
        return rig;
    }

    private static CompletableFuture<ClaimGrant> claim(
            LifecycleRig rig, String allocation, String node, VolumeKey key) {
        rig.allocation(allocation, node);
        CompletableFuture<ClaimGrant> claim = rig.host
                .claims()
                .claim(AllocationId.of(allocation), List.of(LifecycleRig.write(key, LifecycleRig.SINGLE)));
        rig.run();
        return claim;
    }

    private record Waiter(VolumeKey volume, String node, CompletableFuture<ClaimGrant> claim) {}

    @Test
    void pagesOfWaitingClaimsHaveWhatTheFilterFindsWhileClaimsComeAndGo() {
        LifecycleRig rig = held(LifecycleRig.leading());
        Map<String, Waiter> waiters = new LinkedHashMap<>();
        int[] number = {0};
        Runnable change = () -> {
            if (!waiters.isEmpty() && random.nextInt(5) < 2) {
                String gone = any(List.copyOf(waiters.keySet()));
                waiters.remove(gone).claim().cancel(true);
                rig.run();
            } else {
                String id = any(List.of("web-", "job-")) + number[0]++;
                VolumeKey volume = any(List.of(VOL, OTHER));
                String node = any(List.of("n1", "n2"));
                waiters.put(id, new Waiter(volume, node, claim(rig, id, node, volume)));
            }
        };
        for (int i = 0; i < WALKS; i++) {
            while (waiters.size() < 8) {
                change.run();
            }
            String prefix = any(List.of("", "web-", "job-", "none"));
            Namespace namespace = chance() ? any(List.of(VOL.namespace(), OTHER.namespace())) : null;
            NodeId node = chance() ? NodeId.of(any(List.of("n1", "n2"))) : null;
            PluginId plugin = random.nextInt(5) == 0 ? any(List.of(Rig.PLUGIN, PluginId.of("none"))) : null;
            int limit = random.nextInt(1, 5);
            WaitingQuery query = WaitingQuery.builder()
                    .idPrefix(prefix)
                    .namespace(namespace)
                    .nodeId(node)
                    .pluginId(plugin)
                    .limit(limit)
                    .build();
            this.<WaitingClaim, Long>walk(
                    after -> rig.done(rig.host
                            .claims()
                            .waiting(query.toBuilder().after(after.orElse(null)).build())),
                    limit,
                    claim -> claim.allocationId().value(),
                    () -> waiters.entrySet().stream()
                            .filter(waiter -> waiter.getKey().startsWith(prefix))
                            .filter(waiter -> namespace == null
                                    || namespace.equals(
                                            waiter.getValue().volume().namespace()))
                            .filter(waiter -> node == null
                                    || node.value().equals(waiter.getValue().node()))
                            .filter(waiter -> plugin == null || plugin.equals(Rig.PLUGIN))
                            .map(Map.Entry::getKey)
                            .toList(),
                    change);
        }
    }

    @Test
    void waitingClaimsAreFilteredByReason() {
        LifecycleRig rig = held(LifecycleRig.leading());
        rig.done(rig.host.cluster().nodeReady(NodeId.of("bare")));
        var behind = claim(rig, "behind-holder", "n2", VOL);
        rig.done(rig.host
                .volumes()
                .register(
                        VolumeKey.of("default", "free"),
                        LifecycleRig.spec()
                                .externalVolumeId(ExternalVolumeId.of("free"))
                                .build()));
        var bare = claim(rig, "without-plugin", "bare", VolumeKey.of("default", "free"));
        assertThat(behind).isNotDone();
        assertThat(bare).isNotDone();
        BiPredicate<WaitReason, String> lists = (reason, id) ->
                rig
                        .done(rig.host
                                .claims()
                                .waiting(WaitingQuery.builder().reason(reason).build()))
                        .items()
                        .stream()
                        .map(claim -> claim.allocationId().value())
                        .toList()
                        .equals(List.of(id));
        assertThat(lists.test(WaitReason.CLAIMED_ON_OTHER_NODE, "behind-holder"))
                .isTrue();
        assertThat(lists.test(WaitReason.NO_HEALTHY_NODE_PLUGIN, "without-plugin"))
                .isTrue();
        assertThat(rig.done(rig.host
                                .claims()
                                .waiting(WaitingQuery.builder()
                                        .reason(WaitReason.NODE_FULL)
                                        .build()))
                        .items())
                .isEmpty();
    }

    @Test
    void pagesOfCallsHaveWhatTheFilterFindsWhileCallsBeginAndEnd() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.gateway.leaveOpen();
        Map<String, CompletableFuture<?>> creations = new LinkedHashMap<>();
        int[] number = {0};
        Runnable change = () -> {
            if (!rig.gateway.open.isEmpty() && random.nextInt(5) < 2) {
                rig.gateway.open.remove(random.nextInt(rig.gateway.open.size())).succeed();
                rig.run();
                creations.values().removeIf(CompletableFuture::isDone);
            } else {
                VolumeKey key =
                        VolumeKey.of(any(List.of("default", "other")), any(List.of("db-", "log-")) + number[0]++);
                creations.put(
                        key.toString(),
                        rig.host.volumes().create(key, LifecycleRig.newSpec().build()));
                rig.run();
            }
        };
        for (int i = 0; i < WALKS; i++) {
            while (creations.size() < 8) {
                change.run();
            }
            String prefix = any(List.of("", "db-", "log-", "none"));
            Namespace namespace = chance() ? Namespace.of(any(List.of("default", "other"))) : null;
            PluginId plugin = random.nextInt(5) == 0 ? any(List.of(Rig.PLUGIN, PluginId.of("none"))) : null;
            Rpc rpc = random.nextInt(5) == 0 ? any(List.of(Rpc.CREATE_VOLUME, Rpc.DELETE_VOLUME)) : null;
            int limit = random.nextInt(1, 5);
            CallQuery query = CallQuery.builder()
                    .idPrefix(prefix)
                    .namespace(namespace)
                    .pluginId(plugin)
                    .rpc(rpc)
                    .limit(limit)
                    .build();
            this.<PluginCall, Long>walk(
                    after -> rig.done(rig.host
                            .operator()
                            .calls(query.toBuilder().after(after.orElse(null)).build())),
                    limit,
                    call -> call.volume().orElseThrow().toString(),
                    () -> creations.keySet().stream()
                            .filter(key ->
                                    VolumeKey.parse(key).volumeId().value().startsWith(prefix))
                            .filter(key -> namespace == null
                                    || namespace.equals(VolumeKey.parse(key).namespace()))
                            .filter(key -> plugin == null || plugin.equals(Rig.PLUGIN))
                            .filter(key -> rpc == null || rpc == Rpc.CREATE_VOLUME)
                            .toList(),
                    change);
        }
    }

    @Test
    void callsAreFilteredByNodeAndByFailedAttempts() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.gateway.leaveOpen();
        var failed = rig.host.volumes().create(VOL, LifecycleRig.newSpec().build());
        rig.run();
        // The first attempt asks the plugin's instances on both nodes.
        rig.gateway.only().fail(StatusCode.UNAVAILABLE);
        rig.run();
        rig.gateway.only().fail(StatusCode.UNAVAILABLE);
        rig.run();
        while (rig.gateway.open.isEmpty()) {
            rig.clock.advance(Duration.ofMillis(100));
        }
        var first = rig.host.volumes().create(OTHER, LifecycleRig.newSpec().build());
        rig.run();
        assertThat(failed).isNotDone();
        assertThat(first).isNotDone();
        Function<CallQuery, List<VolumeKey>> list =
                query -> rig.done(rig.host.operator().calls(query)).items().stream()
                        .map(call -> call.volume().orElseThrow())
                        .toList();
        assertThat(list.apply(CallQuery.builder().failing(true).build())).containsExactly(VOL);
        assertThat(list.apply(CallQuery.builder().failing(false).build())).containsExactly(OTHER);
        for (PluginCall call :
                rig.done(rig.host.operator().calls(CallQuery.all())).items()) {
            NodeId node = call.nodeId().orElseThrow();
            assertThat(rig.done(rig.host
                                    .operator()
                                    .calls(CallQuery.builder().nodeId(node).build()))
                            .items())
                    .contains(call)
                    .allMatch(other -> other.nodeId().equals(Optional.of(node)));
        }
        assertThat(list.apply(CallQuery.builder().nodeId(NodeId.of("none")).build()))
                .isEmpty();
    }

    @Test
    void pagesOfVolumesHaveWhatCallerMayListWhileVolumesChange() {
        LifecycleRig rig = LifecycleRig.guarded().grant("a", Permission.VOLUME_LIST);
        CallerOperations eve = rig.as("eve");
        Runnable change = () -> {
            VolumeKey key = VolumeKey.of(any(List.of("a", "b")), any(List.of("db-", "log-")) + random.nextInt(6));
            if (rig.log.snapshot().volume(key).isPresent()) {
                rig.ok(new VolumeCommand.DeregisterVolume(key, false, rig.now()));
            } else {
                VolumeListTest.register(rig, key, LifecycleRig.spec().externalVolumeId(ExternalVolumeId.of("" + key)));
            }
        };
        for (int i = 0; i < WALKS; i++) {
            for (int n = 0; n < 5; n++) {
                change.run();
            }
            String prefix = any(List.of("", "db-", "log-", "none"));
            int limit = random.nextInt(1, 5);
            VolumeQuery query =
                    VolumeQuery.builder().idPrefix(prefix).limit(limit).build();
            this.<VolumeSummary, VolumeKey>walk(
                    after -> rig.done(eve.volumes()
                            .list(query.toBuilder().after(after.orElse(null)).build())),
                    limit,
                    item -> item.key().toString(),
                    () -> rig.log.snapshot().volumes(VolumeQuery.all()).items().stream()
                            .map(volume -> volume.key())
                            .filter(key -> key.namespace().value().equals("a")
                                    && key.volumeId().value().startsWith(prefix))
                            .map(VolumeKey::toString)
                            .toList(),
                    change);
        }
    }

    @Test
    void limitBelowOneIsRefused() {
        assertThatThrownBy(() -> PluginQuery.builder().limit(0)).hasMessageContaining("PluginQuery: limit is 0");
        assertThatThrownBy(() -> NodeQuery.builder().limit(-1)).hasMessageContaining("NodeQuery: limit is -1");
        assertThatThrownBy(() -> WaitingQuery.builder().limit(0)).hasMessageContaining("WaitingQuery: limit is 0");
        assertThatThrownBy(() -> CallQuery.builder().limit(0)).hasMessageContaining("CallQuery: limit is 0");
    }
}
